// Traces for collectors: the spans of requests, the context of clients, and what other servers receive of it.

import { afterAll, expect, test } from 'vitest';
import { startTestServer, type TestServerOptions } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { AdmissionHooks, allow, install, label } from './admission-hooks.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { type CollectedSpan, grpcCollector, httpCollector, type TestCollector } from './collector.ts';
import { eventually } from './eventually.ts';
import { withThreads } from './several-threads.ts';

const folder = new TempFolder();
afterAll(() => folder[Symbol.dispose]());

const traceId = '0af7651916cd43dd8448eb211c80319c';
const traceparent = `00-${traceId}-b7ad6b7169203331-01`;

let files = 0;
function tracingFile(endpoint: string, samplingRatePerMillion: number): string {
  const apiVersion = 'apiserver.config.k8s.io/v1';
  files++;
  return folder.write(
    `tracing-${files}`,
    JSON.stringify({ apiVersion, kind: 'TracingConfiguration', endpoint, samplingRatePerMillion }),
  );
}

function tracedServer({ endpoint }: TestCollector, rate = 1_000_000, more: TestServerOptions = {}) {
  return startTestServer({ controllers: [], tracingConfigFile: tracingFile(endpoint, rate), ...more });
}

/** The spans of the trace whose root has this name. */
async function traceOf({ spans }: TestCollector, root: string): Promise<readonly CollectedSpan[]> {
  let whole: readonly CollectedSpan[] = [];
  await eventually(async () => {
    const first = spans.find(({ name, kind }) => name === root && kind === 2);
    expect(spans.map(({ name }) => name)).toContain(root);
    whole = spans.filter((span) => span.traceId === first?.traceId);
  });
  return whole;
}

const namesBelow = (spans: readonly CollectedSpan[], parent: CollectedSpan | undefined) =>
  spans.filter(({ parentId }) => parentId === parent?.spanId).map(({ name }) => name);

test.each([
  ['gRPC', grpcCollector],
  ['HTTP', httpCollector],
])('a create is a trace of its stages, its plugins and the store, sent over %s', async (_, open) => {
  await using collector = await open();
  await using server = await tracedServer(collector);
  const api = apiOf(server);
  const { headers } = await api.post(configMaps, configMap('a'));
  const spans = await traceOf(collector, 'POST /api/v1/namespaces/{:namespace}/configmaps');
  const [root] = spans.filter(({ parentId }) => parentId === '');
  expect(root?.attributes).toMatchObject({
    'audit-id': headers.get('audit-id'),
    'http.request.method': 'POST',
    'url.path': configMaps,
    'http.response.status_code': expect.anything(),
  });
  expect(namesBelow(spans, root)).toEqual(
    expect.arrayContaining(['authentication', 'constrainedimpersonation', 'authorization', 'Create']),
  );
  const create = spans.find(({ name }) => name === 'Create');
  expect(create?.attributes).toMatchObject({ verb: 'create', resource: 'configmaps', namespace: 'default' });
  expect(namesBelow(spans, create)).toContain('Create etcd3');
  expect(collector.resource).toMatchObject({ 'service.name': 'apiserver' });
  expect(String(collector.resource['service.instance.id'])).toMatch(/^apiserver-/);
});

test('a list has a span for writing its answer', async () => {
  await using collector = await grpcCollector();
  await using server = await tracedServer(collector);
  await apiOf(server).get('/api/v1/configmaps');
  const spans = await traceOf(collector, 'GET /api/v1/configmaps');
  expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['List', 'cacher.GetList', 'SerializeObject']));
});

test('no trace is taken at a rate of 0, unless a trusted client samples', async () => {
  await using collector = await grpcCollector();
  await using server = await tracedServer(collector, 0);
  const api = apiOf(server);
  await api.get('/api/v1/nodes');
  await api.get('/api/v1/pods', { traceparent });
  const spans = await traceOf(collector, 'GET /api/v1/pods');
  expect(new Set(spans.map((span) => span.traceId))).toEqual(new Set([traceId]));
  expect(spans.find(({ kind }) => kind === 2)?.parentId).toBe('b7ad6b7169203331');
  expect(collector.spans.map(({ name }) => name)).not.toContain('GET /api/v1/nodes');
});

test('the context of other users is linked, and decides nothing', async () => {
  await using collector = await grpcCollector();
  await using server = await tracedServer(collector);
  const api = apiOf({ fetch: (path, init) => server.fetch(path, { ...init, user: { name: 'jane', groups: [] } }) });
  await api.get('/version', { traceparent });
  await eventually(async () => expect(collector.spans.map(({ name }) => name)).toContain('GET'));
  const root = collector.spans.find(({ attributes }) => attributes['url.path'] === '/version');
  expect([root?.traceId === traceId, root?.parentId, root?.links]).toEqual([false, '', [traceId]]);
});

test('webhooks receive the context of the trace', async () => {
  await using collector = await grpcCollector();
  await using hooks = await AdmissionHooks.open();
  await using server = await tracedServer(collector);
  const api = apiOf(server);
  await api.post('/api/v1/namespaces', { metadata: { name: 'traced' } });
  const contexts: (string | undefined)[] = [];
  const mutating = hooks.hook('/traced/label', (_review, _response, asked) => {
    contexts.push(asked.headers['traceparent'] as string | undefined);
    return label('traced', 'yes');
  });
  await install(api, 'mutating', 'traced', mutating);
  await install(
    api,
    'validating',
    'traced',
    hooks.hook('/traced/allow', () => allow),
  );
  const path = '/api/v1/namespaces/traced/configmaps';
  await eventually(async () => {
    await api.post(path, configMap(`a${contexts.length}`, {}, { labels: { a: 'b' }, generateName: 'x' }));
    expect(contexts).not.toEqual([]);
  });
  await eventually(async () => {
    const called = collector.spans.filter(({ name }) => name === 'Call mutating webhook');
    expect(called.map((span) => `00-${span.traceId}-${span.spanId}-01`)).toEqual(contexts);
    expect(called[0]?.attributes).toMatchObject({ configuration: 'traced', operation: 'CREATE' });
  });
  await eventually(async () => {
    await api.post(path, configMap('', {}, { labels: { a: 'b' }, generateName: 'x' }));
    expect(collector.spans.map(({ name }) => name)).toContain('Call validating webhook');
  });
});

test('without a collector the context of a client is passed on to webhooks as it is', async () => {
  await using hooks = await AdmissionHooks.open();
  await using server = await startTestServer({ controllers: [] });
  const api = apiOf(server);
  await api.post('/api/v1/namespaces', { metadata: { name: 'passed' } });
  const contexts: (string | undefined)[] = [];
  const hook = hooks.hook('/passed/allow', (_review, _response, asked) => {
    contexts.push(asked.headers['traceparent'] as string | undefined);
    return allow;
  });
  await install(api, 'validating', 'passed', hook);
  await eventually(async () => {
    const body = configMap('', {}, { generateName: 'x' });
    await api.call('POST', '/api/v1/namespaces/passed/configmaps', body, { traceparent });
    expect(contexts[0]).toBe(traceparent);
  });
});

test('a collector that refuses spans is counted, and no request waits for it', async () => {
  await using collector = await grpcCollector({ refuses: true });
  await using server = await tracedServer(collector);
  const api = apiOf(server);
  for (let round = 0; round < 5; round++) expect((await api.get('/api/v1/nodes')).status).toBe(200);
  await eventually(async () => {
    const { body } = await api.get('/metrics');
    expect(Number(/^keelson_trace_spans_total\{outcome="failed"\} (\d+)$/m.exec(body)?.[1])).toBeGreaterThan(5);
  });
});

test('serving threads and the lane send their spans, as parts of one trace', async () => {
  await using collector = await grpcCollector();
  const options = { largeRequestBytes: 64 * 1024, tracingConfigFile: tracingFile(collector.endpoint, 1_000_000) };
  await withThreads(
    2,
    async ({ connect }) => {
      const client = connect();
      const data = { value: 'x'.repeat(200 * 1024) };
      const { status } = await client.call('POST', configMaps, { metadata: { name: 'large' }, data });
      expect(status).toBe(201);
      const [root] = (await traceOf(collector, 'POST /api/v1/namespaces/{:namespace}/configmaps')).filter(
        ({ kind }) => kind === 2,
      );
      await eventually(async () => {
        const spans = collector.spans.filter((span) => span.traceId === root?.traceId);
        expect(spans.map(({ name }) => name)).toEqual(expect.arrayContaining(['authentication', 'Create etcd3']));
      });
    },
    options,
  );
});

test.each([
  [
    '{"apiVersion":"apiserver.config.k8s.io/v1","kind":"TracingConfiguration","endpoint":"ftp://x"}',
    /endpoint: .*unsupported scheme: ftp/,
  ],
  [
    '{"apiVersion":"apiserver.config.k8s.io/v1beta1","kind":"TracingConfiguration","samplingRatePerMillion":-1}',
    /samplingRatePerMillion: .*must be positive/,
  ],
  [
    '{"apiVersion":"apiserver.config.k8s.io/v1alpha1","kind":"TracingConfiguration","samplingRatePerMillion":1000001}',
    /less than or equal to one million/,
  ],
  [
    '{"apiVersion":"apiserver.config.k8s.io/v2","kind":"TracingConfiguration"}',
    /no kind "TracingConfiguration" is known in version/,
  ],
  ['{"apiVersion":"apiserver.config.k8s.io/v1","kind":"TracingConfiguration","rate":1}', /unknown field "rate"/],
  ['', /the file is empty/],
])('a tracing file is refused at start: %s', async (content, problem) => {
  files++;
  const file = folder.write(`bad-${files}`, content);
  await expect(startTestServer({ tracingConfigFile: file })).rejects.toThrow(problem);
});
