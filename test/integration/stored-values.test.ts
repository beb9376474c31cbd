// What happens to stored values that this server did not write, or that it cannot read any more.

import { describe, expect, test } from 'vitest';
import { sealEnvelope } from '../../src/codec/protobuf/envelope.ts';
import { encodeMessage } from '../../src/codec/protobuf/message.ts';
import { ProtobufWriter } from '../../src/codec/protobuf/writer.ts';
import { configMap as configMapResource } from '../../src/groups/core/v1/config-map.ts';
import { pod as podResource } from '../../src/groups/core/v1/pod/pod.ts';
import { zeroRevision } from '../../src/meta/revision.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf, configMap, configMaps } from './api.ts';
import { dialects } from './dialects.ts';

const uid = '11111111-2222-3333-4444-555555555555';

async function started(options: Parameters<typeof startTestServer>[0] = {}) {
  const store = openMemoryStore();
  const logged: { fields: object; message: string }[] = [];
  const log = {
    info() {},
    warn() {},
    error: (fields: object, message: string) => logged.push({ fields, message }),
  };
  const put = async (name: string, value: string | Uint8Array) => {
    const key = `/configmaps/default/${name}`;
    const expected = (await store.get(key))?.revision ?? zeroRevision;
    const result = await store.commit({ key, value: Buffer.from(value), expected });
    if (result.kind !== 'committed') throw new Error('lost');
    return result.revision;
  };
  const server = await startTestServer({ store, listen: false, log, controllers: [], ...options });
  return { store, put, server, api: apiOf(server), logged };
}

const garbage = [
  ['no JSON at all', 'garbage'],
  ['nothing', ''],
  ['half an object', `{"kind":"ConfigMap","apiVersion":"v1","metadata":{"name":"bad","uid":"${uid}"},"data":{"a":`],
  ['no object', '[]'],
  ['an object without metadata', '{"kind":"ConfigMap","apiVersion":"v1"}'],
  ['an object of another kind', '{"kind":"Secret","apiVersion":"v1","metadata":{"name":"bad"}}'],
  ['protobuf that is cut off', Buffer.from([0x6b, 0x38, 0x73, 0, 0x0a, 0xff])],
] as const;

describe.each(garbage)('a stored value that is %s', (_, value) => {
  test.each(['before', 'after'])(
    'is left out of lists, named and can be deleted (written %s the first use)',
    async (when) => {
      const { put, server, api, logged } = await started();
      await using _ = server;
      if (when === 'after') await api.get(configMaps);
      await put('bad', value);
      await api.post(configMaps, configMap('good'));
      const list = await api.get(configMaps);
      expect(list.status).toBe(200);
      expect(list.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['good']);
      expect(list.headers.get('warning')).toMatch(/^299 .*left out.*configmaps default\/bad/);
      expect(logged).toMatchObject([
        { fields: { key: '/configmaps/default/bad' }, message: expect.stringContaining('cannot be read') },
      ]);

      const one = await api.get(`${configMaps}/bad`);
      expect(one).toMatchObject({ status: 500, body: { reason: 'StorageReadError', details: { name: 'bad' } } });
      expect(one.body.message).toMatch(/^failed to read one or more configmaps from the storage: "bad": /);
      expect((await api.post(configMaps, configMap('bad'))).body.reason).toBe('AlreadyExists');
      expect((await api.put(`${configMaps}/bad`, configMap('bad'))).body.reason).toBe('StorageReadError');
      expect((await api.delete(`${configMaps}/bad`)).body.reason).toBe('StorageReadError');
      expect((await api.delete(configMaps)).body.reason).toBe('StorageReadError');

      const options = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
      const refused = await api.delete(`${configMaps}/bad`, { ...options, gracePeriodSeconds: 0 });
      expect(refused).toMatchObject({ status: 422 });
      expect(refused.body.message).toContain('cannot be set together with .gracePeriodSeconds');
      const removed = await api.delete(`${configMaps}/bad`, options);
      expect(removed).toMatchObject({ status: 200, body: { status: 'Success', details: { name: 'bad' } } });
      expect((await api.get(`${configMaps}/bad`)).status).toBe(404);
      expect((await api.get(configMaps)).headers.get('warning')).toBeNull();
      expect((await api.post(configMaps, configMap('bad'))).status).toBe(201);
      // of an object that can be read the option says nothing
      expect((await api.delete(`${configMaps}/bad`, { ...options, gracePeriodSeconds: 0 })).status).toBe(200);
    },
  );
});

describe('a value that cannot be read', () => {
  test('ends an object for watchers, and begins it again when it is repaired', async () => {
    const { put, server, api } = await started();
    await using _ = server;
    const made = await api.post(configMaps, configMap('a'));
    const good = JSON.stringify({ ...made.body, metadata: { ...made.body.metadata, resourceVersion: undefined } });
    await put('a', 'garbage');
    await put('a', good);
    const from = `${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${made.body.metadata.resourceVersion}`;
    const lines = (await (await server.fetch(from)).text()).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line).type)).toEqual(['DELETED', 'ADDED']);
  });

  test('does not show in a list at an older revision either', async () => {
    const { put, server, api } = await started();
    await using _ = server;
    await put('bad', 'garbage');
    const made = await api.post(configMaps, configMap('good'));
    await api.post(configMaps, configMap('later'));
    const { resourceVersion } = made.body.metadata;
    const list = await api.get(`${configMaps}?resourceVersion=${resourceVersion}&resourceVersionMatch=Exact`);
    expect(list.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['good']);
  });
});

describe('values of another server', () => {
  const object = {
    metadata: {
      name: 'other',
      namespace: 'default',
      uid,
      creationTimestamp: '2024-01-02T03:04:05Z',
      labels: { a: 'b' },
    },
    data: { key: 'value', uid },
  };

  async function expectRead(value: string | Uint8Array) {
    const { put, server, api } = await started();
    await using _ = server;
    const resourceVersion = String(await put('other', value));
    const wanted = { kind: 'ConfigMap', apiVersion: 'v1', ...object };
    const read = await api.get(`${configMaps}/other`);
    expect(read.body).toEqual({ ...wanted, metadata: { ...object.metadata, resourceVersion } });
    const [listed] = (await api.get(`${configMaps}?labelSelector=a=b`)).body.items;
    expect(listed).toEqual({ ...object, metadata: { ...object.metadata, resourceVersion } });
    const changed = await api.patch('merge', `${configMaps}/other`, { data: { key: 'new' } });
    expect(changed.body.data).toEqual({ key: 'new', uid });
  }

  test('are read from protobuf', async () => {
    const out = new ProtobufWriter();
    encodeMessage(configMapResource.type, object, out);
    await expectRead(sealEnvelope({ kind: 'ConfigMap', apiVersion: 'v1', raw: out.finish() }));
  });

  test.each([
    ['with a line break at the end', `${JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', ...object })}\n`],
    [
      'with fields in another order',
      JSON.stringify({ data: object.data, metadata: object.metadata, apiVersion: 'v1', kind: 'ConfigMap' }),
    ],
    [
      'with metadata in another order',
      JSON.stringify({
        kind: 'ConfigMap',
        apiVersion: 'v1',
        metadata: Object.fromEntries(Object.entries(object.metadata).reverse()),
        data: object.data,
      }),
    ],
    ['indented', JSON.stringify({ kind: 'ConfigMap', apiVersion: 'v1', ...object }, undefined, 2)],
  ])('are read from JSON %s', (_, value) => expectRead(value));
});

describe('events', () => {
  const events = '/api/v1/namespaces/default/events';
  const event = (name: string) => ({
    metadata: { name },
    involvedObject: { kind: 'Pod', name: 'x', namespace: 'default' },
    reason: 'Test',
    message: 'm',
  });

  test('end after --event-ttl, counted from their last change, and watchers see them go', async () => {
    const clock = new FakeClock();
    await using server = await startTestServer({ listen: false, clock, eventTtlSeconds: 60 });
    const api = apiOf(server);
    const first = await api.post(events, event('first'));
    await api.post(events, event('second'));
    await api.post(configMaps, configMap('stays'));
    clock.advance(40_000);
    await api.patch('merge', `${events}/second`, { message: 'again' });
    const since = `resourceVersion=${first.body.metadata.resourceVersion}`;
    const response = await server.fetch(`${events}?watch=1&${since}&fieldSelector=metadata.name=first`);
    const reader = (response.body as ReadableStream<Uint8Array>).getReader();
    clock.advance(30_000);
    const { value } = await reader.read();
    expect(JSON.parse(Buffer.from(value as Uint8Array).toString())).toMatchObject({
      type: 'DELETED',
      object: { metadata: { name: 'first' } },
    });
    await reader.cancel();
    const names = (await api.get(events)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names).toEqual(['second']);
    expect((await api.get(`${configMaps}/stays`)).status).toBe(200);
  });

  test('are kept for an hour by default', async () => {
    const clock = new FakeClock();
    await using server = await startTestServer({ listen: false, clock });
    const api = apiOf(server);
    await api.post(events, event('a'));
    clock.advance(3_590_000);
    expect((await api.get(`${events}/a`)).status).toBe(200);
    clock.advance(20_000);
    await expect.poll(async () => (await api.get(`${events}/a`)).status).toBe(404);
  });
});

test.each(dialects.flatMap(([dialect]) => ['protobuf', 'JSON'].map((form) => [form, dialect] as const)))(
  'what an older server stored as %s is completed by the defaults that came up since: %s',
  async (form, dialect) => {
    const { store, server, api } = await started({ dialect });
    await using _ = server;
    const metadata = { name: 'old', namespace: 'default', uid, creationTimestamp: '2020-01-01T00:00:00Z' };
    const spec = { containers: [{ name: 'c', image: 'i:1' }] };
    const message = new ProtobufWriter();
    encodeMessage(podResource.type, { metadata, spec }, message);
    const value =
      form === 'JSON'
        ? Buffer.from(JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, spec, status: {} }))
        : Buffer.from(sealEnvelope({ apiVersion: 'v1', kind: 'Pod', raw: message.finish() }));
    await store.commit({ key: '/pods/default/old', value, expected: zeroRevision });
    const { body } = await api.get('/api/v1/namespaces/default/pods/old');
    expect(body.spec).toMatchObject({
      containers: [{ imagePullPolicy: 'IfNotPresent', terminationMessagePolicy: 'File' }],
      dnsPolicy: 'ClusterFirst',
      enableServiceLinks: true,
      restartPolicy: 'Always',
      terminationGracePeriodSeconds: 30,
    });
    expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata', 'spec', 'status']);
  },
);

test.each(dialects)(
  'what an older server stored in another version is read, and written in the current one: %s',
  async (dialect) => {
    const { store, server, api } = await started({ dialect });
    await using _ = server;
    const key = '/horizontalpodautoscalers/default/old';
    const spec = { scaleTargetRef: { kind: 'Deployment', name: 'd', apiVersion: 'apps/v1' }, maxReplicas: 3 };
    const metadata = { name: 'old', namespace: 'default', uid };
    const value = { kind: 'HorizontalPodAutoscaler', apiVersion: 'autoscaling/v1', metadata, spec, status: {} };
    await store.commit({ key, value: Buffer.from(JSON.stringify(value)), expected: zeroRevision });
    const path = (version: string) => `/apis/autoscaling/${version}/namespaces/default/horizontalpodautoscalers/old`;
    for (const version of ['v1', 'v2']) expect((await api.get(path(version))).body.spec).toMatchObject(spec);
    expect((await api.patch('merge', path('v1'), { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    const { value: written = Buffer.alloc(0) } = (await store.get(key)) ?? {};
    expect(JSON.parse(Buffer.from(written).toString()).apiVersion).toBe('autoscaling/v2');
  },
);
