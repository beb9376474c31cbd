// Server-side apply asks for the right to create where it creates.

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
