// What Kubernetes' own tests of validating policies ask for, where no other test here does.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { bindings, bindPolicy, policies, policy } from './policies.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

async function remove(name: string): Promise<void> {
  await api.delete(`${bindings}/${name}`);
  await api.delete(`${policies}/${name}`);
}

const rule = (more: object = {}) => ({
  ...{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['configmaps'] },
  ...more,
});
const never = [{ expression: 'false', message: 'never' }];
const create = async (name: string, more: object = {}, path = configMaps) =>
  (await api.post(`${path}?dryRun=All`, { ...configMap(name), ...more })).status;

test('a rule may name objects', async () => {
  const matchConstraints = { resourceRules: [rule({ resourceNames: ['named'] })] };
  await policy(api, 'names', { matchConstraints, validations: never });
  await bindPolicy(api, 'names');
  expect([await create('named'), await create('other')]).toEqual([422, 201]);
  await remove('names');
});

test('rules of the policy and of the binding leave objects out', async () => {
  const excluded = { excludeResourceRules: [rule({ resourceNames: ['spared'] })] };
  await policy(api, 'excluding', { matchConstraints: { resourceRules: [rule()], ...excluded }, validations: never });
  await bindPolicy(api, 'excluding');
  expect([await create('spared'), await create('other')]).toEqual([201, 422]);
  const matchResources = { excludeResourceRules: [rule({ resourceNames: ['other'] })] };
  await api.patch('merge', `${bindings}/excluding`, { spec: { matchResources } });
  expect([await create('spared'), await create('other'), await create('third')]).toEqual([201, 201, 422]);
  await remove('excluding');
});

test('a rule about one version is about the others only where it says so', async () => {
  const scaler = {
    metadata: { name: 'h' },
    spec: { maxReplicas: 2, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
  };
  const path = (version: string) =>
    `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers?dryRun=All`;
  const resourceRules = [
    rule({ apiGroups: ['autoscaling'], apiVersions: ['v1'], resources: ['horizontalpodautoscalers'] }),
  ];
  for (const [matchPolicy, ofOther] of [
    ['Exact', 201],
    ['Equivalent', 422],
  ] as const) {
    const name = `versions-${matchPolicy.toLowerCase()}`;
    await policy(api, name, { matchConstraints: { matchPolicy, resourceRules }, validations: never });
    await bindPolicy(api, name);
    const answers = [await api.post(path('v1'), scaler), await api.post(path('v2'), scaler)];
    expect(answers.map(({ status }) => status)).toEqual([422, ofOther]);
    await remove(name);
  }
});

test('parameters count as they are now: changed, removed, made again, of another kind', async () => {
  const paramKind = { apiVersion: 'v1', kind: 'ConfigMap' };
  const validations = [{ expression: 'object.metadata.name.startsWith(params.metadata.labels.prefix)' }];
  await api.post(configMaps, configMap('rules', {}, { labels: { prefix: 'a' } }));
  await policy(api, 'params', { paramKind, validations });
  const paramRef = { name: 'rules', namespace: 'default', parameterNotFoundAction: 'Deny' };
  await bindPolicy(api, 'params', { spec: { paramRef } });
  const answers = async () => [await create('a-1'), await create('b-1')];
  expect(await answers()).toEqual([201, 422]);
  await api.delete(`${configMaps}/rules`);
  const { status, body } = await api.post(`${configMaps}?dryRun=All`, configMap('a-1'));
  expect([status, body.message]).toEqual([
    422,
    "configmaps \"a-1\" is forbidden: ValidatingAdmissionPolicy 'params' with binding 'params' denied request: failed to configure binding: no params found for policy binding with `Deny` parameterNotFoundAction",
  ]);
  await api.patch('merge', `${bindings}/params`, { spec: { paramRef: { name: 'others' } } });
  // what the policy is about could not be made while its parameter is missing
  await api.patch('merge', `${policies}/params`, { spec: { paramKind: { apiVersion: 'v1', kind: 'Secret' } } });
  const secret = { metadata: { name: 'others', labels: { prefix: 'b' } } };
  expect((await api.post('/api/v1/namespaces/default/secrets', secret)).status).toBe(201);
  expect(await answers()).toEqual([422, 201]);
  await remove('params');
});

test('several bindings of one policy are each about what they say', async () => {
  await api.post('/api/v1/namespaces', { metadata: { name: 'second' } });
  await policy(api, 'bound', { validations: never });
  await bindPolicy(api, 'bound-warns', {
    policyName: 'bound',
    namespace: 'default',
    spec: { validationActions: ['Warn'] },
  });
  await bindPolicy(api, 'bound-denies', { policyName: 'bound', namespace: 'second' });
  const warned = await api.post(`${configMaps}?dryRun=All`, configMap('x'));
  expect([warned.status, warned.headers.get('warning')]).toEqual([
    201,
    "299 - \"Validation failed for ValidatingAdmissionPolicy 'bound' with binding 'bound-warns': never\"",
  ]);
  expect((await api.post('/api/v1/namespaces/second/configmaps', { metadata: { name: 'x' } })).body.message).toBe(
    "configmaps \"x\" is forbidden: ValidatingAdmissionPolicy 'bound' with binding 'bound-denies' denied request: never",
  );
  for (const name of ['bound-warns', 'bound-denies']) await api.delete(`${bindings}/${name}`);
  await api.delete(`${policies}/bound`);
});

test('rights of other accounts can be asked for', async () => {
  const role = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  await api.post(`${role}/roles`, {
    metadata: { name: 'reader' },
    rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['shared'] }],
  });
  await api.post(`${role}/rolebindings`, {
    metadata: { name: 'reader' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
    subjects: [{ kind: 'ServiceAccount', name: 'robot', namespace: 'default' }],
  });
  const asked =
    "authorizer.serviceAccount('default', object.data.as).group('').resource('secrets').namespace('default')";
  const validations = [{ expression: `${asked}.name(object.data.secret).check('get').allowed()` }];
  await policy(api, 'rights', { validations });
  await bindPolicy(api, 'rights');
  const ask = (as: string, secret: string) => create('asks', { data: { as, secret } });
  expect([await ask('robot', 'shared'), await ask('robot', 'other'), await ask('stranger', 'shared')]).toEqual([
    201, 422, 422,
  ]);
  await remove('rights');
});

test('variables are composed, and one that fails fails only what reads it', async () => {
  const variables = [
    { name: 'size', expression: 'size(object.data)' },
    { name: 'twice', expression: 'variables.size * 2' },
    { name: 'broken', expression: "object.missing == 'x'" },
  ];
  await policy(api, 'variables', {
    variables,
    validations: [
      { expression: 'variables.twice < 4', messageExpression: "'too many: ' + string(variables.twice)" },
      { expression: "object.metadata.name != 'reads' || variables.broken" },
    ],
  });
  await bindPolicy(api, 'variables');
  const write = async (name: string, data: object) =>
    (await api.post(`${configMaps}?dryRun=All`, { ...configMap(name), data })).body.message;
  const denied = (name: string, why: string) =>
    `configmaps "${name}" is forbidden: ValidatingAdmissionPolicy 'variables' with binding 'variables' denied request: ${why}`;
  expect(await write('few', { a: '' })).toBeUndefined();
  expect(await write('many', { a: '', b: '' })).toBe(denied('many', 'too many: 4'));
  expect(await write('reads', { a: '' })).toBe(
    denied(
      'reads',
      "expression 'object.metadata.name != 'reads' || variables.broken' resulted in error: composited variable \"broken\" fails to evaluate: no such key: missing",
    ),
  );
  await remove('variables');
});
