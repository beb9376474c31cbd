// What a store has to do with writes.

import { expect } from 'vitest';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { bytes, type Contract, collect, committed, conflictOf, put, remove, text } from './steps.ts';

export function describeWrites(contract: Contract): void {
  contract('gives every write its own revision, in order', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    const second = await put(store, '/b/1', 'y');
    const third = await put(store, '/a/1', 'z', first);
    expect(second).toBeGreaterThan(first);
    expect(third).toBeGreaterThan(second);
    expect(await store.currentRevision()).toBe(third);
  });

  contract('creates only what does not exist', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    const result = await store.commit({ key: '/a/1', value: bytes('y'), expected: zeroRevision });
    expect(conflictOf(result)).toEqual({ value: 'x', revision: first });
    expect(text((await store.get('/a/1'))?.value)).toBe('x');
  });

  contract('updates and deletes only at the expected revision', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    const second = await put(store, '/a/1', 'y', first);
    expect(conflictOf(await store.commit({ key: '/a/1', value: bytes('z'), expected: first }))?.revision).toBe(second);
    expect(conflictOf(await store.commit({ key: '/a/1', value: undefined, expected: first }))?.revision).toBe(second);
    expect((await store.commit({ key: '/a/1', value: undefined, expected: second })).kind).toBe('committed');
    expect(await store.get('/a/1')).toBeUndefined();
  });

  contract('reports a missing key as a conflict without a current entry', async ({ store }) => {
    const result = await store.commit({ key: '/a/none', value: bytes('x'), expected: revision(7) });
    expect(result).toEqual({ kind: 'conflict', current: undefined });
  });

  contract('does nothing when asked to delete what is not there', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    const watcher = collect(store, '/a/', first);
    expect((await store.commit({ key: '/a/2', value: undefined, expected: zeroRevision })).kind).toBe('committed');
    expect(await store.currentRevision()).toBe(first);
    await watcher.reached(await put(store, '/a/3', 'x'));
    expect(watcher.events.map(({ key }) => key)).toEqual(['/a/3']);
  });

  contract('lets exactly one of many racing writers win', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    const racers = Array.from({ length: 20 }, (_, i) =>
      store.commit({ key: '/a/1', value: bytes(`${i}`), expected: first }),
    );
    const results = await Promise.all(racers);
    expect(results.filter(({ kind }) => kind === 'committed')).toHaveLength(1);
    const winner = results.findIndex(({ kind }) => kind === 'committed');
    expect(text((await store.get('/a/1'))?.value)).toBe(`${winner}`);
  });

  contract('creates a key again after it was deleted', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    await remove(store, '/a/1', first);
    const again = await put(store, '/a/1', 'y');
    expect(await store.get('/a/1')).toMatchObject({ revision: again });
  });

  contract('shows every reader what was acknowledged, at once', async ({ store }) => {
    let at = await put(store, '/a/1', '0');
    for (let i = 1; i <= 50; i++) {
      at = await put(store, '/a/1', `${i}`, at);
      expect(await store.currentRevision()).toBeGreaterThanOrEqual(at);
      expect(await store.get('/a/1')).toMatchObject({ revision: at });
      expect((await store.list({ prefix: '/a/' })).entries.map(({ value }) => text(value))).toEqual([`${i}`]);
    }
  });

  contract('gives concurrent writes of many keys different revisions', async ({ store }) => {
    const made = await Promise.all(Array.from({ length: 100 }, (_, i) => put(store, `/a/${i}`, 'x')));
    expect(new Set(made).size).toBe(100);
    const { entries } = await store.list({ prefix: '/a/' });
    expect(entries.map((entry) => entry.revision).sort((a, b) => a - b)).toEqual(made.sort((a, b) => a - b));
  });

  contract('keeps values byte for byte', async ({ store }) => {
    const value = Uint8Array.from({ length: 70_000 }, (_, i) => i % 256);
    await store.commit({ key: '/a/big', value, expected: zeroRevision });
    await store.commit({ key: '/a/empty', value: new Uint8Array(0), expected: zeroRevision });
    expect(Buffer.from((await store.get('/a/big'))?.value ?? []).equals(value)).toBe(true);
    expect((await store.get('/a/empty'))?.value).toHaveLength(0);
  });

  contract('tells by the revision which writes made settled values', async ({ store }) => {
    if (store.isSettled === undefined) return;
    const write = (key: string, settled: boolean) =>
      store.commit({ key, value: bytes('x'), expected: zeroRevision, settled });
    const results = await Promise.all([write('/a/1', true), write('/a/2', false), write('/a/3', true)]);
    const revisions = results.map(committed);
    expect(revisions.map((at) => store.isSettled?.(at))).toEqual([true, false, true]);
    expect(store.isSettled(await put(store, '/a/4', 'x'))).toBe(false);
    expect(store.isSettled(await remove(store, '/a/1', revisions[0] as Revision))).toBe(false);
  });
}
