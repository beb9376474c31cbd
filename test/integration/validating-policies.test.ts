// Validating admission policies through the API, with policies of the shapes that clusters have.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/server/server.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { bindings, bindPolicy, matching, policies, policy } from './policies.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false, controllers: [], disableAdmissionPlugins: ['ServiceAccount'] });
  api = apiOf(server);
});
afterAll(() => server.close());

/** Everything of a test is in its own namespace, to which its policies are bound. */
async function home(name: string, labels: Record<string, string> = {}): Promise<string> {
  const { status } = await api.post('/api/v1/namespaces', { metadata: { name, labels } });
  expect(status).toBe(201);
  return `/api/v1/namespaces/${name}`;
}

const configMap = (name: string, data: Record<string, string> = {}, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  data,
});
const pod = (name: string, image: string) => ({
  metadata: { name },
  spec: { containers: [{ name: 'c', image }], initContainers: [{ name: 'i', image: 'registry.local/init' }] },
});
const deployment = (name: string, replicas: number, labels: Record<string, string> = {}) => ({
  metadata: { name, labels },
  spec: {
    replicas,
    selector: { matchLabels: { app: name } },
    template: { metadata: { labels: { app: name } }, spec: { containers: [{ name: 'c', image: 'i' }] } },
  },
});

describe('refusals', () => {
  test('are told in the words of a message, of the expression for it, or of the expression that failed', async () => {
    const path = await home('words');
    const spec = {
      validations: [
        { expression: "!('forbidden' in object.data)", message: 'no forbidden key' },
        {
          expression: "object.metadata.name.startsWith('ok')",
          messageExpression: "'bad name ' + object.metadata.name",
          reason: 'Forbidden',
        },
        { expression: ' object.data.size() < 3 ' },
      ],
    };
    await policy(api, 'words', spec);
    await bindPolicy(api, 'words', { namespace: 'words' });
    const first = await api.post(`${path}/configmaps`, configMap('ok', { forbidden: '1' }));
    const text = "ValidatingAdmissionPolicy 'words' with binding 'words' denied request: no forbidden key";
    expect(first.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message: `configmaps "ok" is forbidden: ${text}`,
      reason: 'Invalid',
      details: { name: 'ok', kind: 'configmaps', causes: [{ message: text }] },
      code: 422,
    });
    const second = await api.post(`${path}/configmaps`, configMap('nope', { a: 'b' }));
    expect([second.status, second.body.reason]).toEqual([403, 'Forbidden']);
    expect(second.body.message).toMatch(/denied request: bad name nope$/);
    const third = await api.post(`${path}/configmaps`, configMap('ok', { a: '', b: '', c: '' }));
    expect(third.body.message).toMatch(/denied request: failed expression: object.data.size\(\) < 3$/);
    expect((await api.post(`${path}/configmaps`, configMap('ok', { a: 'b' }))).status).toBe(201);
    const patched = await api.patch('merge', `${path}/configmaps/ok`, { data: { forbidden: '1' } });
    expect(patched.body.message).toMatch(/no forbidden key$/);
    expect((await api.delete(`${path}/configmaps/ok`)).status).toBe(200);
  });

  test('end with the binding, and begin again with it', async () => {
    const path = await home('ends');
    await policy(api, 'ends', { validations: [{ expression: 'false' }] });
    const create = async () => (await api.post(`${path}/configmaps?dryRun=All`, configMap('a'))).status;
    expect(await create()).toBe(201);
    await bindPolicy(api, 'ends', { namespace: 'ends' });
    expect(await create()).toBe(422);
    await api.delete(`${bindings}/ends`);
    expect(await create()).toBe(201);
    await bindPolicy(api, 'ends', { namespace: 'ends' });
    const changed = { spec: { validations: [{ expression: 'true' }] } };
    expect((await api.patch('merge', `${policies}/ends`, changed)).status).toBe(200);
    expect(await create()).toBe(201);
  });
});

describe('policies as clusters have them', () => {
  test('images come from a registry', async () => {
    const path = await home('images');
    await policy(api, 'images', {
      matchConstraints: matching('pods'),
      variables: [
        { name: 'all', expression: 'object.spec.containers + object.spec.?initContainers.orValue([])' },
        { name: 'bad', expression: "variables.all.filter(c, !c.image.startsWith('registry.local/'))" },
      ],
      validations: [
        {
          expression: 'variables.bad.size() == 0',
          messageExpression: "'images from elsewhere: ' + variables.bad.map(c, c.image).join(', ')",
        },
      ],
    });
    await bindPolicy(api, 'images', { namespace: 'images' });
    const refused = await api.post(`${path}/pods`, pod('a', 'elsewhere/x'));
    expect(refused.body.message).toMatch(/denied request: images from elsewhere: elsewhere\/x$/);
    expect((await api.post(`${path}/pods`, pod('b', 'registry.local/x'))).status).toBe(201);
  });

  test('labels are required, which the namespace says', async () => {
    const path = await home('labels', { team: 'blue' });
    await policy(api, 'labels', {
      validations: [
        {
          expression: "'team' in object.metadata.?labels.orValue({})",
          message: 'the label team is required',
        },
        {
          expression: "object.metadata.?labels.team.orValue('') == namespaceObject.metadata.labels.team",
          message: 'of the team of the namespace',
        },
      ],
    });
    await bindPolicy(api, 'labels', { namespace: 'labels' });
    expect((await api.post(`${path}/configmaps`, configMap('a'))).body.message).toMatch(/the label team is required$/);
    const other = await api.post(`${path}/configmaps`, configMap('a', {}, { labels: { team: 'red' } }));
    expect(other.body.message).toMatch(/of the team of the namespace$/);
    const own = await api.post(`${path}/configmaps`, configMap('a', {}, { labels: { team: 'blue' } }));
    expect(own.status).toBe(201);
  });

  test('replicas are limited by a parameter, which each namespace may have', async () => {
    const path = '/apis/apps/v1/namespaces/replicas/deployments';
    const core = await home('replicas');
    await policy(api, 'replicas', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: matching('apps/deployments', 'apps/deployments/scale'),
      validations: [
        {
          expression: 'object.spec.replicas <= int(params.data.most)',
          messageExpression: "'at most ' + params.data.most + ' replicas'",
        },
      ],
    });
    const spec = { paramRef: { name: 'limits', parameterNotFoundAction: 'Deny' } };
    await bindPolicy(api, 'replicas', { namespace: 'replicas', spec });
    const missing = await api.post(path, deployment('a', 3));
    expect(missing.body.message).toBe(
      `deployments.apps "a" is forbidden: ValidatingAdmissionPolicy 'replicas' with binding 'replicas' denied request: failed to configure binding: no params found for policy binding with \`Deny\` parameterNotFoundAction`,
    );
    await api.post(`${core}/configmaps`, configMap('limits', { most: '2' }));
    expect((await api.post(path, deployment('a', 3))).body.message).toMatch(/at most 2 replicas$/);
    expect((await api.post(path, deployment('a', 2))).status).toBe(201);
    const scaled = await api.patch('merge', `${path}/a/scale`, { spec: { replicas: 3 } });
    expect(scaled.body.message).toMatch(/at most 2 replicas$/);
    await api.patch('merge', `${core}/configmaps/limits`, { data: { most: '5' } });
    expect((await api.patch('merge', `${path}/a/scale`, { spec: { replicas: 3 } })).status).toBe(200);
  });

  test('a field cannot be changed once it is set', async () => {
    const path = await home('immutable');
    await policy(api, 'immutable', {
      matchConditions: [{ name: 'changes', expression: "request.operation == 'UPDATE'" }],
      validations: [{ expression: 'oldObject.data.?owner == object.data.?owner', message: 'owner is immutable' }],
    });
    await bindPolicy(api, 'immutable', { namespace: 'immutable' });
    expect((await api.post(`${path}/configmaps`, configMap('a', { owner: 'me' }))).status).toBe(201);
    const changed = await api.patch('merge', `${path}/configmaps/a`, { data: { owner: 'you' } });
    expect(changed.body.message).toMatch(/owner is immutable$/);
    expect((await api.patch('merge', `${path}/configmaps/a`, { data: { more: 'x' } })).status).toBe(200);
  });

  test('nothing refers to another namespace, unless the namespace is exempt', async () => {
    await home('references');
    await home('exempt', { 'policy/exempt': 'true' });
    await policy(api, 'references', {
      matchConstraints: {
        ...matching('configmaps'),
        namespaceSelector: { matchExpressions: [{ key: 'policy/exempt', operator: 'DoesNotExist' }] },
      },
      validations: [
        {
          expression:
            "object.data.?target.orValue('').split('/').size() < 2 || object.data.target.split('/')[0] == request.namespace",
          message: 'targets are in the namespace',
        },
      ],
    });
    await bindPolicy(api, 'references', {
      spec: { matchResources: { objectSelector: { matchLabels: { check: 'yes' } } } },
    });
    const labels = { labels: { check: 'yes' } };
    const to = (namespace: string, target: string, metadata: object = labels) =>
      api.post(`/api/v1/namespaces/${namespace}/configmaps?dryRun=All`, configMap('a', { target }, metadata));
    expect((await to('references', 'other/x')).body.message).toMatch(/targets are in the namespace$/);
    expect((await to('references', 'references/x')).status).toBe(201);
    expect((await to('references', 'other/x', {})).status).toBe(201);
    expect((await to('exempt', 'other/x')).status).toBe(201);
  });

  test('namespaces and their removal are looked at too', async () => {
    const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'DELETE'], resources: ['namespaces'] };
    await policy(api, 'spaces', {
      matchConstraints: { resourceRules: [rule] },
      validations: [
        {
          expression:
            "request.operation == 'CREATE' ? namespaceObject == null && request.namespace == 'guarded' : oldObject.metadata.?labels.keep.orValue('') != 'yes'",
          messageExpression: "request.operation + ' of ' + request.name",
        },
      ],
    });
    await bindPolicy(api, 'spaces', {
      spec: { matchResources: { namespaceSelector: { matchLabels: { keep: 'yes' } } } },
    });
    expect(
      (await api.post('/api/v1/namespaces', { metadata: { name: 'guarded', labels: { keep: 'yes' } } })).status,
    ).toBe(201);
    const other = await api.post('/api/v1/namespaces', { metadata: { name: 'other', labels: { keep: 'yes' } } });
    expect(other.body.message).toMatch(/CREATE of other$/);
    expect((await api.delete('/api/v1/namespaces/guarded')).body.message).toMatch(/DELETE of guarded$/);
    await api.delete(`${bindings}/spaces`);
  });
});

describe('parameters', () => {
  test('are selected by labels, each of them counts; without any the binding may pass', async () => {
    const path = await home('selected');
    await policy(api, 'selected', {
      paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
      matchConstraints: matching('secrets'),
      validations: [
        {
          expression: 'object.metadata.name != params.data.name',
          messageExpression: "params.metadata.name + ' says no'",
        },
      ],
    });
    const selector = { matchLabels: { names: 'taken' } };
    const spec = { paramRef: { selector, parameterNotFoundAction: 'Allow' } };
    await bindPolicy(api, 'selected', { namespace: 'selected', spec });
    const create = (name: string) => api.post(`${path}/secrets?dryRun=All`, { metadata: { name } });
    expect((await create('a')).status).toBe(201);
    for (const name of ['a', 'b'])
      await api.post(`${path}/configmaps`, configMap(`param-${name}`, { name }, { labels: { names: 'taken' } }));
    expect((await create('b')).body.message).toMatch(/param-b says no$/);
    expect((await create('a')).body.message).toMatch(/param-a says no$/);
    expect((await create('c')).status).toBe(201);
  });

  test.each([
    [
      'rules.example.com/v1',
      {},
      "failed to configure policy: failed to find resource referenced by paramKind: 'rules.example.com/v1, Kind=Limit'",
    ],
    [
      'v1',
      { namespace: 'default' },
      "failed to configure policy: failed to find resource referenced by paramKind: '/v1, Kind=Limit'",
    ],
  ])('of a kind that is not served (%s) fail the policy, unless failures are ignored', async (apiVersion, ref, why) => {
    const name = `unserved-${apiVersion.length}`;
    const path = await home(name);
    await policy(api, name, {
      paramKind: { apiVersion, kind: 'Limit' },
      validations: [{ expression: 'params != null' }],
    });
    await bindPolicy(api, name, {
      namespace: name,
      spec: { paramRef: { name: 'x', parameterNotFoundAction: 'Deny', ...ref } },
    });
    // configuration errors of a policy count before its bindings are looked at
    const refused = await api.post(`${path}/configmaps`, configMap('a'));
    expect(refused.body.message).toBe(
      `configmaps "a" is forbidden: ValidatingAdmissionPolicy '${name}' denied request: ${why}`,
    );
    await api.patch('merge', `${policies}/${name}`, { spec: { failurePolicy: 'Ignore' } });
    expect((await api.post(`${path}/configmaps`, configMap('a'))).status).toBe(201);
    await api.delete(`${policies}/${name}`);
  });

  test('of the cluster have no namespace, those in namespaces need one', async () => {
    const path = await home('scoped');
    await policy(api, 'scoped', {
      paramKind: { apiVersion: 'v1', kind: 'Namespace' },
      validations: [{ expression: "params.metadata.name == 'scoped'" }],
    });
    const ref = (more: object) => ({ paramRef: { name: 'scoped', parameterNotFoundAction: 'Deny', ...more } });
    await bindPolicy(api, 'scoped', { namespace: 'scoped', spec: ref({}) });
    expect((await api.post(`${path}/configmaps`, configMap('a'))).status).toBe(201);
    await bindPolicy(api, 'scoped-2', {
      policyName: 'scoped',
      namespace: 'scoped',
      spec: ref({ namespace: 'default' }),
    });
    expect((await api.post(`${path}/configmaps`, configMap('b'))).body.message).toMatch(
      /with binding 'scoped-2' denied request: failed to configure binding: paramRef.namespace must not be provided for a cluster-scoped `paramKind`$/,
    );
  });
});

describe('errors', () => {
  test('of expressions refuse or pass, as the policy says', async () => {
    const path = await home('errors');
    const expression = "object.data.missing == 'x'";
    await policy(api, 'errors', { validations: [{ expression, messageExpression: 'string(object.data.missing)' }] });
    await bindPolicy(api, 'errors', { namespace: 'errors' });
    const refused = await api.post(`${path}/configmaps`, configMap('a', { b: 'c' }));
    expect(refused.body.message).toMatch(
      /denied request: expression 'object.data.missing == 'x'' resulted in error: no such key: missing$/,
    );
    expect(refused.status).toBe(422);
    await api.patch('merge', `${policies}/errors`, { spec: { failurePolicy: 'Ignore' } });
    expect((await api.post(`${path}/configmaps`, configMap('a', { b: 'c' }))).status).toBe(201);
    const { body: metrics } = await api.get('/metrics');
    const about = String(metrics)
      .split('\n')
      .filter((line) => line.includes('policy="errors"'));
    const labels = 'policy="errors",policy_binding="errors",error_type="invalid_error",enforcement_action=';
    expect(about).toContain(`apiserver_validating_admission_policy_check_total{${labels}"deny"} 1`);
    expect(about).toContain(`apiserver_validating_admission_policy_check_total{${labels}"allow"} 1`);
    expect(about).toContain(
      `apiserver_validating_admission_policy_check_duration_seconds_bucket{${labels}"deny",le="1"} 1`,
    );
  });

  test('a policy that costs too much is an error, told by what it ran out of', async () => {
    const path = await home('costs');
    // a question about rights costs about a third of what an expression may
    const asked = (times: number) => ({
      expression: Array.from({ length: times }, () => "authorizer.path('/x').check('get').allowed()").join(' && '),
    });
    await policy(api, 'costs', { validations: [asked(3)] });
    await bindPolicy(api, 'costs', { namespace: 'costs' });
    const one = await api.post(`${path}/configmaps`, configMap('a'));
    expect(one.body.message).toMatch(/resulted in error: operation cancelled: actual cost limit exceeded$/);
    const validations = Array.from({ length: 15 }, () => asked(2));
    await api.patch('merge', `${policies}/costs`, { spec: { validations } });
    const all = await api.post(`${path}/configmaps`, configMap('a'));
    expect(all.body.message).toMatch(
      /denied request: validation failed due to running out of cost budget, no further validation rules will be run$/,
    );
  });

  test('of conditions count unless another condition does not hold', async () => {
    const path = await home('conditions');
    const broken = { name: 'broken', expression: 'object.data.missing == ""' };
    const never = { name: 'never', expression: 'object.metadata.name == "b"' };
    await policy(api, 'conditions', { matchConditions: [broken, never], validations: [{ expression: 'false' }] });
    await bindPolicy(api, 'conditions', { namespace: 'conditions' });
    expect((await api.post(`${path}/configmaps`, configMap('a', { x: '' }))).status).toBe(201);
    const refused = await api.post(`${path}/configmaps`, configMap('b', { x: '' }));
    expect(refused.body.message).toMatch(
      /expression 'object.data.missing == ""' resulted in error: no such key: missing$/,
    );
    await api.patch('merge', `${policies}/conditions`, { spec: { failurePolicy: 'Ignore' } });
    expect((await api.post(`${path}/configmaps`, configMap('b', { x: '' }))).status).toBe(201);
  });
});

describe('actions', () => {
  test('a warning comes with the answer', async () => {
    const path = await home('warned');
    await policy(api, 'warned', {
      validations: [{ expression: 'false', message: 'think again' }, { expression: 'true' }],
    });
    await bindPolicy(api, 'warned', { namespace: 'warned', spec: { validationActions: ['Warn', 'Audit'] } });
    const created = await api.post(`${path}/configmaps`, configMap('a'));
    expect([created.status, created.headers.get('warning')]).toEqual([
      201,
      `299 - "Validation failed for ValidatingAdmissionPolicy 'warned' with binding 'warned': think again"`,
    ]);
  });

  test('rights of the user can be asked for', async () => {
    const path = await home('rights');
    await policy(api, 'rights', {
      validations: [
        {
          expression:
            "authorizer.group('').resource('secrets').namespace('rights').check('get').allowed() && authorizer.requestResource.check('create').allowed()",
          message: 'needs to read secrets',
        },
        {
          expression:
            "!authorizer.serviceAccount('rights', 'nobody').group('').resource('secrets').check('get').allowed()",
        },
      ],
    });
    await bindPolicy(api, 'rights', { namespace: 'rights' });
    expect((await api.post(`${path}/configmaps`, configMap('a'))).status).toBe(201);
  });
});

test('another version of a resource is looked at in the version that the policy names', async () => {
  await home('versions');
  const rule = {
    apiGroups: ['autoscaling'],
    apiVersions: ['v1'],
    operations: ['*'],
    resources: ['horizontalpodautoscalers'],
  };
  await policy(api, 'versions', {
    matchConstraints: { resourceRules: [rule] },
    validations: [
      {
        expression: "object.apiVersion == 'autoscaling/v1' && object.spec.targetCPUUtilizationPercentage < 50",
        messageExpression:
          "request.requestKind.version + ' as ' + request.kind.version + ' by ' + request.resource.version",
      },
    ],
  });
  await bindPolicy(api, 'versions', { namespace: 'versions' });
  const scaler = (averageUtilization: number) => ({
    metadata: { name: 'a' },
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization } } }],
    },
  });
  const path = '/apis/autoscaling/v2/namespaces/versions/horizontalpodautoscalers';
  expect((await api.post(path, scaler(80))).body.message).toMatch(/denied request: v2 as v1 by v1$/);
  expect((await api.post(path, scaler(30))).status).toBe(201);
  await api.patch('merge', `${policies}/versions`, { spec: { matchConstraints: { matchPolicy: 'Exact' } } });
  expect((await api.put(`${path}/a`, { ...scaler(80), metadata: { name: 'a' } })).status).toBe(200);
});

test('connections are refused by what they ask for', async () => {
  const path = await home('connections');
  const rule = { apiGroups: [''], apiVersions: ['v1'], operations: ['CONNECT'], resources: ['pods/exec'] };
  await policy(api, 'connections', {
    matchConstraints: { resourceRules: [rule] },
    validations: [
      {
        expression: "object.command[0] != 'sh' || !object.tty",
        messageExpression: "object.kind + ' of ' + request.name + ': ' + object.command.join(' ')",
      },
    ],
  });
  await bindPolicy(api, 'connections', { namespace: 'connections' });
  await api.post(`${path}/pods`, pod('p', 'i'));
  const exec = (query: string) => api.post(`${path}/pods/p/exec?container=c&${query}`, undefined);
  const refused = await exec('command=sh&command=-c&tty=true');
  expect([refused.status, refused.body.message]).toEqual([
    422,
    "pods \"p\" is forbidden: ValidatingAdmissionPolicy 'connections' with binding 'connections' denied request: PodExecOptions of p: sh -c",
  ]);
  // let through, it finds that the pod is on no node
  expect((await exec('command=ls&tty=false')).body.message).toBe('pod p does not have a host assigned');
});

test('policies are not asked about policies, nor about reviews', async () => {
  const rule = { apiGroups: ['*'], apiVersions: ['*'], operations: ['*'], resources: ['*'] };
  await policy(api, 'everything', {
    matchConstraints: { resourceRules: [rule] },
    validations: [{ expression: 'false' }],
  });
  await bindPolicy(api, 'everything');
  expect((await api.post('/api/v1/namespaces', { metadata: { name: 'never' } })).status).toBe(422);
  const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
  expect((await api.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review)).status).toBe(201);
  expect((await api.delete(`${bindings}/everything`)).status).toBe(200);
  expect((await api.delete(`${policies}/everything`)).status).toBe(200);
});
