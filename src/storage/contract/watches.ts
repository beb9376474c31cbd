// What a store has to do with watches.

import { expect } from 'vitest';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { type Contract, collect, put, remove, text } from './steps.ts';

export function describeWatches(contract: Contract): void {
  contract(
    'tells a watcher of every change below its prefix, in order, with what was there before',
    async ({ store }) => {
      const watcher = collect(store, '/a/', zeroRevision);
      const first = await put(store, '/a/1', 'x');
      await put(store, '/b/1', 'other');
      const second = await put(store, '/a/1', 'y', first);
      const third = await remove(store, '/a/1', second);
      await watcher.reached(third);
      expect(watcher.seen()).toEqual([
        { key: '/a/1', revision: first, value: 'x', previous: undefined, previousRevision: undefined },
        { key: '/a/1', revision: second, value: 'y', previous: 'x', previousRevision: first },
        { key: '/a/1', revision: third, value: undefined, previous: 'y', previousRevision: second },
      ]);
    },
  );

  contract('replays history and goes on live, without a gap or a repetition', async ({ store }) => {
    const made: Revision[] = [];
    for (let i = 0; i < 1200; i++) made.push(await put(store, `/a/${i}`, 'x'));
    const from = made[599] as Revision;
    const watcher = collect(store, '/a/', from);
    const writes = Array.from({ length: 50 }, (_, i) => put(store, `/a/live-${i}`, 'x'));
    const last = revision(Math.max(...(await Promise.all(writes))));
    await watcher.reached(last);
    const revisions = watcher.events.map((event) => event.revision);
    expect(revisions).toEqual(Array.from({ length: last - from }, (_, i) => from + 1 + i));
  });

  contract('resumes after a disconnect exactly where it was', async ({ store }) => {
    const watcher = collect(store, '/a/', zeroRevision);
    const first = await put(store, '/a/1', 'x');
    await watcher.reached(first);
    watcher.watch.close();
    const second = await put(store, '/a/2', 'y');
    const resumed = collect(store, '/a/', first);
    await resumed.reached(second);
    expect(watcher.events).toHaveLength(1);
    expect(resumed.events.map(({ key }) => key)).toEqual(['/a/2']);
  });

  contract('tells a watcher how far it has seen, even when nothing below its prefix changed', async ({ store }) => {
    const watcher = collect(store, '/a/', zeroRevision);
    const elsewhere = await put(store, '/b/1', 'x');
    await watcher.reached(elsewhere);
    expect(watcher.events).toEqual([]);
  });

  contract('waits with a watch from a revision that is still to come', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    const watcher = collect(store, '/a/', revision(first + 2));
    let last = first;
    for (let i = 2; i <= 5; i++) last = await put(store, `/a/${i}`, 'x');
    await watcher.reached(last);
    expect(watcher.events.map((event) => event.revision)).toEqual([last - 1, last]);
  });

  contract('gives every watcher the same events, and each of them once', async ({ store }) => {
    const watchers = Array.from({ length: 10 }, () => collect(store, '/a/', zeroRevision));
    const writers = Array.from({ length: 10 }, async (_, writer) => {
      let at = zeroRevision;
      for (let i = 0; i < 20; i++) at = await put(store, `/a/${writer}`, `${i}`, at);
      return at;
    });
    const last = revision(Math.max(...(await Promise.all(writers))));
    for (const watcher of watchers) {
      await watcher.reached(last);
      const revisions = watcher.events.map((event) => event.revision);
      expect(revisions).toEqual([...new Set(revisions)].sort((a, b) => a - b));
      expect(revisions).toHaveLength(200);
      for (let writer = 0; writer < 10; writer++) {
        const values = watcher.events.filter(({ key }) => key === `/a/${writer}`).map(({ value }) => text(value));
        expect(values).toEqual(Array.from({ length: 20 }, (_, i) => `${i}`));
      }
    }
  });

  contract('says nothing more to a watcher that has closed', async ({ store }) => {
    const watcher = collect(store, '/a/', zeroRevision);
    const other = collect(store, '/a/', zeroRevision);
    await watcher.reached(await put(store, '/a/1', 'x'));
    watcher.watch.close();
    watcher.watch.close();
    await other.reached(await put(store, '/a/2', 'x'));
    expect(watcher.events).toHaveLength(1);
  });

  contract('ends watches when it closes', async ({ store }) => {
    const watcher = collect(store, '/a/', zeroRevision);
    await store.close();
    expect(await watcher.ended).toBe('closed');
  });
}
