// Faults with the names of failures in clusters: lost watches, 410, 429, slow bodies.

import { connect as connectHttp2 } from 'node:http2';
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { connect, Informer, loadKubeconfig } from '../../src/index.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { credentialsOf } from './credentials.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer({ settle: true });
});
afterEach(() => server.reset());
afterAll(() => server.close());

const maps = '/api/v1/namespaces/default/configmaps';

test('dropWatches: the stream is reset in the middle', async () => {
  const session = connectHttp2(server.url, credentialsOf(server.kubeconfig));
  const stream = session.request({ ':path': `${maps}?watch=1` });
  const ended = new Promise<number>((resolve) => stream.on('close', () => resolve(stream.rstCode)));
  stream.on('error', () => {}).resume();
  await new Promise((resolve) => stream.once('response', resolve));
  expect(server.faults.dropWatches({ resource: 'pods' })).toBe(0);
  expect(server.faults.dropWatches({ resource: 'configmaps' })).toBe(1);
  expect(await ended).not.toBe(0);
  session.destroy();
});

test('dropWatches: an informer over a connection sees what happens afterwards', async () => {
  const connection = connect(await loadKubeconfig({ text: server.kubeconfig }));
  const names = new Set<string>();
  const informer = new Informer({
    client: connection.client,
    path: maps,
    onChange: ({ metadata }) => names.add(metadata.name ?? ''),
    onError: () => {},
  });
  informer.start();
  try {
    await server.eventually(() => server.faults.dropWatches() > 0);
    await server.client.configmaps('default').create({ metadata: { name: 'after' } });
    await server.eventually(() => names.has('after'));
  } finally {
    await informer.close();
    connection.close();
  }
});

test('dropWatches: a stream without a socket fails as well, and later events harm no one', async () => {
  // watches of earlier tests end in their own time
  await server.eventually(() => server.faults.dropWatches() === 0);
  const answer = await server.fetch(`${maps}?watch=1`);
  const reader = answer.body?.getReader();
  expect(server.faults.dropWatches()).toBe(1);
  await expect(reader?.read()).rejects.toThrow('cut');
  await server.client.configmaps('default').create({ metadata: { name: 'later' } });
});

test('expireLists: an earlier version gets 410, a first list does not', async () => {
  const fault = server.faults.expireLists({ resource: 'configmaps' });
  const { metadata } = await server.client.raw.list(maps);
  const answer = await server.fetch(`${maps}?watch=1&resourceVersion=${metadata.resourceVersion}`);
  expect([answer.status, ((await answer.json()) as { reason: string }).reason]).toEqual([410, 'Expired']);
  expect(fault.hits).toBe(1);
});

test('throttle: 429 with the seconds to wait', async () => {
  server.faults.throttle({ verb: 'create', resource: 'configmaps' }, { retryAfterSeconds: 7 });
  const body = JSON.stringify({ metadata: { name: 'a' } });
  const init = { method: 'POST', body, headers: { 'content-type': 'application/json' } };
  const answer = await server.fetch(maps, init);
  expect([answer.status, answer.headers.get('retry-after')]).toEqual([429, '7']);
  expect((await server.fetch(maps, init)).status).toBe(201);
});

test('slowBodies: the body arrives in parts, and is whole', async () => {
  await server.client.configmaps('default').create({ metadata: { name: 'a' }, data: { text: 'x'.repeat(1000) } });
  const fault = server.faults.slowBodies({ verb: 'get', resource: 'configmaps' }, { bytesPerSecond: 10_000 });
  const before = performance.now();
  const object = await server.client.configmaps('default').get('a');
  expect(object.data?.['text']).toHaveLength(1000);
  expect(performance.now() - before).toBeGreaterThan(80);
  expect(fault.hits).toBe(1);
});

test('slowBodies: lists are sent slowly as well', async () => {
  server.faults.slowBodies({ verb: 'list', resource: 'configmaps' }, { bytesPerSecond: 20_000 });
  expect(await server.client.configmaps('default').list()).toHaveLength(1);
});

test('options are checked', () => {
  expect(() => server.faults.slowBodies({}, { bytesPerSecond: 0 })).toThrow('bytesPerSecond must be');
  expect(() => server.faults.throttle({}, { retryAfter: 1 } as object)).toThrow('did you mean retryAfterSeconds?');
});
