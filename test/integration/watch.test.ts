// Watches: start modes, transitions, bookmarks and ends (spec: Watching changes, Events).

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';

interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly metadata: Record<string, string>;
    readonly data?: Record<string, string>;
    readonly reason?: string;
  };
}

/** The events of a watch, one at a time. */
async function openWatch(
  server: Server,
  path: string,
): Promise<{ next(): Promise<WatchEvent | undefined>; close(): Promise<void> }> {
  const response = await server.fetch(path);
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const lines: string[] = [];
  let rest = '';
  return {
    async next() {
      while (lines.length === 0) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        const parts = (rest + Buffer.from(value).toString()).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
      }
      return JSON.parse(lines.shift() as string) as WatchEvent;
    },
    close: () => reader.cancel(),
  };
}

const brief = (event: WatchEvent | undefined) => event && [event.type, event.object.metadata['name']];

let server: Server;
let api: Api;
let clock: FakeClock;
beforeAll(async () => {
  clock = new FakeClock();
  server = await startTestServer({ listen: false, clock, controllers: [] });
  api = apiOf(server);
});
afterAll(() => server.close());

const newest = async () => (await api.get(configMaps)).body.metadata.resourceVersion as string;

describe('a watch', () => {
  test('from a version reports what came after it, the deleted object with the version of its deletion', async () => {
    const from = await newest();
    await api.post(configMaps, configMap('seen', { a: '1' }));
    const watch = await openWatch(server, `${configMaps}?watch=1&resourceVersion=${from}`);
    await api.patch('merge', `${configMaps}/seen`, { data: { a: '2' } });
    await api.delete(`${configMaps}/seen`);
    const events = [await watch.next(), await watch.next(), await watch.next()];
    expect(events.map(brief)).toEqual([
      ['ADDED', 'seen'],
      ['MODIFIED', 'seen'],
      ['DELETED', 'seen'],
    ]);
    expect(events[2]?.object.data).toEqual({ a: '2' });
    const versions = events.map((event) => Number(event?.object.metadata['resourceVersion']));
    expect(versions).toEqual([...versions].sort((a, b) => a - b));
    expect(new Set(versions).size).toBe(3);
    await watch.close();
  });

  test.each(['', '&resourceVersion=0'])('without a version (%s) begins with what is there', async (query) => {
    await api.put(`${configMaps}/there`, configMap('there'));
    await api.post(configMaps, configMap('there'));
    const watch = await openWatch(server, `${configMaps}?watch=true${query}&fieldSelector=metadata.name%3Dthere`);
    expect(brief(await watch.next())).toEqual(['ADDED', 'there']);
    await api.patch('merge', `${configMaps}/there`, { data: { n: query } });
    expect(brief(await watch.next())).toEqual(['MODIFIED', 'there']);
    await watch.close();
    await api.delete(`${configMaps}/there`);
  });

  test('reports an object that starts or stops matching its selector as added or deleted', async () => {
    const from = await newest();
    await api.post(configMaps, configMap('turn'));
    const watch = await openWatch(server, `${configMaps}?watch=1&resourceVersion=${from}&labelSelector=on%3Dyes`);
    await api.patch('merge', `${configMaps}/turn`, { metadata: { labels: { on: 'yes' } } });
    await api.patch('merge', `${configMaps}/turn`, { data: { a: '1' } });
    await api.patch('merge', `${configMaps}/turn`, { metadata: { labels: { on: null } } });
    await api.delete(`${configMaps}/turn`);
    const types = [await watch.next(), await watch.next(), await watch.next()].map((event) => event?.type);
    expect(types).toEqual(['ADDED', 'MODIFIED', 'DELETED']);
    await watch.close();
  });

  test('stays inside its namespace and its object', async () => {
    const from = await newest();
    const watch = await openWatch(
      server,
      `/api/v1/watch/namespaces/kube-public/configmaps/one?resourceVersion=${from}`,
    );
    await api.post(configMaps, configMap('one'));
    await api.post('/api/v1/namespaces/kube-public/configmaps', configMap('two'));
    await api.post('/api/v1/namespaces/kube-public/configmaps', configMap('one'));
    const event = await watch.next();
    expect([brief(event), event?.object.metadata['namespace']]).toEqual([['ADDED', 'one'], 'kube-public']);
    await watch.close();
  });

  test('marks the end of the initial state when asked to', async () => {
    const query =
      'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true&labelSelector=none%3Dmatch';
    const watch = await openWatch(server, `${configMaps}?${query}`);
    const event = await watch.next();
    expect(event?.type).toBe('BOOKMARK');
    expect(event?.object).toMatchObject({
      kind: 'ConfigMap',
      metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } },
    });
    await watch.close();
    expect((await api.get(`${configMaps}?watch=1&sendInitialEvents=true`)).status).toBe(422);
  });

  test.each(['', '&resourceVersion=0'])(
    'without a version (%s) marks the end of the state for those who want bookmarks',
    async (query) => {
      const path = `${configMaps}?watch=1${query}&labelSelector=none%3Dmatch`;
      const watch = await openWatch(server, `${path}&allowWatchBookmarks=true`);
      expect(await watch.next()).toMatchObject({
        type: 'BOOKMARK',
        object: { metadata: { annotations: { 'k8s.io/initial-events-end': 'true' } } },
      });
      await watch.close();
      const without = await openWatch(server, `${path}&timeoutSeconds=5`);
      clock.advance(5000);
      expect(await without.next()).toBeUndefined();
    },
  );

  test('whose state has to be newer than anything gets an ERROR event with a 504', async () => {
    const query = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&resourceVersion=9000000000';
    const opened = openWatch(server, `${configMaps}?watch=1&${query}`);
    const first = opened.then((watch) => watch.next());
    const end = first.then(() => true);
    // the request may not have begun to wait yet
    do clock.advance(3000);
    while (!(await Promise.race([end, new Promise((resolve) => setTimeout(resolve, 50, false))])));
    const watch = await opened;
    expect(await first).toMatchObject({
      type: 'ERROR',
      object: {
        kind: 'Status',
        code: 504,
        reason: 'Timeout',
        details: { causes: [{ reason: 'ResourceVersionTooLarge' }], retryAfterSeconds: 1 },
      },
    });
    expect(await watch.next()).toBeUndefined();
  });

  test('sends a bookmark every minute to those who want them', async () => {
    const from = await newest();
    const watch = await openWatch(server, `${configMaps}?watch=1&resourceVersion=${from}&allowWatchBookmarks=true`);
    const made = (await api.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'elsewhere' } })).body;
    clock.advance(60_000);
    const event = await watch.next();
    const { resourceVersion } = event?.object.metadata ?? {};
    // nothing but the version, that of the secret or of what the server itself wrote after it
    expect(event).toEqual({
      type: 'BOOKMARK',
      object: { kind: 'ConfigMap', apiVersion: 'v1', metadata: { resourceVersion } },
    });
    expect(Number(resourceVersion)).toBeGreaterThanOrEqual(Number(made.metadata.resourceVersion));
    await watch.close();
  });

  test('sends a last bookmark two seconds before its time is up', async () => {
    const from = await newest();
    const watch = await openWatch(
      server,
      `${configMaps}?watch=1&resourceVersion=${from}&allowWatchBookmarks=true&timeoutSeconds=90`,
    );
    const types: (string | undefined)[] = [];
    clock.advance(60_000);
    types.push((await watch.next())?.type);
    clock.advance(28_000);
    types.push((await watch.next())?.type);
    clock.advance(2000);
    expect([...types, await watch.next()]).toEqual(['BOOKMARK', 'BOOKMARK', undefined]);
  });

  test('that is too short for a bookmark has none', async () => {
    const query = `resourceVersion=${await newest()}&allowWatchBookmarks=true&timeoutSeconds=2`;
    const watch = await openWatch(server, `${configMaps}?watch=1&${query}`);
    clock.advance(2000);
    expect(await watch.next()).toBeUndefined();
  });

  test('does not begin with what is there when told not to', async () => {
    await api.post(configMaps, configMap('before'));
    const query = 'watch=1&sendInitialEvents=false&resourceVersionMatch=NotOlderThan';
    const watch = await openWatch(server, `${configMaps}?${query}`);
    await api.post(configMaps, configMap('after'));
    expect(brief(await watch.next())).toEqual(['ADDED', 'after']);
    await watch.close();
    for (const name of ['before', 'after']) await api.delete(`${configMaps}/${name}`);
  });

  test('may begin at a version that is still to come', async () => {
    const begin = Number(await newest()) + 2;
    const watch = await openWatch(server, `${configMaps}?watch=1&resourceVersion=${begin}`);
    const later: string[] = [];
    for (const name of ['one', 'two', 'three']) {
      const { metadata } = (await api.post(configMaps, configMap(`future-${name}`))).body;
      // controllers of the server may write in between
      if (Number(metadata.resourceVersion) > begin) later.push(metadata.name);
    }
    expect(later).toContain('future-three');
    for (const name of later) expect(brief(await watch.next())).toEqual(['ADDED', name]);
    await api.delete(`${configMaps}/future-one`);
    expect(brief(await watch.next())).toEqual(['DELETED', 'future-one']);
    await watch.close();
    for (const name of ['one', 'two', 'three']) await api.delete(`${configMaps}/future-${name}`);
  });

  test.each([
    'sendInitialEvents=true',
    'sendInitialEvents=true&resourceVersionMatch=Exact',
    'resourceVersionMatch=NotOlderThan',
    'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&continue=x',
  ])('refuses %s', async (query) => {
    expect(await api.get(`${configMaps}?watch=1&${query}`)).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
  });

  test.each([
    ['resourceVersion=abc', 500, undefined],
    ['resourceVersion=-1', 500, undefined],
    ['limit=many', 400, 'BadRequest'],
    ['timeoutSeconds=soon', 400, 'BadRequest'],
    ['labelSelector=a%20b', 400, 'BadRequest'],
    ['fieldSelector=spec.x%3D1', 400, 'BadRequest'],
  ])('refuses %s with a %i before it begins', async (query, status, reason) => {
    const answer = await api.get(`${configMaps}?watch=1&${query}`);
    expect([answer.status, answer.body.code, answer.body.reason]).toEqual([status, status, reason]);
  });

  test('is not to be had as YAML', async () => {
    const response = await server.fetch(`${configMaps}?watch=1`, { headers: { accept: 'application/yaml' } });
    expect([response.status, await response.text()]).toEqual([406, expect.stringContaining('NotAcceptable')]);
  });

  test('that may last less than no time ends at once', async () => {
    const watch = await openWatch(server, `${configMaps}?watch=1&resourceVersion=${await newest()}&timeoutSeconds=-1`);
    clock.advance(0);
    expect(await watch.next()).toBeUndefined();
  });

  test('of one object refuses a selector of another', async () => {
    const path = '/api/v1/watch/namespaces/default/configmaps/alone';
    for (const selector of ['metadata.name%3Dtwo', 'metadata.namespace%3Ddefault']) {
      const answer = await api.get(`${path}?fieldSelector=${selector}`);
      expect([answer.status, answer.body.reason]).toEqual([400, 'BadRequest']);
    }
    const watch = await openWatch(server, `${path}?fieldSelector=metadata.name%3Dalone&timeoutSeconds=5`);
    clock.advance(5000);
    expect(await watch.next()).toBeUndefined();
  });

  test('gets the same bytes as every other watch of the same things', async () => {
    const from = await newest();
    const paths = ['', '', '&labelSelector=x%3Dy', '&labelSelector=x%3Dy'];
    const bodies = await Promise.all(
      paths.map(async (selector) => {
        const response = await server.fetch(`${configMaps}?watch=1&resourceVersion=${from}${selector}`);
        return (response.body as ReadableStream<Uint8Array>).getReader();
      }),
    );
    await api.post(configMaps, configMap('shared', {}, { labels: { x: 'y' } }));
    const chunks = await Promise.all(bodies.map(async (reader) => (await reader.read()).value));
    // not only equal: one buffer
    expect(new Set(chunks).size).toBe(1);
    for (const reader of bodies) await reader.cancel();
    await api.delete(`${configMaps}/shared`);
  });

  test('sees what happens while its initial state is on its way', async () => {
    await Promise.all(
      Array.from({ length: 50 }, (_, i) => api.post(configMaps, configMap(`state-${i}`, { t: 'x'.repeat(20_000) }))),
    );
    const watch = await openWatch(server, `${configMaps}?watch=1`);
    const first = await watch.next();
    await api.post(configMaps, configMap('state-late'));
    await api.delete(`${configMaps}/state-0`);
    const seen = [brief(first)];
    while (seen.at(-1)?.[0] !== 'DELETED') seen.push(brief(await watch.next()));
    expect(seen.filter((event) => event?.[0] === 'ADDED' && event[1] === 'state-late')).toHaveLength(1);
    expect(seen.at(-1)).toEqual(['DELETED', 'state-0']);
    await watch.close();
    await api.delete(configMaps);
  });

  test('ends when the server is about to stop', async () => {
    const own = await startTestServer({ listen: false });
    const watch = await openWatch(own, `${configMaps}?watch=1&resourceVersion=0&fieldSelector=metadata.name%3Dnone`);
    const [end] = await Promise.all([watch.next(), own.close()]);
    expect(end).toBeUndefined();
  });

  test('ends after timeoutSeconds', async () => {
    const watch = await openWatch(server, `${configMaps}?watch=1&resourceVersion=${await newest()}&timeoutSeconds=30`);
    await new Promise((resolve) => setImmediate(resolve));
    clock.advance(30_000);
    expect(await watch.next()).toBeUndefined();
  });

  test('from history that is gone gets an ERROR event with a 410', async () => {
    const dataDir = mkdtempSync(join(tmpdir(), 'keelson-watch-'));
    const time = new FakeClock();
    const options = { listen: false, clock: time, store: 'embedded', dataDir } as const;
    const first = await startTestServer(options);
    const from = (await apiOf(first).get(configMaps)).body.metadata.resourceVersion as string;
    await apiOf(first).post(configMaps, configMap('old'));
    const exact = () => apiOf(first).get(`${configMaps}?resourceVersion=${from}&resourceVersionMatch=Exact`);
    while ((await exact()).status === 200) {
      time.advance(30_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(await exact()).toMatchObject({ status: 410, body: { reason: 'Expired' } });
    await first.close();
    const second = await startTestServer(options);
    const watch = await openWatch(second, `${configMaps}?watch=1&resourceVersion=${from}`);
    expect(await watch.next()).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', reason: 'Expired', code: 410 },
    });
    expect(await watch.next()).toBeUndefined();
    await second.close();
    rmSync(dataDir, { recursive: true });
  });

  test('can be had as a table and as metadata only', async () => {
    await api.post(configMaps, configMap('shaped', { a: '1' }));
    const path = `${configMaps}?watch=1&fieldSelector=metadata.name%3Dshaped`;
    const accept = (as: string) => ({ headers: { accept: `application/json;as=${as};v=v1;g=meta.k8s.io` } });
    const first = async (as: string) => {
      const response = await server.fetch(path, accept(as));
      const reader = (response.body as ReadableStream<Uint8Array>).getReader();
      const { value } = await reader.read();
      await reader.cancel();
      return JSON.parse(
        Buffer.from(value ?? [])
          .toString()
          .split('\n')[0] as string,
      );
    };
    expect((await first('Table')).object).toMatchObject({
      kind: 'Table',
      rows: [{ cells: ['shaped', 1, expect.any(String)] }],
    });
    expect((await first('PartialObjectMetadata')).object).toMatchObject({
      kind: 'PartialObjectMetadata',
      metadata: { name: 'shaped' },
    });
  });
});
