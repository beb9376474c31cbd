// A watch that reads history from the store while the cache is behind the store.

import { describe, expect, test } from 'vitest';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store, StoreEvent } from '../../src/storage/store.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { dialects } from './dialects.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

/** Objects that only this test makes. */
const ranges = '/api/v1/namespaces/default/limitranges';
const range = (name: string) => ({ metadata: { name }, spec: { limits: [] } });

/** A store whose first watch of config maps, the cache's, can be made to hear late. */
function slowToTellTheCache(): { store: Store; hold(): void; release(): void } {
  const inner = openMemoryStore();
  let isHeld = false;
  let held: (readonly StoreEvent[])[] = [];
  let tellCache: ((events: readonly StoreEvent[]) => void) | undefined;
  const store = new Proxy(inner, {
    get(target, name) {
      const value = Reflect.get(target, name, target) as unknown;
      if (name !== 'watch') return typeof value === 'function' ? (value.bind(target) as unknown) : value;
      return ((query, watcher) => {
        if (tellCache !== undefined || query.prefix !== '/configmaps/') return target.watch(query, watcher);
        tellCache = (events) => void watcher.onEvents(events);
        return target.watch(query, {
          ...watcher,
          onEvents: (events) => (isHeld ? void held.push(events) : watcher.onEvents(events)),
          onProgress: (revision) => (isHeld ? undefined : watcher.onProgress(revision)),
          onEnd: (reason) => watcher.onEnd(reason),
        });
      }) satisfies Store['watch'];
    },
  });
  return {
    store,
    hold() {
      isHeld = true;
    },
    release() {
      isHeld = false;
      const late = held;
      held = [];
      for (const events of late) tellCache?.(events);
    },
  };
}

async function* namesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const part of response.body as unknown as AsyncIterable<Uint8Array>) {
    const lines = (rest + Buffer.from(part).toString()).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines)
      yield (JSON.parse(line) as { object: { metadata: { name: string } } }).object.metadata.name;
  }
}

test('what history told does not come again when the cache hears of it', async () => {
  const { store, hold, release } = slowToTellTheCache();
  await using server = await startTestServer({ store, listen: false, controllers: [] });
  const api = apiOf(server);
  await api.post(collection, configMap('first'));
  await api.get(collection);
  hold();
  await api.post(collection, configMap('late'));
  const names = namesOf(await server.fetch(`${collection}?watch=1&resourceVersion=1&timeoutSeconds=30`));
  expect((await names.next()).value).toBe('first');
  expect((await names.next()).value).toBe('late');
  release();
  await api.post(collection, configMap('end'));
  expect((await names.next()).value).toBe('end');
  await names.return(undefined);
});

describe.each(dialects)('%s', (dialect) => {
  test('a watch cannot start before changes that are older than --history, though the cache had them', async () => {
    const clock = new FakeClock();
    await using server = await startTestServer({ listen: false, dialect, clock, historySeconds: 60, controllers: [] });
    const api = apiOf(server);
    const versionOf = async (name: string) =>
      (await api.post(ranges, range(name))).body.metadata.resourceVersion as string;
    const [first, last] = [await versionOf('first'), await versionOf('last')];
    const start = (version: string) => server.fetch(`${ranges}?watch=1&resourceVersion=${version}&timeoutSeconds=30`);
    const before = namesOf(await start(first));
    expect((await before.next()).value).toBe('last');
    await before.return(undefined);
    for (let seconds = 0; seconds < 80; seconds += 5) {
      clock.advance(5000);
      await new Promise((resolve) => setImmediate(resolve));
    }
    const late = await start(first);
    const firstBytes = (await late.body?.getReader().read())?.value as Uint8Array;
    const event = JSON.parse(Buffer.from(firstBytes).toString());
    expect([late.status, (event.object ?? event).code]).toEqual([dialect === 'cluster' ? 410 : 200, 410]);
    // nothing was missed since the last change, however long ago it was
    const quiet = namesOf(await start(last));
    await api.post(ranges, range('next'));
    expect((await quiet.next()).value).toBe('next');
    await quiet.return(undefined);
  });
});
