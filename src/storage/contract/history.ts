// What a store has to do with history: what it forgets, and what it may not.

import { expect } from 'vitest';
import { revision, zeroRevision } from '../../meta/revision.ts';
import { CompactedError, StoreUnavailableError } from '../store.ts';
import { bytes, type Contract, collect, committed, put, remove, text } from './steps.ts';

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function describeHistory(contract: Contract): void {
  contract('forgets history up to a revision and keeps what is current', async ({ store }) => {
    const first = await put(store, '/a/1', 'one');
    const second = await put(store, '/a/1', 'two', first);
    const gone = await put(store, '/a/2', 'x');
    const deleted = await remove(store, '/a/2', gone);
    await put(store, '/a/3', 'y');
    await store.compact(deleted);
    expect(text((await store.get('/a/1'))?.value)).toBe('two');
    expect((await store.get('/a/1'))?.revision).toBe(second);
    expect((await store.list({ prefix: '/a/', at: deleted })).entries.map(({ key }) => key)).toEqual(['/a/1']);
    await expect(store.list({ prefix: '/a/', at: second })).rejects.toThrow(CompactedError);
  });

  contract('answers a watch from compacted history with gone', async ({ store }) => {
    const first = await put(store, '/a/1', 'one');
    const second = await put(store, '/a/1', 'two', first);
    const third = await put(store, '/a/1', 'three', second);
    const fourth = await put(store, '/a/1', 'four', third);
    await store.compact(third);
    expect(await collect(store, '/a/', first).ended).toBe('gone');
    const resumed = collect(store, '/a/', third);
    await resumed.reached(fourth);
    expect(resumed.events.map((event) => event.revision)).toEqual([fourth]);
  });

  contract('lists and watches on while history is compacted behind them', async ({ store }) => {
    const watcher = collect(store, '/a/', await store.currentRevision());
    let at = zeroRevision;
    for (let i = 0; i < 60; i++) {
      at = await put(store, '/a/1', `${i}`, at);
      await watcher.reached(at);
      const compacting = store.compact(revision(at - 1));
      expect((await store.list({ prefix: '/a/', at })).entries.map(({ value }) => text(value))).toEqual([`${i}`]);
      await compacting;
    }
    expect(watcher.events.map(({ value }) => text(value))).toEqual(Array.from({ length: 60 }, (_, i) => `${i}`));
    expect(await collect(store, '/a/', revision(at - 3)).ended).toBe('gone');
  });

  contract('does not mind a compaction that goes back, repeats itself or is ahead', async ({ store }) => {
    const first = await put(store, '/a/1', 'one');
    const second = await put(store, '/a/1', 'two', first);
    await store.compact(second);
    await store.compact(second);
    await store.compact(first);
    await expect(store.list({ prefix: '/a/', at: first })).rejects.toThrow(CompactedError);
    expect(text((await store.get('/a/1'))?.value)).toBe('two');
  });

  contract('compacts while keys are deleted and created again', async ({ store }) => {
    for (let round = 0; round < 30; round++) {
      const made = await put(store, '/a/1', `${round}`);
      const compacting = store.compact(made);
      await remove(store, '/a/1', made);
      const again = put(store, '/a/1', 'again');
      await compacting;
      await store.compact(revision((await again) - 1));
      expect(text((await store.get('/a/1'))?.value)).toBe('again');
      await remove(store, '/a/1', await again);
    }
  });

  contract('ends a key after its time, as a delete that watchers see', async ({ store, pass = sleep }) => {
    const first = await store.commit({ key: '/e/1', value: bytes('x'), expected: zeroRevision, ttlSeconds: 1 });
    const watcher = collect(store, '/e/', committed(first));
    await put(store, '/e/2', 'stays');
    await pass(1100);
    const [, ended] = await watcher.count(2);
    expect(ended).toMatchObject({ key: '/e/1', value: undefined });
    expect(text(ended?.previous()?.value)).toBe('x');
    expect((await store.list({ prefix: '/e/' })).entries.map(({ key }) => key)).toEqual(['/e/2']);
  });

  contract('keeps a key that was written again without an end', async ({ store, pass = sleep }) => {
    const made = async (key: string) =>
      committed(await store.commit({ key, value: bytes('x'), expected: zeroRevision, ttlSeconds: 1 }));
    const kept = await made('/e/kept');
    const rewritten = await put(store, '/e/kept', 'y', kept);
    const watcher = collect(store, '/e/', rewritten);
    await made('/e/ends');
    await pass(1100);
    await watcher.count(2);
    expect((await store.list({ prefix: '/e/' })).entries.map(({ key }) => key)).toEqual(['/e/kept']);
  });

  contract('remembers over a restart when a key ends', async (fixture) => {
    await fixture.store.commit({ key: '/e/1', value: bytes('x'), expected: zeroRevision, ttlSeconds: 1 });
    const at = await fixture.store.currentRevision();
    const store = await fixture.reopen();
    const watcher = collect(store, '/e/', at);
    await (fixture.pass ?? sleep)(1100);
    expect((await watcher.count(1))[0]).toMatchObject({ key: '/e/1', value: undefined });
  });

  contract('refuses to be used after it was closed', async ({ store }) => {
    await put(store, '/a/1', 'x');
    await store.close();
    await store.close();
    await expect(put(store, '/a/2', 'x')).rejects.toThrow(StoreUnavailableError);
  });

  contract('survives a restart with its revisions and its history', async (fixture) => {
    const first = await put(fixture.store, '/a/1', 'one');
    const second = await put(fixture.store, '/a/1', 'two', first);
    const store = await fixture.reopen();
    expect(await store.currentRevision()).toBe(second);
    expect(text((await store.get('/a/1'))?.value)).toBe('two');
    expect((await store.list({ prefix: '/a/', at: first })).entries.map(({ value }) => text(value))).toEqual(['one']);
    expect(await put(store, '/a/2', 'x')).toBeGreaterThan(second);
  });
}
