// What Kubernetes' own tests of admission ask for, case by case, where no other test here does.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { AdmissionHooks, allow, configurations, install, patchOf } from './admission-hooks.ts';
import { type Api, apiOf } from './api.ts';
import { definitions } from './definition-shapes.ts';
import { eventually } from './eventually.ts';

const group = 'stable.example.com';
const widgets = (version: string) => `/apis/${group}/${version}/namespaces/custom/widgets`;

let server: Server;
let api: Api;
let hooks: AdmissionHooks;
beforeAll(async () => {
  hooks = await AdmissionHooks.open();
  server = await startTestServer({ listen: false });
  api = apiOf(server);
  await api.post('/api/v1/namespaces', { metadata: { name: 'custom' } });
  await define();
});
afterAll(async () => {
  await server.close();
  await hooks[Symbol.asyncDispose]();
});

const data = {
  type: 'object',
  properties: { start: { type: 'string' }, first: { type: 'string' }, last: { type: 'string' } },
};
const version = (name: string, storage: boolean) => ({
  ...{ name, storage, served: true },
  schema: { openAPIV3Schema: { type: 'object', properties: { data } } },
});

async function define(): Promise<void> {
  const names = { kind: 'Widget', plural: 'widgets' };
  const spec = { group, scope: 'Namespaced', names, versions: [version('v1', true), version('v2', false)] };
  expect((await api.post(definitions, { metadata: { name: `widgets.${group}` }, spec })).status).toBe(201);
  await eventually(async () => expect((await api.get(widgets('v1'))).status).toBe(200));
}

const rulesFor = (operations: readonly string[], apiVersions = ['v1']) => ({
  rules: [{ operations, apiGroups: [group], apiVersions, resources: ['widgets'] }],
});
const remove = (type: keyof typeof configurations, name: string) => api.delete(`${configurations[type]}/${name}`);
const widget = (name: string, more: object = {}) => ({
  ...{ apiVersion: `${group}/v1`, kind: 'Widget' },
  metadata: { name },
  data: { start: 'yes', ...more },
});

describe('custom resources', () => {
  test('are refused on create, update and delete by what they hold', async () => {
    await api.post(widgets('v1'), widget('old'));
    const judge = hooks.hook(
      '/custom/deny',
      ({ request }) => {
        const { data: said } = request.operation === 'DELETE' ? request.oldObject : request.object;
        const isBad = said.first === 'bad' || request.operation === 'DELETE';
        return isBad ? { allowed: false, status: { message: `no ${request.operation}` } } : allow;
      },
      rulesFor(['CREATE', 'UPDATE', 'DELETE']),
    );
    await install(api, 'validating', 'deny-custom', judge);
    const denied = (operation: string) =>
      `admission webhook "custom-deny.hooks.example.com" denied the request: no ${operation}`;
    const created = await api.post(widgets('v1'), widget('bad', { first: 'bad' }));
    expect([created.status, created.body.message]).toEqual([400, denied('CREATE')]);
    const updated = await api.patch('merge', `${widgets('v1')}/old`, { data: { first: 'bad' } });
    expect([updated.status, updated.body.message]).toEqual([400, denied('UPDATE')]);
    expect((await api.delete(`${widgets('v1')}/old`)).body.message).toBe(denied('DELETE'));
    const all = await api.delete(widgets('v1'));
    expect([all.status, all.body.message]).toEqual([400, denied('DELETE')]);
    await remove('validating', 'deny-custom');
    expect((await api.delete(`${widgets('v1')}/old`)).status).toBe(200);
  });

  test('are changed, and what a change adds beyond the schema is pruned', async () => {
    const change = hooks.hook(
      '/custom/change',
      () =>
        patchOf(
          { op: 'add', path: '/data/first', value: 'stage 1' },
          { op: 'add', path: '/data/unknown', value: 'stage 1' },
        ),
      rulesFor(['CREATE', 'UPDATE']),
    );
    await install(api, 'mutating', 'change-custom', change);
    const { body } = await api.post(widgets('v1'), widget('changed'));
    expect(body.data).toEqual({ start: 'yes', first: 'stage 1' });
    // the version of the rule is what webhooks see, whatever the client wrote and whatever is stored
    const other = await api.post(widgets('v2'), { ...widget('other'), apiVersion: `${group}/v2` });
    expect([other.body.apiVersion, other.body.data]).toEqual([`${group}/v2`, { start: 'yes', first: 'stage 1' }]);
    expect(hooks.asked('/custom/change').map(({ object }) => object.apiVersion)).toEqual([
      `${group}/v1`,
      `${group}/v1`,
    ]);
    await remove('mutating', 'change-custom');
  });

  test('keep what a webhook says when the version they are stored in changes', async () => {
    const change = hooks.hook(
      '/custom/stored',
      () => patchOf({ op: 'add', path: '/data/last', value: 'stage 2' }),
      rulesFor(['CREATE', 'UPDATE'], ['v1', 'v2']),
    );
    await install(api, 'mutating', 'stored-custom', change);
    await api.post(widgets('v1'), widget('moving'));
    const versions = [version('v1', false), version('v2', true)];
    const moved = await api.patch('merge', `${definitions}/widgets.${group}`, { spec: { versions } });
    expect(moved.status).toBe(200);
    const touched = await api.patch('merge', `${widgets('v2')}/moving`, { data: { first: 'touched' } });
    expect(touched.body.data).toEqual({ start: 'yes', first: 'touched', last: 'stage 2' });
    await remove('mutating', 'stored-custom');
  });
});

test('definitions of kinds are refused like any object', async () => {
  const rules = [
    {
      operations: ['*'],
      apiGroups: ['apiextensions.k8s.io'],
      apiVersions: ['*'],
      resources: ['customresourcedefinitions'],
    },
  ];
  const no = hooks.hook('/crds/deny', () => ({ allowed: false, status: { message: 'no kinds' } }), {
    ...{ rules, namespaceSelector: {}, objectSelector: { matchLabels: { refused: 'yes' } } },
  });
  await install(api, 'validating', 'deny-definitions', no);
  const names = { kind: 'Gadget', plural: 'gadgets' };
  const { status, body } = await api.post(definitions, {
    metadata: { name: `gadgets.${group}`, labels: { refused: 'yes' } },
    spec: { group, scope: 'Namespaced', names, versions: [version('v1', true)] },
  });
  expect([status, body.message]).toEqual([
    400,
    'admission webhook "crds-deny.hooks.example.com" denied the request: no kinds',
  ]);
  await remove('validating', 'deny-definitions');
});

test('attaching to a pod is refused', async () => {
  const rules = [{ operations: ['CONNECT'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods/attach'] }];
  const no = hooks.hook(
    '/custom/attach',
    () => ({ allowed: false, status: { message: 'attaching to pod is not allowed' } }),
    { rules },
  );
  await install(api, 'validating', 'deny-attach', no);
  const { status, body } = await api.call('POST', '/api/v1/namespaces/custom/pods/p/attach?container=c&stdin=true');
  expect([status, body.message]).toEqual([
    400,
    'admission webhook "custom-attach.hooks.example.com" denied the request: attaching to pod is not allowed',
  ]);
  await remove('validating', 'deny-attach');
});

test('a refused write is refused by any verb that makes it', async () => {
  const maps = '/api/v1/namespaces/custom/configmaps';
  await api.post(maps, { metadata: { name: 'written' } });
  const no = hooks.hook('/custom/maps', ({ request }) =>
    request.object.data?.word === 'bad' ? { allowed: false, status: { message: 'a bad word' } } : allow,
  );
  await install(api, 'validating', 'deny-maps', no);
  const bad = { data: { word: 'bad' } };
  const why = 'admission webhook "custom-maps.hooks.example.com" denied the request: a bad word';
  const apply = (name: string) => {
    const body = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, ...bad };
    return api.call('PATCH', `${maps}/${name}?fieldManager=m`, body, {
      'content-type': 'application/apply-patch+yaml',
    });
  };
  const answers = [
    await api.post(maps, { metadata: { name: 'new' }, ...bad }),
    await api.put(`${maps}/written`, { metadata: { name: 'written' }, ...bad }),
    await api.patch('merge', `${maps}/written`, bad),
    await apply('written'),
    await apply('applied'),
  ];
  expect(answers.map(({ status, body }) => [status, body.message])).toEqual(answers.map(() => [400, why]));
  await remove('validating', 'deny-maps');
});

test('owners that a webhook names twice count once, and the client is told', async () => {
  const maps = '/api/v1/namespaces/custom/configmaps';
  const owner = { apiVersion: 'v1', kind: 'ConfigMap', name: 'o', uid: '4e8f6c1c-0000-4000-8000-000000000001' };
  const twice = hooks.hook(
    '/custom/owners',
    () => patchOf({ op: 'add', path: '/metadata/ownerReferences', value: [owner, owner] }),
    {
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] }],
    },
  );
  await install(api, 'mutating', 'owners', twice);
  const { body, headers } = await api.post(`${maps}?dryRun=All`, { metadata: { name: 'owned' } });
  expect(body.metadata.ownerReferences).toEqual([owner]);
  expect(headers.get('warning')).toContain(
    `.metadata.ownerReferences contains duplicate entries after mutating admission happens; API server dedups owner references in 1.20+, and may reject such requests as early as 1.24; please fix your requests; duplicate UID(s) observed: ${owner.uid}`,
  );
  await remove('mutating', 'owners');
});

test('a webhook that refuses everything can be changed, and removed with all others at once', async () => {
  const rules = [{ operations: ['*'], apiGroups: ['*'], apiVersions: ['*'], resources: ['*/*'] }];
  for (const type of ['mutating', 'validating'] as const) {
    const all = hooks.hook(`/custom/${type}`, () => ({ allowed: false }), { rules, failurePolicy: 'Fail' });
    await install(api, type, `all-${type}`, all);
    const path = `${configurations[type]}/all-${type}`;
    expect((await api.patch('merge', path, { metadata: { labels: { made: 'here' } } })).status).toBe(200);
  }
  const blocked = await api.post('/api/v1/namespaces/custom/configmaps', { metadata: { name: 'blocked' } });
  expect(blocked.body.message).toBe(
    'admission webhook "custom-mutating.hooks.example.com" denied the request without explanation',
  );
  for (const type of ['mutating', 'validating'] as const)
    expect((await api.delete(`${configurations[type]}?labelSelector=made=here`)).status).toBe(200);
  expect((await api.post('/api/v1/namespaces/custom/configmaps', { metadata: { name: 'free' } })).status).toBe(201);
});
