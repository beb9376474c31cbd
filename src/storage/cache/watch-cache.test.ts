import { describe, expect, test } from 'vitest';
import { systemClock } from '../../base/clock.ts';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { openMemoryStore } from '../memory/memory-store.ts';
import type { Store } from '../store.ts';
import { type CacheEvent, WatchCache } from './watch-cache.ts';

interface Item {
  readonly key: string;
  readonly text: string;
}

function cacheOver(store: Store): WatchCache<Item> {
  const materialize = ({ key, value }: { key: string; value: Uint8Array }) => ({
    key,
    text: Buffer.from(value).toString(),
  });
  return new WatchCache({ store, clock: systemClock, prefix: '/a/', materialize, sizeOf: ({ text }) => text.length });
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
    expect([...cache.range('/a/')].map(({ text }) => text)).toEqual(['one']);
    await put(store, '/a/2', 'two');
    expect(cache.get('/a/2')?.text).toBe('two');
    expect(cache.count('/a/')).toBe(2);
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
    expect(cache.count('/a/')).toBe(1300);
    expect(new Set([...cache.range('/a/')].map(({ key }) => key)).size).toBe(1300);
  });

  test('gives subscribers what they missed, from the ring or from the history of the store', async () => {
    const store = openMemoryStore();
    const first = await put(store, '/a/1', 'one');
    const second = await put(store, '/a/1', 'two');
    const cache = cacheOver(store);
    await cache.latest(1000);
    const third = await put(store, '/a/1', 'three');
    const recent: CacheEvent<Item>[] = [];
    cache.subscribe(second, { onEvents: (events) => recent.push(...events), onEnd: () => {} });
    expect(recent.map(show)).toEqual([[third, 'three', 'two']]);
    const old: CacheEvent<Item>[] = [];
    const caughtUp = new Promise<void>((resolve) => {
      cache.subscribe(first, {
        onEvents(events) {
          old.push(...events);
          if (events.at(-1)?.current?.text === 'four') resolve();
        },
        onEnd: () => {},
      });
    });
    const fourth = await put(store, '/a/1', 'four');
    await caughtUp;
    expect(old.map(show)).toEqual([
      [second, 'two', 'one'],
      [third, 'three', 'two'],
      [fourth, 'four', 'three'],
    ]);
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

  test('ends its subscribers when the store closes, and can be filled again', async () => {
    const store = openMemoryStore();
    const cache = cacheOver(store);
    await cache.latest(1000);
    const ended = new Promise((resolve) => {
      cache.subscribe(zeroRevision, { onEvents: () => {}, onEnd: resolve });
    });
    await store.close();
    expect(await ended).toBe('closed');
  });
});
