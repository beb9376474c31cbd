// Authorization as a caller meets it: roles, bindings, refusals. Spec: "Authorization", "Role-based access control".

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { InProcessFetch, Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';
const group = 'rbac.authorization.k8s.io';
const local = `${rbac}/namespaces/default`;

let server: Server;
let admin: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  admin = apiOf(server);
});
afterAll(() => server.close());

/** A user who is known, and nothing else. */
function as(name: string, ...groups: string[]): Api {
  const user = { name, groups: [...groups, 'system:authenticated'] };
  const fetch: InProcessFetch = (input, init) => server.fetch(input, { ...init, user });
  return apiOf({ fetch });
}

const anonymous = { name: 'system:anonymous', groups: ['system:unauthenticated'] };
const roleRef = (kind: string, name: string) => ({ apiGroup: group, kind, name });
const user = (name: string) => ({ kind: 'User', name });

async function bind(name: string, rules: object[], subject = name): Promise<void> {
  await admin.post(`${local}/roles`, { metadata: { name }, rules });
  const made = await admin.post(`${local}/rolebindings`, {
    metadata: { name },
    roleRef: roleRef('Role', name),
    subjects: [user(subject)],
  });
  expect(made.status).toBe(201);
}

describe('a caller without rights', () => {
  test('is told who may not do what, where', async () => {
    const answer = await as('stranger').get(`${configMaps}/x`);
    expect(answer.body).toEqual({
      kind: 'Status',
      apiVersion: 'v1',
      metadata: {},
      status: 'Failure',
      message:
        'configmaps "x" is forbidden: User "stranger" cannot get resource "configmaps" in API group "" in the namespace "default"',
      reason: 'Forbidden',
      details: { name: 'x', kind: 'configmaps' },
      code: 403,
    });
    const wide = await as('stranger').get('/api/v1/configmaps');
    expect(wide.body.message).toBe(
      'configmaps is forbidden: User "stranger" cannot list resource "configmaps" in API group "" at the cluster scope',
    );
    const path = await as('stranger').get('/metrics');
    expect([path.status, path.body.message]).toEqual([403, 'forbidden: User "stranger" cannot get path "/metrics"']);
  });

  test('does not learn which types exist: what is refused to a path of the wrong scope is refused to any', async () => {
    const paths = (plural: string) => [
      `/api/v1/namespaces/default/${plural}`,
      `/api/v1/namespaces/default/${plural}/x`,
      `/api/v1/${plural}/x`,
      `/apis/apps/v1/namespaces/default/${plural}`,
      `/apis/apps/v1/${plural}/x`,
    ];
    const strangers = [
      as('stranger'),
      apiOf({ fetch: (input, init) => server.fetch(input, { ...init, user: anonymous }) }),
    ];
    for (const api of strangers)
      for (const method of ['GET', 'DELETE', 'PUT'])
        for (const path of ['nodes', 'pods', 'deployments', 'nosuchthings'].flatMap(paths))
          expect([method, path, (await api.call(method, path)).status]).toEqual([method, path, 403]);
    // a caller with the rights is told; rights in a namespace open nothing of the cluster
    await bind('local-nodes', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    for (const path of ['/api/v1/namespaces/default/nodes', '/api/v1/namespaces/default/nodes/x'])
      expect([path, (await as('local-nodes').get(path)).status]).toEqual([path, 404]);
    expect((await as('local-nodes').get('/api/v1/nodes')).status).toBe(403);
    expect((await admin.get('/api/v1/namespaces/default/nodes')).status).toBe(404);
  });

  test('may look around, as every known user', async () => {
    for (const path of ['/api', '/apis', '/apis/apps/v1', '/openapi/v3', '/version', '/healthz'])
      expect([path, (await as('stranger').get(path)).status]).toEqual([path, 200]);
  });

  test('is told of a bound role that does not exist', async () => {
    await admin.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'dangling' },
      roleRef: roleRef('ClusterRole', 'gone'),
      subjects: [user('dangler')],
    });
    expect((await as('dangler').get('/api/v1/nodes')).body.message).toMatch(
      /at the cluster scope: RBAC: clusterrole\.rbac\.authorization\.k8s\.io "gone" not found$/,
    );
  });
});

describe('roles', () => {
  test('take effect at once, and end at once', async () => {
    await bind('reader', [{ verbs: ['get', 'list'], apiGroups: [''], resources: ['configmaps'] }]);
    const reader = as('reader');
    expect((await reader.get(configMaps)).status).toBe(200);
    expect((await reader.post(configMaps, configMap('x'))).status).toBe(403);
    expect((await reader.get('/api/v1/namespaces/other/configmaps')).status).toBe(403);
    await admin.delete(`${local}/rolebindings/reader`);
    expect((await reader.get(configMaps)).status).toBe(403);
  });

  test('that name objects allow lists and watches of just these', async () => {
    await admin.post(configMaps, configMap('mine'));
    await bind('named', [
      {
        verbs: ['get', 'list', 'create', 'deletecollection'],
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['mine'],
      },
    ]);
    const named = as('named');
    expect((await named.get(`${configMaps}/mine`)).status).toBe(200);
    expect((await named.get(configMaps)).status).toBe(403);
    expect((await named.get(`${configMaps}?fieldSelector=metadata.name%3Dmine`)).status).toBe(200);
    const other = await named.get(`${configMaps}?fieldSelector=metadata.name%3Dother`);
    expect([other.status, other.body.details.name]).toEqual([403, 'other']);
    // a name that is still to be given cannot be allowed
    expect((await named.post(configMaps, configMap('mine'))).status).toBe(403);
    expect((await named.delete(`${configMaps}?fieldSelector=metadata.name%3Dmine`)).status).toBe(403);
  });

  test('that name objects do not allow an old path that tells the verb by what its query selects', async () => {
    await admin.post(configMaps, configMap('watched'));
    await bind('watcher', [
      { verbs: ['watch'], apiGroups: [''], resources: ['configmaps'], resourceNames: ['watched'] },
    ]);
    const watcher = as('watcher');
    const old = configMaps.replace('/api/v1/', '/api/v1/watch/');
    const select = 'fieldSelector=metadata.name%3Dwatched&timeoutSeconds=1';
    const statuses = [
      (await watcher.get(`${old}?${select}`)).status,
      (await watcher.get(`${old}/other?${select}`)).status,
      (await watcher.get(`${configMaps}?watch=1&fieldSelector=metadata.name%3Dother`)).status,
    ];
    expect(statuses).toEqual([403, 403, 403]);
    for (const path of [`${configMaps}?watch=1&${select}`, `${old}/watched?timeoutSeconds=1`]) {
      const user = { name: 'watcher', groups: ['system:authenticated'] };
      const answer = await server.fetch(path, { user });
      expect(answer.status).toBe(200);
      await answer.body?.cancel();
    }
  });

  test('of a namespace do not open resources of the cluster through it', async () => {
    await bind('wide', [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }]);
    const wide = as('wide');
    expect((await wide.get('/api/v1/namespaces/default/nodes')).status).toBe(404);
    expect((await wide.get(`${rbac}/namespaces/default/clusterroles/admin`)).status).toBe(404);
    expect((await wide.get('/api/v1/nodes')).status).toBe(403);
  });

  test('keep the role of a binding', async () => {
    await bind('kept', []);
    const path = `${local}/rolebindings/kept`;
    const changed = await admin.patch('merge', path, { roleRef: { name: 'other' } });
    expect([changed.status, changed.body.details.causes[0].field]).toEqual([422, 'roleRef']);
    expect(changed.body.message).toContain('cannot change roleRef');
  });
});

describe('granting', () => {
  test('more than one has is refused, for roles and for bindings', async () => {
    await bind('lead', [{ verbs: ['*'], apiGroups: [group], resources: ['roles', 'rolebindings'] }]);
    // * includes escalate and bind, which is too much for this test
    await admin.put(`${local}/roles/lead`, {
      metadata: { name: 'lead' },
      rules: [
        { verbs: ['create', 'update', 'get'], apiGroups: [group], resources: ['roles', 'rolebindings'] },
        { verbs: ['get'], apiGroups: [''], resources: ['configmaps'] },
      ],
    });
    const lead = as('lead');
    const made = (rules: object[], name: string) => lead.post(`${local}/roles`, { metadata: { name }, rules });
    expect((await made([{ verbs: ['get'], apiGroups: [''], resources: ['configmaps'] }], 'fine')).status).toBe(201);
    const refused = await made([{ verbs: ['get'], apiGroups: [''], resources: ['secrets'] }], 'more');
    expect([refused.status, refused.body.reason]).toEqual([403, 'Forbidden']);
    expect(refused.body.message).toBe(
      `roles.${group} "more" is forbidden: user "lead" (groups=["system:authenticated"]) is attempting to grant RBAC permissions not currently held:\n{APIGroups:[""], Resources:["secrets"], Verbs:["get"]}`,
    );
    const bindTo = (name: string) =>
      lead.post(`${local}/rolebindings`, {
        metadata: { name },
        roleRef: roleRef('ClusterRole', name),
        subjects: [user('lead')],
      });
    expect((await bindTo('cluster-admin')).status).toBe(403);
    expect((await bindTo('nowhere')).status).toBe(404);
    const widened = await lead.put(`${local}/roles/lead`, {
      metadata: { name: 'lead' },
      rules: [{ verbs: ['*'], apiGroups: ['*'], resources: ['*'] }],
    });
    expect(widened.status).toBe(403);
  });
});

describe('the default roles', () => {
  test('are there, aggregated, and follow new parts', async () => {
    const view = await admin.get(`${rbac}/clusterroles/view`);
    expect(view.body.metadata.annotations).toEqual({ 'rbac.authorization.kubernetes.io/autoupdate': 'true' });
    expect(view.body.rules.length).toBeGreaterThan(8);
    const admins = await admin.get(`${rbac}/clusterroles/admin`);
    expect(JSON.stringify(admins.body.rules)).toContain('localsubjectaccessreviews');
    expect(admins.body.rules.length).toBeGreaterThan(view.body.rules.length);
    await admin.post(`${rbac}/clusterroles`, {
      metadata: { name: 'more-to-view', labels: { [`${group}/aggregate-to-view`]: 'true' } },
      rules: [{ verbs: ['get'], apiGroups: ['example.org'], resources: ['widgets'] }],
    });
    await expect
      .poll(async () => JSON.stringify((await admin.get(`${rbac}/clusterroles/admin`)).body.rules))
      .toContain('widgets');
  });

  test('let an admin of a namespace work there', async () => {
    await admin.post(`${local}/rolebindings`, {
      metadata: { name: 'boss' },
      roleRef: roleRef('ClusterRole', 'admin'),
      subjects: [user('boss')],
    });
    expect((await as('boss').post(configMaps, configMap('by-boss'))).status).toBe(201);
    expect((await as('boss').get('/api/v1/namespaces/default')).status).toBe(200);
    expect((await as('boss').get('/api/v1/nodes')).status).toBe(403);
  });
});

describe('what the default roles let people do in a namespace', () => {
  const roles = ['view', 'edit', 'admin'] as const;
  beforeAll(async () => {
    for (const name of roles) {
      await admin.post(`${local}/rolebindings`, {
        metadata: { name: `a-${name}` },
        roleRef: roleRef('ClusterRole', name),
        subjects: [user(`a-${name}`)],
      });
    }
  });

  const may = async (name: string, attributes: object) => {
    const spec = { user: name, groups: ['system:authenticated'], ...attributes };
    const body = { kind: 'SubjectAccessReview', apiVersion: 'authorization.k8s.io/v1', spec };
    return (await admin.post('/apis/authorization.k8s.io/v1/subjectaccessreviews', body)).body.status
      .allowed as boolean;
  };

  test.each([
    ['get', 'pods', 'view edit admin'],
    ['get', 'pods/log', 'view edit admin'],
    ['get', 'pods/exec', 'edit admin'],
    ['create', 'pods/exec', 'edit admin'],
    ['create', 'pods/eviction', 'edit admin'],
    ['update', 'pods/status', ''],
    ['get', 'configmaps', 'view edit admin'],
    ['update', 'configmaps', 'edit admin'],
    ['get', 'secrets', 'edit admin'],
    ['list', 'secrets', 'edit admin'],
    ['deletecollection', 'secrets', 'edit admin'],
    ['create', 'serviceaccounts/token', 'edit admin'],
    ['impersonate', 'serviceaccounts', 'edit admin'],
    ['get', 'serviceaccounts', 'view edit admin'],
    ['get', 'resourcequotas', 'view edit admin'],
    ['update', 'resourcequotas', ''],
    ['update', 'limitranges', ''],
    ['get', 'namespaces', 'view edit admin'],
    ['delete', 'namespaces', ''],
    ['create', 'endpoints', ''],
    ['create', 'bindings', ''],
    ['get', 'apps/deployments', 'view edit admin'],
    ['patch', 'apps/deployments', 'edit admin'],
    ['update', 'apps/deployments/scale', 'edit admin'],
    ['update', 'apps/deployments/status', ''],
    ['create', 'apps/controllerrevisions', ''],
    ['create', 'batch/jobs', 'edit admin'],
    ['get', 'coordination.k8s.io/leases', 'edit admin'],
    ['create', 'coordination.k8s.io/leases', 'edit admin'],
    ['create', 'discovery.k8s.io/endpointslices', ''],
    ['get', 'rbac.authorization.k8s.io/roles', 'admin'],
    ['create', 'rbac.authorization.k8s.io/rolebindings', 'admin'],
    ['bind', 'rbac.authorization.k8s.io/roles', ''],
    ['escalate', 'rbac.authorization.k8s.io/roles', ''],
    ['create', 'authorization.k8s.io/localsubjectaccessreviews', 'admin'],
    ['get', 'resource.k8s.io/resourceclaims', 'view edit admin'],
    ['update', 'resource.k8s.io/resourceclaims/status', ''],
  ])('%s %s: %s', async (verb, what, allowed) => {
    const parts = what.split('/');
    const isGrouped = /^(apps|batch|.*\.k8s\.io)$/.test(parts[0] as string);
    const [resource, subresource = ''] = isGrouped ? parts.slice(1) : parts;
    const resourceAttributes = { verb, group: isGrouped ? parts[0] : '', resource, subresource, namespace: 'default' };
    const found = await Promise.all(roles.map((name) => may(`a-${name}`, { resourceAttributes })));
    expect(roles.filter((_, index) => found[index]).join(' ')).toBe(allowed);
    expect(await may('a-admin', { resourceAttributes: { ...resourceAttributes, namespace: 'other' } })).toBe(false);
  });

  test('a client, known or not, sees only what is public', async () => {
    const paths = async (spec: object) => {
      const all = ['/healthz', '/version', '/api', '/openapi/v3', '/metrics', '/logs'];
      const found = await Promise.all(
        all.map((path) => may('x', { ...spec, nonResourceAttributes: { verb: 'get', path } })),
      );
      return all.filter((_, index) => found[index]);
    };
    expect(await paths({ groups: ['system:unauthenticated'] })).toEqual(['/healthz', '/version']);
    expect(await paths({})).toEqual(['/healthz', '/version', '/api', '/openapi/v3']);
    expect(await paths({ groups: ['system:monitoring'] })).toEqual(['/healthz', '/metrics']);
    expect(await paths({ groups: ['system:masters'] })).toHaveLength(6);
  });
});

describe('the next start', () => {
  test('completes default roles, keeps what was added, and leaves alone what says so', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'keelson-roles-'));
    const options = { listen: false, store: 'embedded', dataDir } as const;
    const auto = 'rbac.authorization.kubernetes.io/autoupdate';
    const own = { verbs: ['get'], apiGroups: ['example.org'], resources: ['widgets'] };
    const merge = { 'content-type': 'application/merge-patch+json' };
    const patch = (api: Api, path: string, body: object) => api.call('PATCH', `${rbac}/${path}`, body, merge);
    {
      await using first = await startTestServer(options);
      const api = apiOf(first);
      await patch(api, 'clusterroles/system:basic-user', { rules: [own] });
      await patch(api, 'clusterroles/system:discovery', {
        rules: [own],
        metadata: { annotations: { [auto]: 'false' } },
      });
      await patch(api, 'clusterrolebindings/system:basic-user', { subjects: [user('ann')] });
      await api.delete(`${rbac}/clusterroles/system:heapster`);
      await api.delete(`${rbac}/clusterrolebindings/system:discovery`);
    }
    await using second = await startTestServer(options);
    const api = apiOf(second);
    const get = async (path: string) => (await api.get(`${rbac}/${path}`)).body;
    const rules = (await get('clusterroles/system:basic-user')).rules as { resources: string[] }[];
    expect(rules[0]).toEqual(own);
    expect(rules.slice(1).flatMap(({ resources }) => resources)).toEqual([
      'selfsubjectaccessreviews',
      'selfsubjectrulesreviews',
      'selfsubjectreviews',
    ]);
    expect((await get('clusterroles/system:discovery')).rules).toEqual([own]);
    expect(
      (await get('clusterrolebindings/system:basic-user')).subjects.map((one: { name: string }) => one.name),
    ).toEqual(['ann', 'system:authenticated']);
    expect((await get('clusterroles/system:heapster')).rules).toHaveLength(2);
    expect((await get('clusterrolebindings/system:discovery')).roleRef.name).toBe('system:discovery');
    await second.close();
    rmSync(dataDir, { recursive: true });
  });
});

describe('modes', () => {
  test('ABAC goes by its file', async () => {
    const path = join(mkdtempSync(join(tmpdir(), 'keelson-abac-')), 'policies');
    const spec = { user: 'ann', namespace: 'default', resource: 'configmaps', readonly: true };
    writeFileSync(
      path,
      JSON.stringify({ apiVersion: 'abac.authorization.kubernetes.io/v1beta1', kind: 'Policy', spec }),
    );
    try {
      const options = { listen: false, authorizationModes: ['ABAC'], authorizationPolicyFile: path } as const;
      await using abac = await startTestServer(options);
      const ann = { name: 'ann', groups: ['system:authenticated'] };
      expect((await abac.fetch(configMaps, { user: ann })).status).toBe(200);
      const refused = await abac.fetch('/api/v1/namespaces/default/secrets', { user: ann });
      expect(await refused.json()).toMatchObject({
        code: 403,
        message: expect.stringMatching(/: No policy matched\.$/),
      });
    } finally {
      rmSync(dirname(path), { recursive: true });
    }
    await expect(startTestServer({ listen: false, authorizationModes: ['ABAC'] })).rejects.toThrow(
      'authorizationPolicyFile',
    );
  });

  test('without roles every known user may do everything, or nothing', async () => {
    await using open = await startTestServer({ listen: false, authorizationModes: ['AlwaysAllow'] });
    const known = { name: 'x', groups: ['system:authenticated'] };
    expect((await open.fetch('/api/v1/secrets', { user: known })).status).toBe(200);
    await using closed = await startTestServer({ listen: false, authorizationModes: ['AlwaysDeny'] });
    expect((await closed.fetch('/api', { user: known })).status).toBe(403);
    expect((await closed.fetch('/api')).status).toBe(200);
  });
});

describe('policies that read parameters', () => {
  const policies = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicies';
  const bindings = '/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings';
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const policy = (name: string, spec: object = { paramKind }) => ({
    metadata: { name },
    spec: {
      matchConstraints: {
        resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }],
      },
      validations: [{ expression: 'true' }],
      ...spec,
    },
  });
  const binding = (name: string, paramRef: object) => ({
    metadata: { name },
    spec: {
      policyName: 'known',
      paramRef: { parameterNotFoundAction: 'Deny', ...paramRef },
      validationActions: ['Deny'],
    },
  });
  const reads = { apiGroups: [''], resources: ['configmaps'], verbs: ['get'] };

  beforeAll(async () => {
    const rules = [{ apiGroups: ['admissionregistration.k8s.io'], resources: ['*'], verbs: ['*'] }];
    await admin.post(`${rbac}/clusterroles`, { metadata: { name: 'policy-author' }, rules });
    await admin.post(`${rbac}/clusterroles`, { metadata: { name: 'parameter-reader' }, rules: [reads] });
    const bound = (name: string, role: string, ...names: string[]) =>
      admin.post(`${rbac}/clusterrolebindings`, {
        metadata: { name },
        roleRef: roleRef('ClusterRole', role),
        subjects: names.map(user),
      });
    await bound('authors', 'policy-author', 'author', 'reader', 'local');
    await bound('readers', 'parameter-reader', 'reader');
    await bind('local-reader', [{ ...reads, resourceNames: ['mine'] }], 'local');
    expect((await admin.post(policies, policy('known'))).status).toBe(201);
  });

  test('are for those who may read all of them', async () => {
    const refused = await as('author').post(policies, policy('refused'));
    expect(refused.status).toBe(422);
    expect(refused.body.details.causes).toEqual([
      {
        reason: 'FieldValueForbidden',
        field: 'spec.paramKind',
        message:
          'Forbidden: user &{author  [system:authenticated] map[]} must have "get" permission on all objects of the referenced paramKind (kind=ConfigMap, apiVersion=v1)',
      },
    ]);
    expect((await as('reader').post(policies, policy('allowed'))).status).toBe(201);
    expect((await as('author').post(policies, policy('plain', {}))).status).toBe(201);
  });

  test('of a kind that is not served are for those who may read everything', async () => {
    const odd = policy('odd', { paramKind: { apiVersion: 'a.example/v1', kind: 'Odd' } });
    expect((await as('reader').post(policies, odd)).status).toBe(422);
    expect((await admin.post(policies, odd)).status).toBe(201);
  });

  test('may be changed by others as long as they read the same', async () => {
    const path = `${policies}/known`;
    const changed = await as('author').patch('merge', path, { metadata: { labels: { a: 'b' } } });
    expect(changed.status).toBe(200);
    const other = await as('author').patch('merge', path, { spec: { paramKind: { kind: 'Secret' } } });
    expect(other.status).toBe(422);
  });

  test('are bound by those who may read the ones that are named', async () => {
    const mine = binding('b', { namespace: 'default', name: 'mine' });
    expect((await as('author').post(bindings, mine)).body.details.causes[0]).toMatchObject({
      field: 'spec.paramRef',
      message: expect.stringContaining('does not have "get" permission on the object referenced by paramRef'),
    });
    expect((await as('local').post(bindings, mine)).status).toBe(201);
    expect((await as('local').post(bindings, binding('c', { namespace: 'default', name: 'yours' }))).status).toBe(422);
  });
});
