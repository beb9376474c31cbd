// The history of objects and lists: its content, its readers and its limits.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { HistoryRow } from '../../src/insight/history-page.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';

let server: TestServer;
const maps = '/api/v1/namespaces/default/configmaps';

beforeAll(async () => {
  server = await startTestServer({ authorizationModes: ['RBAC'], controllers: [] });
});
afterAll(() => server?.close());

interface History {
  readonly rows: readonly HistoryRow[];
  readonly base?: { readonly data?: object };
  readonly newest: number;
  readonly oldest: number;
  readonly next?: number;
  readonly isConfidential: boolean;
}

const page = (query: string, user?: string) =>
  server.fetch(
    `/debug/keelson/history?${query}`,
    user === undefined ? {} : { user: { name: user, groups: ['system:authenticated'] } },
  );

async function history(query: string, user?: string): Promise<History> {
  const answer = await page(query, user);
  const body = await answer.json();
  expect(body).toMatchObject({ rows: expect.any(Array) });
  return body as History;
}

async function send(method: string, path: string, body: object, type = 'application/json'): Promise<void> {
  const headers = { 'content-type': type, 'user-agent': 'shopper/1.0' };
  const answer = await server.fetch(path, { method, headers, body: JSON.stringify(body) });
  if (!answer.ok) throw new Error(await answer.text());
}

const configMap = (name: string, data: object) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name }, data });
const merge = 'application/merge-patch+json';
const of = (resource: string, name = '') => `version=v1&resource=${resource}&namespace=default&name=${name}`;

test('an object: each write with its verb, manager, time and changed fields, the newest first', async () => {
  await send('POST', maps, configMap('story', { a: '1' }));
  await send('PATCH', `${maps}/story`, { data: { a: '2', b: '3' } }, merge);
  const applied = { ...configMap('story', { c: '4' }) };
  await send('PATCH', `${maps}/story?fieldManager=painter`, applied, 'application/apply-patch+yaml');
  await send('DELETE', `${maps}/story`, {});
  await send('POST', maps, configMap('story', { z: '9' }));
  // a name that begins like the other one
  await send('POST', maps, configMap('story-2', {}));
  const { rows, base, next } = await history(of('configmaps', 'story'));
  expect(rows.map(({ verb }) => verb)).toEqual(['create', 'delete', 'apply', 'update', 'create']);
  expect(rows[2]).toMatchObject({ writer: { manager: 'painter', operation: 'Apply' }, changes: ['data.c'] });
  expect(rows[3]).toMatchObject({ writer: { manager: 'shopper' }, changes: ['data.a', 'data.b'] });
  expect(rows[3]?.writer?.time).toMatch(/^\d{4}-/);
  expect(rows[3]?.object).toMatchObject({ data: { a: '2', b: '3' } });
  expect([base, next]).toEqual([undefined, undefined]);
});

test('an object: pages go back to its first write', async () => {
  await send('POST', maps, configMap('paged', { n: '0' }));
  for (let n = 1; n < 7; n++) await send('PATCH', `${maps}/paged`, { data: { n: String(n) } }, merge);
  const seen: string[] = [];
  let next: number | undefined;
  do {
    const before = next === undefined ? '' : `&before=${next}`;
    const { rows, base, next: more } = await history(`${of('configmaps', 'paged')}&limit=3${before}`);
    for (const { object } of rows) seen.push((object as { data?: { n?: string } } | undefined)?.data?.n ?? '');
    if (more !== undefined && rows.length > 0) expect(base?.data).toBeDefined();
    next = more;
  } while (next !== undefined);
  expect(seen).toEqual(['6', '5', '4', '3', '2', '1', '0']);
});

test('a list: writes of all objects in a namespace, without their content', async () => {
  const { rows } = await history(of('configmaps'));
  expect(rows.map(({ name }) => name)).toEqual(expect.arrayContaining(['story', 'story-2', 'paged']));
  expect(rows.every(({ namespace, object }) => namespace === 'default' && object === undefined)).toBe(true);
  const everywhere = await history('version=v1&resource=namespaces');
  expect(everywhere.rows.map(({ name }) => name)).toContain('default');
});

test('a Secret: changed keys are named, and no value is in the answer', async () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  const data = { password: 'do-not-show', user: 'jane' };
  await send('POST', secrets, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login' }, stringData: data });
  await send('PATCH', `${secrets}/login`, { stringData: { password: 'new-secret' } }, merge);
  const answer = await page(of('secrets', 'login'));
  const text = await answer.text();
  const { rows, isConfidential } = JSON.parse(text) as History;
  expect(isConfidential).toBe(true);
  expect(rows[0]).toMatchObject({ verb: 'update', changes: ['data.password'] });
  for (const value of ['do-not-show', 'new-secret', 'jane']) {
    expect(text).not.toContain(value);
    expect(text).not.toContain(Buffer.from(value).toString('base64').slice(0, -2));
  }
});

test('the history needs the right to read its objects, and nothing else', async () => {
  const rbac = 'rbac.authorization.k8s.io';
  await server.apply({
    ...{ apiVersion: `${rbac}/v1`, kind: 'Role', metadata: { name: 'one', namespace: 'default' } },
    rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get'], resourceNames: ['story'] }],
  });
  await server.apply({
    ...{ apiVersion: `${rbac}/v1`, kind: 'RoleBinding', metadata: { name: 'one', namespace: 'default' } },
    roleRef: { apiGroup: rbac, kind: 'Role', name: 'one' },
    subjects: [{ apiGroup: rbac, kind: 'User', name: 'reader' }],
  });
  expect((await history(of('configmaps', 'story'), 'reader')).rows.length).toBeGreaterThan(0);
  for (const query of [
    of('configmaps', 'paged'),
    of('configmaps'),
    of('secrets', 'login'),
    'version=v1&resource=configmaps',
    'version=v1&resource=configmaps&namespace=kube-system&name=story',
    // the key of another object, spelled as a name
    of('configmaps', 'story/../paged'),
    of('configmaps/../secrets', 'login'),
  ]) {
    const answer = await page(query, 'reader');
    expect([query, answer.status]).toEqual([query, 403]);
    expect(await answer.json()).toMatchObject({ kind: 'Status', reason: 'Forbidden' });
  }
});

test.each([
  ['without a version', 'resource=configmaps', 400],
  ['of an unknown resource', 'version=v1&resource=nothing', 404],
  ['of a resource that is never stored', 'group=authentication.k8s.io&version=v1&resource=tokenreviews', 404],
  ['of a name that is part of a path', of('configmaps', 'a%2Fb'), 400],
  ['of a name with two dots', of('configmaps', '..'), 400],
  ['of an object without its namespace', 'version=v1&resource=configmaps&name=story', 400],
  ['of an object in a namespace where it cannot be', 'version=v1&resource=nodes&namespace=default', 400],
  ['with too many rows', `${of('configmaps')}&limit=100000`, 400],
  ['with a limit that is no number', `${of('configmaps')}&limit=1e3`, 400],
  ['before a revision that is no number', `${of('configmaps')}&before=-1`, 400],
])('a question %s is refused', async (_, query, status) => {
  const answer = await page(query);
  expect(answer.status).toBe(status);
  expect(await answer.json()).toMatchObject({ kind: 'Status' });
});

test('a history is only read', async () => {
  const answer = await server.fetch(`/debug/keelson/history?${of('configmaps')}`, { method: 'DELETE' });
  expect(answer.status).toBe(405);
});

test('many questions at once are answered, or refused with a 429', async () => {
  const answers = await Promise.all(Array.from({ length: 40 }, () => page(of('configmaps'))));
  const codes = new Set(answers.map(({ status }) => status));
  expect([...codes].sort()).toEqual([200, 429]);
  expect((await page(of('configmaps'))).status).toBe(200);
});

test('large objects: the answer stays below its limit, and no row is left out', async () => {
  await send('POST', maps, configMap('large', { n: '0', text: 'x'.repeat(500_000) }));
  for (let n = 1; n < 12; n++) await send('PATCH', `${maps}/large`, { data: { n: String(n) } }, merge);
  const answer = await page(of('configmaps', 'large'));
  const text = await answer.text();
  expect(text.length).toBeLessThan(4.5 * 1024 * 1024);
  const { rows } = JSON.parse(text) as History;
  expect(rows).toHaveLength(12);
  expect(rows.filter(({ object }) => object !== undefined).length).toBeLessThan(10);
});

test('the history ends where the store has compacted it', async () => {
  const { newest } = await history(of('configmaps'));
  await using small = await startTestServer({ controllers: [] });
  expect(newest).toBeGreaterThan(0);
  await small.fetch(maps, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(configMap('old', { n: '0' })),
  });
  const before = (await (await small.fetch(`${maps}/old`)).json()) as { metadata: { resourceVersion: string } };
  // the store looks every 30 seconds for history that is older than five minutes
  for (let looks = 0; looks < 15; looks++) {
    small.clock.advance(30_000);
    await small.fetch(`${maps}/old`);
  }
  await small.fetch(`${maps}/old`, {
    method: 'PATCH',
    headers: { 'content-type': merge },
    body: JSON.stringify({ data: { n: '1' } }),
  });
  const answer = await small.fetch(`/debug/keelson/history?${of('configmaps', 'old')}`);
  const { rows, oldest } = (await answer.json()) as History;
  expect(oldest).toBeGreaterThanOrEqual(Number(before.metadata.resourceVersion));
  expect(rows).toMatchObject([{ verb: 'update', changes: ['data.n'] }]);
});
