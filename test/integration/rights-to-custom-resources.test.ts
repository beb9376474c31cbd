// Roles for custom resources: by resource, by name and by subresource, as for built-in ones. Spec: "Role-based access control".

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { definitionOf, definitions } from './definition-shapes.ts';
import { eventually } from './eventually.ts';

const group = 'example.com';
const objects = (plural: string, namespace = 'default') => `/apis/${group}/v1/namespaces/${namespace}/${plural}`;
const [mine, other] = [`${objects('pots')}/mine`, `${objects('pots')}/other`];
const roles = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';

let server: Server;
let admin: Api;

async function define(plural: string, kind: string): Promise<void> {
  const scale = { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' };
  const version = { subresources: { status: {}, scale } };
  await admin.post(definitions, definitionOf({ plural, kind, group, version }));
  await eventually(async () => expect((await admin.get(objects(plural))).status).toBe(200));
  for (const name of ['mine', 'other']) {
    const object = { kind, apiVersion: `${group}/v1`, metadata: { name }, spec: { replicas: 1 } };
    expect((await admin.post(objects(plural), object)).status).toBe(201);
  }
}

beforeAll(async () => {
  server = await startTestServer({ listen: false });
  admin = apiOf(server);
  await define('pots', 'Pot');
  await define('lids', 'Lid');
});
afterAll(() => server.close());

/** A user who has a role in the namespace `default`, and no other. */
async function userWith(name: string, ...rules: object[]): Promise<Api> {
  const subjects = [{ kind: 'User', name }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name };
  const whole = rules.map((rule) => ({ apiGroups: [group], ...rule }));
  expect((await admin.post(`${roles}/roles`, { metadata: { name }, rules: whole })).status).toBe(201);
  expect((await admin.post(`${roles}/rolebindings`, { metadata: { name }, roleRef, subjects })).status).toBe(201);
  return apiOf({
    fetch: (input, init) => server.fetch(input, { ...init, user: { name, groups: ['system:authenticated'] } }),
  });
}

const statusOf = async (answer: ReturnType<Api['get']>) => (await answer).status;
const merge = (api: Api, path: string, body: object) => statusOf(api.patch('merge', path, body));

test('a role for a resource opens all of its objects in its namespace, and no other resource', async () => {
  const user = await userWith('by-resource', { verbs: ['get', 'list', 'watch'], resources: ['pots'] });
  const watch = `${objects('pots')}?watch=1&timeoutSeconds=1&fieldSelector=metadata.name%3Dnone`;
  for (const path of [mine, other, objects('pots'), watch])
    expect([path, await statusOf(user.get(path))]).toEqual([path, 200]);
  for (const path of [objects('lids'), `${objects('lids')}/mine`, objects('pots', 'other'), `/apis/${group}/v1/pots`])
    expect([path, await statusOf(user.get(path))]).toEqual([path, 403]);
  expect(await merge(user, mine, { spec: { replicas: 2 } })).toBe(403);
  expect(await statusOf(user.delete(mine))).toBe(403);
});

test('a role for a name opens the object of that name, and lists that ask for nothing else', async () => {
  const verbs = ['get', 'list', 'watch', 'patch', 'create', 'delete', 'deletecollection'];
  const user = await userWith('by-name', { verbs, resources: ['pots'], resourceNames: ['mine'] });
  const only = (name: string) => `${objects('pots')}?fieldSelector=metadata.name%3D${name}`;
  expect(await statusOf(user.get(mine))).toBe(200);
  expect(await merge(user, mine, { spec: { color: 'red' } })).toBe(200);
  const refused = await user.get(other);
  expect([refused.status, refused.body.message]).toEqual([
    403,
    `pots.${group} "other" is forbidden: User "by-name" cannot get resource "pots" in API group "${group}" in the namespace "default"`,
  ]);
  expect(await merge(user, other, {})).toBe(403);
  expect(await statusOf(user.delete(other))).toBe(403);
  expect(await statusOf(user.get(objects('pots')))).toBe(403);
  expect(await statusOf(user.get(`${objects('pots')}?watch=1`))).toBe(403);
  const list = await user.get(only('mine'));
  expect([list.status, list.body.items.length]).toEqual([200, 1]);
  expect(await statusOf(user.get(only('other')))).toBe(403);
  // a name that is still to be given cannot be allowed
  expect(await statusOf(user.post(objects('pots'), { kind: 'Pot', metadata: { name: 'mine' } }))).toBe(403);
  expect(await statusOf(user.delete(only('mine')))).toBe(403);
  expect(await statusOf(user.get(`${objects('lids')}/mine`))).toBe(403);
});

test.each([
  ['the object', 'pots', ''],
  ['its status', 'pots/status', '/status'],
  ['its scale', 'pots/scale', '/scale'],
])('a role for %s opens just that, by name as well', async (_, resource, open) => {
  const user = await userWith(`parts${open.replace('/', '-')}`, {
    ...{ verbs: ['get', 'patch'], resources: [resource], resourceNames: ['mine'] },
  });
  const changes = { '': { spec: { a: 1 } }, '/status': { status: { b: 2 } }, '/scale': { spec: { replicas: 3 } } };
  for (const [part, change] of Object.entries(changes)) {
    const expected = part === open ? 200 : 403;
    expect([part, await statusOf(user.get(`${mine}${part}`))]).toEqual([part, expected]);
    expect([part, await merge(user, `${mine}${part}`, change)]).toEqual([part, expected]);
    expect([part, await statusOf(user.get(`${other}${part}`))]).toEqual([part, 403]);
    expect([part, await merge(user, `${other}${part}`, change)]).toEqual([part, 403]);
  }
});

test('a role for one part of every resource opens that part of custom ones', async () => {
  const user = await userWith('any-scale', { verbs: ['get'], apiGroups: ['*'], resources: ['*/scale'] });
  for (const plural of ['pots', 'lids']) {
    expect(await statusOf(user.get(`${objects(plural)}/mine/scale`))).toBe(200);
    expect(await statusOf(user.get(`${objects(plural)}/mine/status`))).toBe(403);
    expect(await statusOf(user.get(`${objects(plural)}/mine`))).toBe(403);
  }
});

test('a role for the resource of another group opens none', async () => {
  const user = await userWith('elsewhere', { verbs: ['*'], apiGroups: ['', 'apps'], resources: ['pots', '*'] });
  expect(await statusOf(user.get(mine))).toBe(403);
});

test('what a user may do is told of custom resources too', async () => {
  const user = await userWith('asking', { verbs: ['get'], resources: ['pots/status'], resourceNames: ['mine'] });
  const ask = async (resourceAttributes: object) => {
    const attributes = {
      namespace: 'default',
      group,
      version: 'v1',
      resource: 'pots',
      verb: 'get',
      ...resourceAttributes,
    };
    const review = { spec: { resourceAttributes: attributes } };
    const { body } = await user.post('/apis/authorization.k8s.io/v1/selfsubjectaccessreviews', review);
    return body.status.allowed;
  };
  expect(await ask({ name: 'mine', subresource: 'status' })).toBe(true);
  expect(await ask({ name: 'mine' })).toBe(false);
  expect(await ask({ name: 'other', subresource: 'status' })).toBe(false);
});
