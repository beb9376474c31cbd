import { describe, expect, test } from 'vitest';
import { systemClock } from '../../base/time/clock.ts';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { openMemoryStore } from '../memory/memory-store.ts';
import type { Store } from '../store.ts';
import { type CacheEvent, type Snapshot, WatchCache } from './watch-cache.ts';

interface Item {
  readonly key: string;
  readonly text: string;
}

function cacheOver(
  store: Store,
  indexed: (item: Item, index: string) => string = ({ text }) => text,
): WatchCache<Item> {
  const materialize = ({ key, value }: { key: string; value: Uint8Array }) => ({
    key,
    text: Buffer.from(value).toString(),
  });
  return new WatchCache({
    store,
    clock: systemClock,
    prefix: '/a/',
    materialize,
    sizeOf: ({ text }) => text.length,
    indexed,
  });
}

async function put(store: Store, key: string, text: string): Promise<Revision> {
  const expected = (await store.get(key))?.revision ?? zeroRevision;
  const result = await store.commit({ key, value: Buffer.from(text), expected });
  if (result.kind !== 'committed') throw new Error('lost');
  return result.revision;
}

const show = ({ revision: at, current, previous }: CacheEvent<Item>) => [at, current?.text, previous?.text];

describe('watch cache', () => {
  test('is filled on first use and follows the store from then on', async () => {
    const store = openMemoryStore();
    await put(store, '/a/1', 'one');
    await put(store, '/b/1', 'elsewhere');
    const cache = cacheOver(store);
    expect(cache.get('/a/1')).toBeUndefined();
    await cache.latest(1000);
    expect(texts(cache.present())).toEqual(['one']);
    await put(store, '/a/2', 'two');
    expect(cache.get('/a/2')?.text).toBe('two');
    expect(cache.present().count('/a/')).toBe(2);
  });

  test('leaves out what cannot be read', async () => {
    const store = openMemoryStore();
    await put(store, '/a/1', 'one');
    await put(store, '/a/2', 'two');
    const cache = new WatchCache<Item>({
      store,
      clock: systemClock,
      prefix: '/a/',
      materialize: ({ key, value }) => (String(value) === 'one' ? undefined : { key, text: String(value) }),
      sizeOf: ({ text }) => text.length,
    });
    await cache.latest(1000);
    expect(texts(cache.present())).toEqual(['two']);
  });

  test('shows a write to the reader who made it, without waiting', async () => {
    const store = openMemoryStore();
    const cache = cacheOver(store);
    await cache.latest(1000);
    for (let i = 0; i < 100; i++) {
      await put(store, '/a/x', `${i}`);
      expect(cache.latest(1000)).toBe(true);
      expect(cache.get('/a/x')?.text).toBe(`${i}`);
    }
  });

  test('loads more objects than fit into one page', async () => {
    const store = openMemoryStore();
    await Promise.all(Array.from({ length: 1300 }, (_, i) => put(store, `/a/${i}`, 'x')));
    const cache = cacheOver(store);
    await cache.latest(1000);
    expect(cache.present().count('/a/')).toBe(1300);
    expect(new Set(cache.present().range('/a/')).size).toBe(1300);
  });

  test('tells those who come late what they missed, from the ring or from the history of the store', async () => {
    const store = openMemoryStore();
    const first = await put(store, '/a/1', 'one');
    const second = await put(store, '/a/1', 'two');
    const cache = cacheOver(store);
    await cache.latest(1000);
    const third = await put(store, '/a/1', 'three');
    expect((await replayed(cache, second)).map(show)).toEqual([[third, 'three', 'two']]);
    expect((await replayed(cache, first)).map(show)).toEqual([
      [second, 'two', 'one'],
      [third, 'three', 'two'],
    ]);
  });

  test('says that events a watch missed are gone', async () => {
    const store = openMemoryStore();
    const first = await put(store, '/a/1', 'one');
    await put(store, '/a/1', 'two');
    const last = await put(store, '/a/1', 'three');
    const cache = cacheOver(store);
    await cache.latest(1000);
    await store.compact(last);
    await expect(replayed(cache, first)).rejects.toThrow('gone');
  });

  test('shows how things were, as long as it remembers', async () => {
    const store = openMemoryStore();
    const cache = cacheOver(store);
    await cache.latest(1000);
    const seen = new Map<Revision, readonly string[]>();
    for (const [key, text] of [
      ['/a/2', 'two'],
      ['/a/1', 'one'],
      ['/a/2', 'two again'],
      ['/b/1', 'elsewhere'],
      ['/a/1', undefined],
      ['/a/3', 'three'],
    ] as const) {
      const at = await (text === undefined ? remove(store, key) : put(store, key, text));
      seen.set(at, texts(cache.present()));
    }
    for (const [at, expected] of seen) {
      const past = cache.past(at);
      expect(past?.revision).toBe(at);
      expect(past?.range('/a/').map(({ text }) => text)).toEqual(expected);
      expect(past?.count('/a/')).toBe(expected.length);
      expect(past?.range('/a/', '/a/1', 1).map(({ text }) => text)).toEqual(
        expected.filter((t) => t !== 'one').slice(0, 1),
      );
      expect(past?.count('/a/', '/a/1')).toBe(expected.filter((t) => t !== 'one').length);
    }
    expect(cache.past(revision(99))).toBeUndefined();
  });

  test('finds items by an index that follows changes', async () => {
    const store = openMemoryStore();
    await put(store, '/a/1', 'red');
    await put(store, '/a/2', 'blue');
    const cache = cacheOver(store);
    await cache.latest(1000);
    while (cache.find('text', 'red') === undefined) await new Promise((resolve) => setImmediate(resolve));
    const find = (value: string) => [...(cache.find('text', value) ?? ['not ready'])];
    expect([find('red'), find('blue'), find('green')]).toEqual([['/a/1'], ['/a/2'], []]);
    await put(store, '/a/1', 'blue');
    await remove(store, '/a/2');
    await put(store, '/a/3', 'green');
    expect([find('red'), find('blue'), find('green')]).toEqual([[], ['/a/1'], ['/a/3']]);
  });

  test('keeps only so many indexes', async () => {
    const store = openMemoryStore();
    const asked: string[] = [];
    const cache = cacheOver(store, (_, index) => {
      asked.push(index);
      return '';
    });
    await cache.latest(1000);
    for (let i = 0; i < 9; i++) cache.find(`${i}`, 'x');
    await put(store, '/a/1', 'x');
    expect(asked).toEqual(['1', '2', '3', '4', '5', '6', '7', '8']);
  });

  test('says when it did not get as far as it was asked to', async () => {
    const store = openMemoryStore();
    const cache = cacheOver(store);
    await cache.latest(1000);
    expect(await cache.reached(revision(50), 5)).toBe(false);
    const waiting = cache.reached(revision(1), 1000);
    await put(store, '/b/1', 'x');
    expect(await waiting).toBe(true);
  });

  test('asks for as much progress as a read needs, and only then', async () => {
    const store = openMemoryStore();
    const asked: number[] = [];
    const seldom: Store = {
      ...delegate(store),
      watch: (_, watcher) => ({
        close: () => {},
        requestProgress: (wanted) => {
          asked.push(wanted);
          // a member that is behind answers with less first
          for (const reached of [3, wanted]) setImmediate(() => watcher.onProgress(revision(reached)));
        },
      }),
    };
    const cache = cacheOver(seldom);
    await cache.started();
    expect(await cache.reached(revision(5), 5000)).toBe(true);
    expect(await cache.reached(revision(4), 5000)).toBe(true);
    expect(asked).toEqual([5]);
  });

  test('does not keep waiting for a feed that is over', async () => {
    const store = openMemoryStore();
    const cache = cacheOver(store);
    await cache.latest(1000);
    const waiting = cache.reached(revision(50), 60_000);
    cache.close();
    expect(await waiting).toBe(false);
  });

  test('ends its listeners when the store closes, and can be filled again', async () => {
    const store = openMemoryStore();
    const cache = cacheOver(store);
    await cache.latest(1000);
    const ended = new Promise((resolve) => {
      cache.listen({ onEvents: () => {}, onProgress: () => {}, onEnd: resolve });
    });
    await store.close();
    expect(await ended).toBe('closed');
  });

  test('reads everything again when it means something else, also in the middle of reading', async () => {
    const store = openMemoryStore();
    await put(store, '/a/1', 'one');
    let language = 'de';
    const cache = new WatchCache<Item>({
      ...{ store, clock: systemClock, prefix: '/a/', sizeOf: () => 1 },
      materialize: ({ key }) => ({ key, text: language }),
    });
    await cache.latest(1000);
    const ends: string[] = [];
    cache.listen({ onEvents() {}, onProgress() {}, onEnd: (reason) => ends.push(reason) });
    language = 'fr';
    cache.refill({ reveals: false });
    expect(ends).toEqual(['closed']);
    const loading = cache.latest(1000);
    language = 'it';
    cache.refill({ reveals: false });
    await loading;
    expect(texts(cache.present())).toEqual(['it']);
    await put(store, '/a/2', 'two');
    expect(texts(cache.present())).toEqual(['it', 'it']);
    expect(cache.counts.initializations).toBe(2);
  });

  test('sends listeners away for good when it may show items that it left out', async () => {
    const store = openMemoryStore();
    await put(store, '/a/1', 'one');
    let hidden = true;
    const cache = new WatchCache<Item>({
      ...{ store, clock: systemClock, prefix: '/a/', sizeOf: () => 1 },
      materialize: ({ key }) => (hidden ? undefined : { key, text: 'seen' }),
    });
    await cache.latest(1000);
    const known = cache.revision;
    const ends: string[] = [];
    const onEnd = (reason: string) => ends.push(reason);
    cache.listen({ onEvents() {}, onProgress() {}, onEnd });
    hidden = false;
    cache.refill({ reveals: true });
    await put(store, '/a/2', 'two');
    await cache.latest(1000);
    expect(await cache.hasHistory(known)).toBe(false);
    cache.replay(known, { onEvents() {}, onCaughtUp: () => ends.push('caught up'), onEnd });
    expect(ends).toEqual(['gone', 'gone']);
    expect(await cache.hasHistory(cache.revision)).toBe(true);
  });

  test('leaves no watch open when it is closed while it loads', async () => {
    const store = openMemoryStore();
    let opened = 0;
    const counting: Store = {
      ...delegate(store),
      watch(query, watcher) {
        opened++;
        return store.watch(query, watcher);
      },
    };
    const cache = cacheOver(counting);
    const loading = cache.started();
    cache.close();
    await expect(loading).rejects.toThrow('closed');
    expect(opened).toBe(0);
  });
});

function delegate(store: Store): Store {
  return {
    get: (key) => store.get(key),
    list: (query) => store.list(query),
    commit: (write) => store.commit(write),
    watch: (query, watcher) => store.watch(query, watcher),
    compact: (at) => store.compact(at),
    currentRevision: () => store.currentRevision(),
    close: () => store.close(),
  };
}

const texts = (snapshot: Snapshot<Item>) => snapshot.range('/a/').map(({ text }) => text);

async function remove(store: Store, key: string): Promise<Revision> {
  const expected = (await store.get(key))?.revision ?? zeroRevision;
  const result = await store.commit({ key, value: undefined, expected });
  if (result.kind !== 'committed') throw new Error('lost');
  return result.revision;
}

function replayed(cache: WatchCache<Item>, after: Revision): Promise<CacheEvent<Item>[]> {
  const seen: CacheEvent<Item>[] = [];
  return new Promise((resolve, reject) => {
    cache.replay(after, {
      onEvents: (events) => seen.push(...events),
      onCaughtUp: () => resolve(seen),
      onEnd: (reason) => reject(new Error(reason)),
    });
  });
}
