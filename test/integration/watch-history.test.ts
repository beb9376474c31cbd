// A watch that reads history from the store while the cache is behind the store.

import { expect, test } from 'vitest';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store, StoreEvent } from '../../src/storage/store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';

const collection = '/api/v1/namespaces/default/configmaps';
const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name } });

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
