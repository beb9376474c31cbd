// The newest requests at /debug/keelson/requests: who asked for what, and the verdict of each stage.

import { expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import type { RequestRecord } from '../../src/trace/request-trace.ts';
import { AdmissionHooks, install, label } from './admission-hooks.ts';
import { type Api, apiOf, configMap, configMaps, secrets } from './api.ts';
import { eventually } from './eventually.ts';
import { type Threads, withThreads } from './several-threads.ts';

const path = '/debug/keelson/requests';

interface Page {
  readonly last: number;
  readonly requests: readonly RequestRecord[];
}

const pageOf = async (api: Api, query = ''): Promise<Page> => (await api.get(`${path}${query}`)).body;

/** The first record that matches, once it is there. */
async function recordOf(api: Api, isMatch: (record: RequestRecord) => boolean): Promise<RequestRecord> {
  let match: RequestRecord | undefined;
  await eventually(async () => {
    match = (await pageOf(api)).requests.find(isMatch);
    expect(match).toBeDefined();
  });
  return match as RequestRecord;
}

test('a request is recorded from the first read on, with the verdict of each stage', async () => {
  await using server = await startTestServer({ controllers: [] });
  const api = apiOf(server);
  await api.get('/api/v1/nodes');
  expect((await pageOf(api)).requests).toEqual([]);
  const { headers } = await api.post(configMaps, configMap('a'));
  const record = await recordOf(api, ({ verb, resource }) => verb === 'create' && resource === 'configmaps');
  expect(record).toMatchObject({
    auditId: headers.get('audit-id'),
    thread: 0,
    user: 'system:apiserver',
    method: 'POST',
    path: configMaps,
    namespace: 'default',
    status: 201,
    verdicts: {
      authentication: 'in process',
      flowControl: { flowSchema: 'exempt', priorityLevel: 'exempt' },
      authorization: { authorizer: 'system:masters', decision: 'allow' },
      store: [{ operation: 'create', outcome: 'committed' }],
      notifiedWatches: expect.any(Number),
    },
  });
  const names = record.stages.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['authentication', 'authorization', 'Create', 'Create etcd3']));
  expect(JSON.stringify(await pageOf(api))).not.toContain(path);
});

test('authorization shows the binding, the role and the rule; refusals show that no authorizer allowed them', async () => {
  await using server = await startTestServer({ controllers: [] });
  const admin = apiOf(server);
  const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/default';
  const rule = { apiGroups: [''], resources: ['configmaps'], verbs: ['list'] };
  await admin.post(`${rbac}/roles`, { metadata: { name: 'lister' }, rules: [rule] });
  await admin.post(`${rbac}/rolebindings`, {
    metadata: { name: 'jane-lists' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'lister' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: 'jane' }],
  });
  const jane = apiOf({ fetch: (url, init) => server.fetch(url, { ...init, user: { name: 'jane', groups: [] } }) });
  await pageOf(admin);
  await eventually(async () => expect((await jane.get(configMaps)).status).toBe(200));
  expect((await jane.get(secrets)).status).toBe(403);
  const allowed = await recordOf(admin, ({ user, status }) => user === 'jane' && status === 200);
  expect(allowed.verdicts.authorization).toEqual({
    authorizer: 'RBAC',
    decision: 'allow',
    reason: 'RBAC: allowed by RoleBinding "jane-lists/default" of Role "lister" to User "jane"',
    rule: expect.any(String),
  });
  expect(JSON.parse(allowed.verdicts.authorization?.rule ?? '')).toEqual(rule);
  const refused = await recordOf(admin, ({ user, path: url }) => user === 'jane' && url === secrets);
  expect(refused).toMatchObject({
    status: 403,
    verdicts: { authorization: { authorizer: '', decision: 'noOpinion' } },
  });
});

test('admission shows what a webhook changed, but nothing of Secrets', async () => {
  await using hooks = await AdmissionHooks.open();
  await using server = await startTestServer({ controllers: [] });
  const api = apiOf(server);
  await api.post('/api/v1/namespaces', { metadata: { name: 'changed' } });
  const rules = [
    { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps', 'secrets'] },
  ];
  await install(
    api,
    'mutating',
    'changed',
    hooks.hook('/changed/label', () => label('seen', 'by-webhook'), { rules }),
  );
  await pageOf(api);
  const home = '/api/v1/namespaces/changed';
  await eventually(async () => {
    const { body } = await api.post(`${home}/configmaps`, configMap('', {}, { generateName: 'c', labels: { a: 'b' } }));
    expect(body.metadata.labels.seen).toBe('by-webhook');
  });
  const stringData = { password: 'do-not-show-this' };
  await api.post(`${home}/secrets`, { metadata: { name: 's', labels: { a: 'b' } }, stringData });
  const hook = { plugin: 'MutatingAdmissionWebhook', webhook: 'changed-label.hooks.example.com', outcome: 'changed' };
  const changed = await recordOf(
    api,
    ({ resource, verdicts }) =>
      resource === 'configmaps' && verdicts.admission?.some((one) => 'change' in one) === true,
  );
  expect(changed.verdicts.admission).toEqual([
    expect.objectContaining({ ...hook, change: 'metadata.labels.seen: absent → "by-webhook"' }),
  ]);
  const secret = await recordOf(api, ({ resource, verb }) => resource === 'secrets' && verb === 'create');
  expect(secret.verdicts.admission).toEqual([expect.objectContaining(hook)]);
  expect(secret.verdicts.admission?.[0]).not.toHaveProperty('change');
  const text = JSON.stringify(await pageOf(api));
  expect(text).not.toContain('do-not-show-this');
  expect(text).not.toContain(Buffer.from(stringData.password).toString('base64'));
});

test('a refusal names the plugin; of a Secret its reason is not shown', async () => {
  await using server = await startTestServer({ controllers: [] });
  const api = apiOf(server);
  await pageOf(api);
  const gone = '/api/v1/namespaces/absent';
  await api.post(`${gone}/configmaps`, configMap('a'));
  await api.post(`${gone}/secrets`, { metadata: { name: 's' } });
  const isCreate = (kind: string) => (record: RequestRecord) => record.verb === 'create' && record.resource === kind;
  const refused = await recordOf(api, isCreate('configmaps'));
  expect(refused).toMatchObject({
    status: 404,
    verdicts: {
      admission: [{ plugin: 'NamespaceLifecycle', outcome: 'refused', reason: 'namespaces "absent" not found' }],
    },
  });
  const secret = await recordOf(api, isCreate('secrets'));
  expect(secret.verdicts.admission?.[0]?.reason).toBe('not shown for this kind');
});

test('a watch delivers one line for each request, after a sequence number', async () => {
  await using server = await startTestServer({ controllers: [] });
  const api = apiOf(server);
  await pageOf(api);
  await api.get('/api/v1/nodes');
  const { sequence } = await recordOf(api, ({ resource }) => resource === 'nodes');
  const leave = new AbortController();
  const response = await server.fetch(`${path}?watch=1&after=${sequence}`, { signal: leave.signal });
  expect(response.headers.get('content-type')).toBe('application/x-ndjson');
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  await api.get('/api/v1/pods');
  let text = '';
  while (!text.includes('"pods"')) text += Buffer.from((await reader.read()).value ?? []).toString();
  const records = text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as RequestRecord);
  expect(records.every((record) => record.sequence > sequence)).toBe(true);
  expect(records.at(-1)).toMatchObject({ resource: 'pods', verb: 'list', status: 200 });
  leave.abort();
});

test('the path needs the right to get it, and valid numbers', async () => {
  await using server = await startTestServer({ controllers: [] });
  const jane = apiOf({ fetch: (url, init) => server.fetch(url, { ...init, user: { name: 'jane', groups: [] } }) });
  expect((await jane.get(path)).status).toBe(403);
  const api = apiOf(server);
  for (const query of ['?after=x', '?after=-1', '?limit=1e9', '?limit=2001'])
    expect([query, (await api.get(`${path}${query}`)).status]).toEqual([query, 400]);
  expect((await api.call('POST', path, {})).status).toBe(405);
});

/** Reads the page over a connection of a serving thread, until a record is there. */
async function recordSeenBy({ connect }: Threads, isMatch: (record: RequestRecord) => boolean): Promise<RequestRecord> {
  const client = connect();
  let match: RequestRecord | undefined;
  await eventually(async () => {
    const { body } = await client.call('GET', path);
    match = (body as Page).requests.find(isMatch);
    expect(match).toBeDefined();
  });
  return match as RequestRecord;
}

test('requests of all threads and of the lane are read on any thread', () =>
  withThreads(
    3,
    async (threads) => {
      const clients = Array.from({ length: 9 }, () => threads.connect());
      await Promise.all(clients.map((client) => client.call('GET', path)));
      await eventually(async () => {
        await Promise.all(clients.map((client) => client.call('GET', '/api/v1/nodes')));
        const { body } = await (clients[0] as (typeof clients)[number]).call('GET', path);
        const used = new Set((body as Page).requests.map(({ thread }) => thread));
        expect(used.size).toBeGreaterThan(1);
      });
      const data = { value: 'x'.repeat(200 * 1024) };
      await (clients[1] as (typeof clients)[number]).call('POST', configMaps, { metadata: { name: 'large' }, data });
      const large = await recordSeenBy(
        threads,
        ({ name, verb, inLane }) => verb === 'create' && inLane === true && name === '',
      );
      expect(large).toMatchObject({
        resource: 'configmaps',
        status: 201,
        verdicts: { authentication: 'x509', store: [{ operation: 'create', outcome: 'committed' }] },
      });
      expect(large.stages.map(({ name }) => name)).toEqual(expect.arrayContaining(['authentication', 'Create etcd3']));
    },
    { largeRequestBytes: 64 * 1024 },
  ));
