// Every write that may create asks for the right to create: server-side apply, and PUT of a missing name.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';

test('who may only patch cannot create by an apply', async () => {
  await using server = await startTestServer({ listen: false, controllers: [] });
  const api = apiOf(server);
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['patch'] }];
  expect((await api.post(`${rbac}/roles`, { metadata: { name: 'patcher' }, rules })).status).toBe(201);
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'patcher' };
  const subjects = [{ kind: 'User', name: 'jane' }];
  const bound = await api.post(`${rbac}/rolebindings`, { metadata: { name: 'patcher' }, roleRef, subjects });
  expect(bound.status).toBe(201);
  const path = '/api/v1/namespaces/default/configmaps/made?fieldManager=test';
  const apply = (data: object) =>
    server.fetch(path, {
      method: 'PATCH',
      headers: { 'content-type': 'application/apply-patch+yaml' },
      body: JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'made' }, data }),
      user: { name: 'jane', groups: ['system:authenticated'] },
    });
  expect((await apply({ a: '1' })).status).toBe(403);
  await api.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'made' } });
  expect((await apply({ a: '1' })).status).toBe(200);
});

const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default/roles';
const core = '/api/v1/namespaces/default';

test.each([
  ['leases', 'coordination.k8s.io', leases, { spec: {} }],
  ['services', '', `${core}/services`, { spec: { ports: [{ port: 80 }] } }],
  ['limitranges', '', `${core}/limitranges`, { spec: { limits: [] } }],
  ['roles', 'rbac.authorization.k8s.io', roles, { rules: [] }],
])('who may only update %s cannot create them by a PUT or an apply', async (resource, group, path, content) => {
  await using server = await startTestServer({ listen: false, controllers: [] });
  const api = apiOf(server);
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const rules = [{ apiGroups: [group], resources: [resource], verbs: ['get', 'update', 'patch'] }];
  await api.post(`${rbac}/roles`, { metadata: { name: 'updater' }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'updater' };
  const subjects = [{ kind: 'User', name: 'jane' }];
  await api.post(`${rbac}/rolebindings`, { metadata: { name: 'updater' }, roleRef, subjects });
  const user = { name: 'jane', groups: ['system:authenticated'] };
  const jane = apiOf({ fetch: (input, init) => server.fetch(input, { ...init, user }) });
  const refusal = {
    status: 403,
    body: {
      reason: 'Forbidden',
      message: `${resource}${group === '' ? '' : `.${group}`} "via-put" is forbidden: User "jane" cannot create resource "${resource}" in API group "${group}" in the namespace "default"`,
    },
  };
  const object = { metadata: { name: 'via-put' }, ...content };
  expect(await jane.put(`${path}/via-put`, object)).toMatchObject(refusal);
  expect(await jane.put(`${path}/via-put?dryRun=All`, object)).toMatchObject(refusal);
  // an object that validation would refuse is no other answer
  expect(
    await jane.put(`${path}/via-put`, { ...object, metadata: { name: 'via-put', labels: { a: '!' } } }),
  ).toMatchObject(refusal);
  const { kind, apiVersion } = (await api.get(path)).body;
  const configuration = { ...object, apiVersion, kind: kind.replace(/List$/, '') };
  const type = { 'content-type': 'application/apply-patch+yaml' };
  expect(await jane.call('PATCH', `${path}/via-put?fieldManager=t`, configuration, type)).toMatchObject(refusal);
  expect((await api.put(`${path}/via-put`, object)).status).toBe(201);
  const { resourceVersion } = (await jane.get(`${path}/via-put`)).body.metadata;
  expect(
    (
      await jane.put(`${path}/via-put`, {
        ...object,
        metadata: { name: 'via-put', resourceVersion, labels: { a: 'b' } },
      })
    ).status,
  ).toBe(200);
});
