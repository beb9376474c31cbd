import { describe, expect, test } from 'vitest';
import { revision, zeroRevision } from '../../meta/revision.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { openMemoryStore } from '../memory/memory-store.ts';
import type { Checkpoint, Store, StoreEvent } from '../store.ts';

const put = async (store: Store, key: string, text: string, ttlSeconds?: number) =>
  store.commit({
    key,
    value: Buffer.from(text),
    expected: (await store.get(key))?.revision ?? zeroRevision,
    ...(ttlSeconds === undefined ? {} : { ttlSeconds }),
  });
const remove = async (store: Store, key: string) =>
  store.commit({ key, value: undefined, expected: (await store.get(key))?.revision ?? zeroRevision });
const contentOf = async (store: Store) =>
  Object.fromEntries(
    (await store.list({ prefix: '/' })).entries.map(({ key, value }) => [key, Buffer.from(value).toString()]),
  );
const checkpointOf = (store: Store) => store.checkpoint?.() as Checkpoint;

describe('a checkpoint', () => {
  test('brings back what was changed and deleted, takes away what is new, and leaves the rest alone', async () => {
    const store = openMemoryStore();
    for (const key of ['/a', '/b', '/c']) await put(store, key, 'first');
    const checkpoint = checkpointOf(store);
    const untouched = (await store.get('/c'))?.revision;
    await put(store, '/a', 'second');
    await remove(store, '/b');
    await put(store, '/d', 'new');
    await checkpoint.restore();
    expect(await contentOf(store)).toEqual({ '/a': 'first', '/b': 'first', '/c': 'first' });
    expect((await store.get('/c'))?.revision).toBe(untouched);
    await store.close();
  });

  test('can be restored again and again, and writes nothing where nothing has changed', async () => {
    const store = openMemoryStore();
    await put(store, '/a', 'first');
    const checkpoint = checkpointOf(store);
    for (let i = 0; i < 3; i++) {
      await put(store, '/a', `change ${i}`);
      await checkpoint.restore();
    }
    const before = await store.currentRevision();
    await checkpoint.restore();
    expect(await store.currentRevision()).toBe(before);
    expect(await contentOf(store)).toEqual({ '/a': 'first' });
    await store.close();
  });

  test('is restored by new revisions, which watchers are told in order', async () => {
    const store = openMemoryStore();
    await put(store, '/a', 'first');
    const checkpoint = checkpointOf(store);
    const seen: StoreEvent[] = [];
    const after = revision(await store.currentRevision());
    store.watch(
      { prefix: '/', after },
      { onEvents: (events) => void seen.push(...events), onProgress() {}, onEnd() {} },
    );
    await put(store, '/b', 'new');
    await put(store, '/a', 'second');
    await checkpoint.restore();
    expect(seen.map(({ key, value }) => [key, value && Buffer.from(value).toString()])).toEqual([
      ['/b', 'new'],
      ['/a', 'second'],
      ['/b', undefined],
      ['/a', 'first'],
    ]);
    expect(seen.map((event) => event.revision)).toEqual([after + 1, after + 2, after + 3, after + 4]);
    await store.close();
  });

  test('outlives compaction', async () => {
    const store = openMemoryStore();
    await put(store, '/a', 'first');
    const checkpoint = checkpointOf(store);
    await remove(store, '/a');
    await store.compact(revision(await store.currentRevision()));
    await checkpoint.restore();
    expect(await contentOf(store)).toEqual({ '/a': 'first' });
    await store.close();
  });

  test('comes after writes that were accepted before it', async () => {
    const store = openMemoryStore();
    await put(store, '/a', 'first');
    const checkpoint = checkpointOf(store);
    const writes = [put(store, '/x', 'late'), put(store, '/a', 'late')];
    // they have read what they replace
    await Promise.resolve();
    await Promise.all([...writes, checkpoint.restore()]);
    expect(await contentOf(store)).toEqual({ '/a': 'first' });
    await store.close();
  });

  test('keeps the time at which a key ends', async () => {
    const clock = new FakeClock();
    const store = openMemoryStore({ clock });
    await put(store, '/event', 'one', 60);
    const checkpoint = checkpointOf(store);
    await remove(store, '/event');
    await checkpoint.restore();
    expect(await contentOf(store)).toEqual({ '/event': 'one' });
    const gone = new Promise<void>((resolve) => {
      const onEvents = () => resolve();
      void Promise.resolve(store.currentRevision()).then((after) =>
        store.watch({ prefix: '/', after }, { onEvents, onProgress() {}, onEnd() {} }),
      );
    });
    await Promise.resolve();
    clock.advance(61_000);
    await gone;
    expect(await contentOf(store)).toEqual({});
    await store.close();
  });
});
