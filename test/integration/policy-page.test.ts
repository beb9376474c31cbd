// Policies that are only tried: on an object, on a recorded request, on the last writes; who may ask, and how much.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { TriedWrite } from '../../src/insight/policy-page.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { withThreads } from './several-threads.ts';

let server: TestServer;
const maps = '/api/v1/namespaces/default/configmaps';
const authenticated = ['system:authenticated'];

beforeAll(async () => {
  server = await startTestServer({ authorizationModes: ['RBAC'], controllers: [] });
  const rbac = 'rbac.authorization.k8s.io';
  const rules = [
    { apiGroups: ['admissionregistration.k8s.io'], resources: ['validatingadmissionpolicies'], verbs: ['create'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] },
  ];
  await server.apply({ apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name: 'author' }, rules });
  await server.apply({
    ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: 'author' } },
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'author' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: 'author' }],
  });
});
afterAll(() => server?.close());

interface Answer {
  readonly writes: readonly TriedWrite[];
  readonly cost: number;
  readonly isCut: boolean;
  readonly message?: string;
}

const headers = { 'content-type': 'application/json' };

const send = (question: unknown, user?: string) =>
  server.fetch('/debug/keelson/policies', {
    ...{ method: 'POST', headers, body: JSON.stringify(question) },
    ...(user === undefined ? {} : { user: { name: user, groups: authenticated } }),
  });

async function tryOut(question: object, user?: string): Promise<Answer> {
  const answer = await send(question, user);
  const body = (await answer.json()) as Answer;
  expect([answer.status, body.message]).toEqual([200, undefined]);
  return body;
}

const constraints = (resource: string) => ({
  resourceRules: [
    { apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE', 'DELETE'], resources: [resource] },
  ],
});
const policy = (expression: string, more: object = {}) => ({
  spec: { matchConstraints: constraints('configmaps'), validations: [{ expression, ...more }] },
});
const configMap = (name: string, data: object) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name, namespace: 'default' },
  data,
});

async function write(method: string, path: string, body: object, type = 'application/json'): Promise<void> {
  const answer = await server.fetch(path, { method, headers: { 'content-type': type }, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

test('an object: each expression with its outcome, message and cost', async () => {
  const validations = [
    { expression: 'object.data.size() > 0' },
    { expression: "!('password' in object.data)", messageExpression: "'no passwords in ' + object.metadata.name" },
    { expression: 'object.data.nothing == "x"' },
  ];
  const spec = { ...policy('').spec, validations };
  const { writes, cost } = await tryOut({ policy: { spec }, object: configMap('a', { password: 'x' }) });
  expect(writes).toMatchObject([{ operation: 'CREATE', name: 'a', namespace: 'default', outcome: 'refused' }]);
  expect(writes[0]?.expressions).toMatchObject([
    { outcome: 'holds' },
    { outcome: 'fails', message: 'no passwords in a' },
    { outcome: 'error', message: expect.stringContaining('no such key: nothing') },
  ]);
  expect(cost).toBeGreaterThan(0);
  expect(writes[0]?.expressions.every((one) => one.cost > 0)).toBe(true);
});

test('an object: constraints, conditions, variables, parameters and the old object count', async () => {
  const other = await tryOut({
    policy: { spec: { ...policy('false').spec, matchConstraints: constraints('pods') } },
    object: configMap('a', {}),
  });
  expect(other.writes[0]?.outcome).toBe('passedBy');
  const conditions = [{ name: 'named', expression: "object.metadata.name == 'b'" }];
  const conditional = { spec: { ...policy('false').spec, matchConditions: conditions } };
  expect((await tryOut({ policy: conditional, object: configMap('a', {}) })).writes[0]?.outcome).toBe('passedBy');
  expect((await tryOut({ policy: conditional, object: configMap('b', {}) })).writes[0]?.outcome).toBe('refused');
  const spec = {
    ...policy('variables.size <= params.data.most && oldObject.data == object.data').spec,
    paramKind: { apiVersion: 'v1', kind: 'ConfigMap' },
    variables: [{ name: 'size', expression: 'string(object.data.size())' }],
  };
  const object = configMap('a', { x: '1' });
  const params = configMap('params', { most: '2' });
  const held = await tryOut({ policy: { spec }, params, object, oldObject: object });
  expect(held.writes).toMatchObject([{ operation: 'UPDATE', outcome: 'allowed' }]);
});

test('the last writes: which of them a policy would have refused', async () => {
  await write('POST', maps, configMap('tried', { n: '1' }));
  await write('PATCH', `${maps}/tried`, { data: { n: '2' } }, 'application/merge-patch+json');
  await write('DELETE', `${maps}/tried`, {});
  const writes = { version: 'v1', resource: 'configmaps', namespace: 'default', last: 3 };
  const question = { policy: policy("request.operation != 'UPDATE' || object.data.n != '2'"), writes };
  const answer = await tryOut(question, 'author');
  expect(answer.writes.map(({ operation, outcome }) => [operation, outcome])).toEqual([
    ['DELETE', 'allowed'],
    ['UPDATE', 'refused'],
    ['CREATE', 'allowed'],
  ]);
  expect(answer.writes.every(({ name, revision }) => name === 'tried' && (revision ?? 0) > 0)).toBe(true);
});

test('a recorded request: the policy sees its user and its object', async () => {
  await server.fetch('/debug/keelson/requests');
  const user = { name: 'jane', groups: ['system:masters', 'testers'] };
  await server.fetch(maps, { method: 'POST', headers, body: JSON.stringify(configMap('recorded', { n: '7' })), user });
  const find = async () => {
    const { requests } = (await (await server.fetch('/debug/keelson/requests')).json()) as {
      requests: { sequence: number; user: string; verb: string }[];
    };
    return requests.find((one) => one.user === 'jane' && one.verb === 'create')?.sequence;
  };
  await expect.poll(find).toBeDefined();
  const request = await find();
  const expression = "request.userInfo.username != 'jane' || object.data.n != '7'";
  const { writes } = await tryOut({ policy: policy(expression), request });
  expect(writes).toMatchObject([{ operation: 'CREATE', name: 'recorded', user: 'jane', outcome: 'refused' }]);
  expect((await send({ policy: policy(expression), request }, 'author')).status).toBe(403);
});

test('a Secret: no message repeats a value', async () => {
  const secret = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'tried', namespace: 'default' },
    stringData: { key: 'do-not-show' },
  };
  await write('POST', '/api/v1/namespaces/default/secrets', secret);
  const spec = {
    matchConstraints: constraints('secrets'),
    validations: [
      { expression: 'false', messageExpression: 'string(object.data.key)' },
      { expression: "dyn(object.data)[string(object.data.key)] == 'x'" },
    ],
  };
  const answer = await send({ policy: { spec }, writes: { version: 'v1', resource: 'secrets', last: 5 } });
  const text = await answer.text();
  expect((JSON.parse(text) as Answer).writes[0]?.outcome).toBe('refused');
  for (const value of ['do-not-show', Buffer.from('do-not-show').toString('base64')]) expect(text).not.toContain(value);
});

test('trials need the right to create policies, and to read what they see', async () => {
  const writes = (resource: string) => ({ policy: policy('true'), writes: { version: 'v1', resource, last: 5 } });
  expect((await send(writes('configmaps'), 'jane')).status).toBe(403);
  expect((await send(writes('configmaps'), 'author')).status).toBe(200);
  const refused = await send(writes('secrets'), 'author');
  expect([refused.status, ((await refused.json()) as Answer).message]).toEqual([
    403,
    expect.stringContaining('list resource "secrets"'),
  ]);
});

test('expressions ask for rights only where their author may', async () => {
  const question = {
    policy: policy(
      "authorizer.serviceAccount('default', 'default').group('').resource('pods').check('get').reason() == 'x'",
    ),
    object: configMap('a', {}),
  };
  const rights = policy("authorizer.group('').resource('secrets').check('get').allowed()");
  expect((await tryOut({ ...question, policy: rights })).writes[0]?.outcome).toBe('allowed');
  expect((await tryOut({ ...question, policy: rights }, 'author')).writes[0]?.outcome).toBe('refused');
  expect((await tryOut(question, 'author')).writes[0]?.outcome).toBe('refused');
});

test('labels of namespaces are out of reach without the right to read them', async () => {
  const namespaceSelector = { matchLabels: { tier: 'hidden' } };
  const spec = { ...policy('false').spec, matchConstraints: { ...constraints('configmaps'), namespaceSelector } };
  expect((await send({ policy: { spec }, object: configMap('a', {}) }, 'author')).status).toBe(400);
  const seen = await tryOut({ policy: policy('namespaceObject == null'), object: configMap('a', {}) }, 'author');
  expect(seen.writes[0]?.outcome).toBe('allowed');
});

const object = configMap('a', {});

test.each<[string, unknown, number]>([
  ['without a policy', { object }, 400],
  ['without anything to try', { policy: policy('true') }, 400],
  ['with two things to try', { policy: policy('true'), object, request: 1 }, 400],
  ['that is no object', [1], 400],
  ['with an expression that does not compile', { policy: policy('object.('), object }, 422],
  [
    'with an expression that is no text',
    { policy: { spec: { ...policy('').spec, validations: [{ expression: 5 }] } }, object },
    400,
  ],
  ['about an unknown kind', { policy: policy('true'), object: { apiVersion: 'v1', kind: 'Nothing' } }, 400],
  [
    'about a kind that is never stored',
    { policy: policy('true'), object: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview' } },
    400,
  ],
  [
    'about too many writes',
    { policy: policy('true'), writes: { version: 'v1', resource: 'configmaps', last: 5000 } },
    400,
  ],
  ['about a request that was never made', { policy: policy('true'), request: 1e9 }, 400],
  ['that is too large', { policy: policy('true'), object: configMap('a', { x: 'x'.repeat(300_000) }) }, 413],
])('a question %s is refused', async (_, question, status) => {
  const answer = await send(question);
  expect([answer.status, await answer.json()]).toMatchObject([status, { kind: 'Status' }]);
});

test('a policy that costs too much ends, for all writes together', async () => {
  const data = Object.fromEntries(Array.from({ length: 200 }, (_, index) => [`key-${index}`, 'x'.repeat(100)]));
  for (let n = 0; n < 20; n++) await write('POST', maps, configMap(`costly-${n}`, data));
  const all = 'object.data.all(a, object.data.all(b, object.data.all(c, a + b + c != "x")))';
  const question = {
    policy: policy(all),
    writes: { version: 'v1', resource: 'configmaps', namespace: 'default', last: 20 },
  };
  const began = process.cpuUsage();
  const answer = await tryOut(question);
  const { user } = process.cpuUsage(began);
  expect(answer.isCut).toBe(true);
  expect(answer.writes.length).toBeLessThan(20);
  expect(answer.cost).toBeLessThan(25_000_000);
  expect(user / 1e6).toBeLessThan(30);
});

test('trials at once are answered, or refused with a 429', async () => {
  const question = {
    policy: policy('object.data.size() >= 0'),
    writes: { version: 'v1', resource: 'configmaps', last: 50 },
  };
  const codes = (await Promise.all(Array.from({ length: 20 }, () => send(question)))).map(({ status }) => status);
  expect([...new Set(codes)].sort()).toEqual([200, 429]);
});

test('a trial that takes long moves to the thread for large requests, and is answered there', () =>
  withThreads(
    1,
    async ({ connect, workers }) => {
      const client = connect();
      const data = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`key-${index}`, 'x']));
      const validations = Array.from({ length: 10 }, (_, index) => ({
        expression: `object.data.all(a, object.data.all(b, a + b != "${index}"))`,
      }));
      const spec = { ...policy('').spec, validations };
      const question = { policy: { spec }, object: configMap('long', data) };
      const { status, body } = await client.call('POST', '/debug/keelson/policies', question);
      expect([status, body.writes?.[0]?.outcome, workers.length]).toEqual([200, 'allowed', 1]);
    },
    { largeRequestBytes: 128 * 1024 },
  ));
