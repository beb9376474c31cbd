// What a store has to do whose values can be read at any moment without waiting.

import { expect, test } from 'vitest';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { CompactedError, type MappedValues, type Store } from '../store.ts';
import { put, remove, type StoreFixture, text } from './steps.ts';

export function describeMappedValues(name: string, open: () => Promise<StoreFixture>): void {
  const mapped = (title: string, run: (store: Store, values: MappedValues) => Promise<void>) =>
    test(`${name} store: ${title}`, async () => {
      const fixture = await open();
      try {
        await run(fixture.store, fixture.store.mapped as MappedValues);
      } finally {
        await fixture.dispose();
      }
    });

  mapped('places are listed as entries are, page by page at one revision', async (store, values) => {
    const written: Revision[] = [];
    for (let i = 0; i < 7; i++) written.push(await put(store, `/a/${i}`, 'old'));
    const first = await values.listPlaces({ prefix: '/a/', limit: 3 });
    const added = await put(store, '/a/35', 'new');
    const changed = await put(store, '/a/6', 'new', written[6]);
    await remove(store, '/a/5', written[5] as Revision);
    const query = { prefix: '/a/', after: '/a/2', at: first.revision, limit: 10 };
    const [places, entries] = [await values.listPlaces(query), await store.list(query)];
    expect(first).toMatchObject({ revision: written[6], more: true });
    expect(places.more).toBe(false);
    expect(places.entries).toEqual(entries.entries.map(({ key, revision: at }) => ({ key, revision: at })));
    const now = await values.listPlaces({ prefix: '/a/' });
    expect(now.entries.map(({ key, revision: at }) => [key, at]).slice(-3)).toEqual([
      ['/a/35', added],
      ['/a/4', written[4]],
      ['/a/6', changed],
    ]);
  });

  mapped('a value is read by the revision of its write until history is compacted', async (store, values) => {
    const before = await put(store, '/a/1', 'before');
    const after = await put(store, '/a/1', 'x'.repeat(100_000), before);
    const gone = await remove(store, '/a/1', after);
    const look = (at: typeof before) => values.look(at, (value) => text(value));
    expect([look(before), look(after)?.length, look(gone), look(revision(99))]).toEqual([
      'before',
      100_000,
      undefined,
      undefined,
    ]);
    await store.compact(gone);
    expect([look(before), look(after)]).toEqual([undefined, undefined]);
    await expect(values.listPlaces({ prefix: '/a/', at: before })).rejects.toThrow(CompactedError);
  });

  mapped('a store that was closed reads no value', async (store, values) => {
    const at = await put(store, '/a/1', 'x');
    await store.close();
    expect(() => values.look(at, () => 1)).toThrow('the store is closed');
  });

  mapped('values of this release are its own', async (_, values) => {
    expect(values.ownSince).toBe(zeroRevision + 1);
  });
}
