// Acting as another user by rights that name who it may be and what for (Kubernetes: constrained impersonation).

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { cluster } from '../../src/meta/dialect.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { eventually } from './eventually.ts';
import { type Headers, secureCall } from './secure-call.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-constrained-'));
const tokens = join(folder, 'tokens');
const auditLog = join(folder, 'audit.log');
const reviews = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
const configMaps = '/api/v1/namespaces/default/configmaps';
const own = ['authentication.k8s.io'];

let server: Server;
beforeAll(async () => {
  writeFileSync(tokens, 'actor-token,actor,actor-uid\nold-token,old,old-uid\n');
  const policy = { kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules: [{ level: 'Metadata' }] };
  writeFileSync(join(folder, 'policy'), JSON.stringify(policy));
  const audit = { policyFile: join(folder, 'policy'), log: { path: auditLog } };
  server = await startTestServer({ tokenAuthFile: tokens, audit });
  await grant(server, 'actor', [
    { apiGroups: own, resources: ['users'], verbs: ['impersonate:user-info'], resourceNames: ['bob'] },
    { apiGroups: own, resources: ['groups'], verbs: ['impersonate:user-info'], resourceNames: ['g', 'system:masters'] },
    { apiGroups: own, resources: ['userextras/a.b/c', 'uids'], verbs: ['impersonate:user-info'] },
    { apiGroups: own, resources: ['serviceaccounts'], verbs: ['impersonate:serviceaccount'] },
    { apiGroups: own, resources: ['nodes'], verbs: ['impersonate:arbitrary-node'] },
    {
      apiGroups: own,
      resources: ['selfsubjectreviews'],
      verbs: ['user-info', 'serviceaccount', 'arbitrary-node'].map((mode) => `impersonate-on:${mode}:create`),
    },
  ]);
  await grant(server, 'old', [{ apiGroups: [''], resources: ['users'], verbs: ['impersonate'] }]);
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

async function grant(to: Server, name: string, rules: object[]): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  await apiOf(to).post(`${rbac}/clusterroles`, { metadata: { name }, rules });
  const made = await apiOf(to).post(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name },
    subjects: [{ kind: 'User', name }],
  });
  expect(made.status).toBe(201);
}

const wanted = (identity: Headers): Headers =>
  Object.fromEntries(Object.entries(identity).map(([part, value]) => [`impersonate-${part}`, value]));
const call = (method: string, path: string, identity: Headers, token = 'actor-token') =>
  secureCall(server, method, path, {
    headers: { authorization: `Bearer ${token}`, ...wanted(identity) },
    ...(method === 'POST' ? { body: {} } : {}),
  });

describe('a caller becomes', () => {
  test.each<[string, Headers, object]>([
    ['a user', { user: 'bob' }, { username: 'bob', groups: ['system:authenticated'] }],
    [
      'a user in groups, with uid and extra',
      { user: 'bob', group: 'g', uid: '7', 'extra-a.b%2fc': 'x' },
      { username: 'bob', uid: '7', groups: ['g', 'system:authenticated'], extra: { 'a.b/c': ['x'] } },
    ],
    [
      'a service account',
      { user: 'system:serviceaccount:ns:sa' },
      {
        username: 'system:serviceaccount:ns:sa',
        groups: ['system:serviceaccounts', 'system:serviceaccounts:ns', 'system:authenticated'],
      },
    ],
    [
      'a node, with the group of nodes',
      { user: 'system:node:n1' },
      { username: 'system:node:n1', groups: ['system:nodes', 'system:authenticated'] },
    ],
  ])('%s', async (_, identity, userInfo) => {
    const { status, body } = await call('POST', reviews, identity);
    expect([status, body.status.userInfo]).toEqual([201, userInfo]);
  });
});

describe('a caller is refused', () => {
  test.each<[string, string, string, Headers, string]>([
    [
      'for another request',
      'GET',
      configMaps,
      { user: 'bob' },
      'cannot impersonate-on:user-info:list resource "configmaps" in API group "" in the namespace "default"',
    ],
    ['outside the API', 'GET', '/version', { user: 'bob' }, 'cannot impersonate-on:user-info:get path "/version"'],
    ['for another user', 'POST', reviews, { user: 'carl' }, 'cannot impersonate:user-info resource "users"'],
    [
      'for another group',
      'POST',
      reviews,
      { user: 'bob', group: 'h' },
      'cannot impersonate:user-info resource "groups"',
    ],
    [
      'for the group of administrators, whatever its rights',
      'POST',
      reviews,
      { user: 'bob', group: 'system:masters' },
      'impersonating the system:masters group is not allowed',
    ],
    [
      'for an extra without a domain',
      'POST',
      reviews,
      { user: 'bob', 'extra-z': 'x' },
      'must be a domain-prefixed path (such as "acme.io/foo")',
    ],
    [
      'for a service account in other groups',
      'POST',
      reviews,
      { user: 'system:serviceaccount:ns:sa', group: 'g' },
      'cannot impersonate resource "serviceaccounts" in API group "" in the namespace "ns"',
    ],
  ])('%s', async (_, method, path, identity, why) => {
    const { status, body } = await call(method, path, identity);
    expect([status, body.message]).toEqual([403, expect.stringContaining(why)]);
  });

  test('as an identity without a name', async () => {
    const { status, body } = await call('POST', reviews, { group: 'g' });
    const shown = 'Name:"", UID:"", Groups:[]string{"g"}, Extra:map[string][]string(nil)';
    const message = `requested &user.DefaultInfo{${shown}} without impersonating a user name`;
    expect([status, body.message]).toEqual([400, message]);
  });
});

test('the right to impersonate is enough, for every request', async () => {
  const { status, body } = await call('POST', reviews, { user: 'dora' }, 'old-token');
  expect([status, body.status.userInfo.username]).toEqual([201, 'dora']);
  expect((await call('GET', configMaps, { user: 'dora' }, 'old-token')).body.message).toContain('User "dora" cannot');
});

test('audit tells by which right a caller became another user, and metrics count it', async () => {
  const before = await counted();
  await call('POST', reviews, { user: 'bob' });
  await call('POST', reviews, { user: 'dora' }, 'old-token');
  await call('POST', reviews, { user: 'carl' });
  await eventually(async () => {
    const events = readFileSync(auditLog, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const rights = (name: string) =>
      events
        .filter(({ stage, impersonatedUser }) => stage === 'ResponseComplete' && impersonatedUser?.username === name)
        .map(({ authenticationMetadata }) => authenticationMetadata?.impersonationConstraint);
    expect(new Set(rights('bob'))).toEqual(new Set(['impersonate:user-info']));
    expect(new Set(rights('dora'))).toEqual(new Set([undefined]));
  });
  const after = await counted();
  expect(after.map((count, at) => count - (before[at] ?? 0))).toEqual([1, 1, 1]);
});

/** Attempts that succeeded in two modes, and those that failed. */
async function counted(): Promise<readonly number[]> {
  const { body } = await apiOf(server).get('/metrics');
  return ['mode="user-info",decision="allowed"', 'mode="legacy",decision="allowed"', 'mode="",decision="denied"'].map(
    (labels) =>
      Number(new RegExp(`^apiserver_impersonation_attempts_total\\{${labels}\\} (\\d+)`, 'm').exec(body)?.[1] ?? 0),
  );
}

test('the specification knows no other right', async () => {
  const other = await startTestServer({ dialect: cluster({ apiDomain: 'k8s.io' }), tokenAuthFile: tokens });
  try {
    await grant(other, 'actor', [{ apiGroups: ['*'], resources: ['*'], verbs: ['impersonate:user-info'] }]);
    const headers = { authorization: 'Bearer actor-token', 'impersonate-user': 'bob' };
    const { status, body } = await secureCall(other, 'GET', configMaps, { headers });
    expect([status, body.message]).toEqual([403, expect.stringContaining('cannot impersonate resource "users"')]);
  } finally {
    await other.close();
  }
});
