// What every Store has to do: one suite, run by each implementation. A skip carries its reason.

import { afterEach, describe, expect, test } from 'vitest';
import { type Revision, revision, zeroRevision } from '../meta/revision.ts';
import {
  type CommitResult,
  CompactedError,
  FutureRevisionError,
  type Store,
  type StoreEvent,
  StoreUnavailableError,
  type StoreWatch,
} from './store.ts';

export interface StoreFixture {
  readonly store: Store;
  /** Closes the store and opens it again on the same data. */
  reopen(): Promise<Store>;
  /** Lets time go by, where the store has a clock that can be moved. */
  pass?(ms: number): Promise<void>;
  dispose(): Promise<void>;
}

export interface ContractOptions {
  /** Tests that do not apply, with the reason. */
  readonly skip?: Readonly<Record<string, string>>;
}

const sleep = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));
const bytes = (text: string) => Buffer.from(text);
const text = (value: Uint8Array | undefined) => value && Buffer.from(value).toString();

export function describeStore(
  name: string,
  open: () => Promise<StoreFixture>,
  { skip = {} }: ContractOptions = {},
): void {
  describe(`${name} store`, () => {
    const opened: StoreFixture[] = [];
    const contract = (title: string, run: (fixture: StoreFixture) => Promise<void>) => {
      const reason = skip[title];
      test.skipIf(reason !== undefined)(reason === undefined ? title : `${title} (skipped: ${reason})`, async () => {
        const fixture = await open();
        opened.push(fixture);
        await run(fixture);
      });
    };
    afterEach(async () => {
      for (const fixture of opened.splice(0)) await fixture.dispose();
    });
    describeWrites(contract);
    describeReads(contract);
    describeWatches(contract);
    describeHistory(contract);
  });
}

type Contract = (title: string, run: (fixture: StoreFixture) => Promise<void>) => void;

function describeWrites(contract: Contract): void {
  contract('gives every write a revision of its own, in order', async ({ store }) => {
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
}

function describeReads(contract: Contract): void {
  contract('lists a prefix in key order and nothing beside it', async ({ store }) => {
    for (const key of ['/a/b', '/a/a', '/a/a-b', '/a/a.b', '/ab/x', '/a0', '/b/x']) await put(store, key, key);
    const { entries, more } = await store.list({ prefix: '/a/' });
    expect(entries.map(({ key }) => key)).toEqual(['/a/a', '/a/a-b', '/a/a.b', '/a/b']);
    expect(entries.map(({ value }) => text(value))).toEqual(['/a/a', '/a/a-b', '/a/a.b', '/a/b']);
    expect(more).toBe(false);
  });

  contract('pages through a fixed revision while writes go on', async ({ store }) => {
    let last = zeroRevision;
    for (let i = 0; i < 7; i++) last = await put(store, `/a/${i}`, 'old');
    const first = await store.list({ prefix: '/a/', limit: 3, countRemaining: true });
    expect(first).toMatchObject({ more: true, remaining: 4, revision: last });
    await put(store, '/a/35', 'new');
    await remove(store, '/a/5', (await store.get('/a/5'))?.revision ?? zeroRevision);
    await put(store, '/a/6', 'new', (await store.get('/a/6'))?.revision);
    const rest = await store.list({
      prefix: '/a/',
      after: '/a/2',
      at: first.revision,
      limit: 10,
      countRemaining: true,
    });
    expect(rest.entries.map(({ key, value }) => [key, text(value)])).toEqual([
      ['/a/3', 'old'],
      ['/a/4', 'old'],
      ['/a/5', 'old'],
      ['/a/6', 'old'],
    ]);
    expect(rest).toMatchObject({ more: false, remaining: 0 });
  });

  contract('reads any retained revision exactly', async ({ store }) => {
    const created = await put(store, '/a/1', 'one');
    const updated = await put(store, '/a/1', 'two', created);
    const deleted = await remove(store, '/a/1', updated);
    const again = await put(store, '/a/1', 'three');
    const at = async (wanted: Revision) =>
      (await store.list({ prefix: '/a/', at: wanted })).entries.map(({ value }) => text(value));
    expect([await at(created), await at(updated), await at(deleted), await at(again)]).toEqual([
      ['one'],
      ['two'],
      [],
      ['three'],
    ]);
  });

  contract('pages from a start key, with and without a limit, whether the key is there or not', async ({ store }) => {
    for (const key of ['/a/1', '/a/2', '/a/3', '/b/1']) await put(store, key, key);
    const keysOf = async (query: object) =>
      (await store.list({ prefix: '/a/', ...query })).entries.map(({ key }) => key);
    expect(await keysOf({ after: '/a/1' })).toEqual(['/a/2', '/a/3']);
    expect(await keysOf({ after: '/a/15' })).toEqual(['/a/2', '/a/3']);
    expect(await keysOf({ after: '/a/3' })).toEqual([]);
    expect(await keysOf({ after: '/a/1', limit: 1 })).toEqual(['/a/2']);
    expect(await store.list({ prefix: '/a/', limit: 3 })).toMatchObject({ more: false });
    expect(await store.list({ prefix: '/a/', limit: 2 })).toMatchObject({ more: true });
    expect(await store.list({ prefix: '/none/', limit: 2, countRemaining: true })).toMatchObject({
      entries: [],
      more: false,
      remaining: 0,
    });
  });

  contract('counts what follows a page at an older revision', async ({ store }) => {
    for (let i = 0; i < 5; i++) await put(store, `/a/${i}`, 'x');
    const at = (await store.list({ prefix: '/a/' })).revision;
    await remove(store, '/a/4', (await store.get('/a/4'))?.revision ?? zeroRevision);
    await put(store, '/a/9', 'x');
    expect(await store.list({ prefix: '/a/', limit: 2, at, countRemaining: true })).toMatchObject({ remaining: 3 });
  });

  contract('refuses to list a revision that is still to come', async ({ store }) => {
    const first = await put(store, '/a/1', 'x');
    await expect(store.list({ prefix: '/a/', at: revision(first + 100) })).rejects.toThrow(FutureRevisionError);
  });
}

function describeWatches(contract: Contract): void {
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

function describeHistory(contract: Contract): void {
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

async function put(store: Store, key: string, value: string, expected: Revision = zeroRevision): Promise<Revision> {
  return committed(await store.commit({ key, value: bytes(value), expected }));
}

async function remove(store: Store, key: string, expected: Revision): Promise<Revision> {
  return committed(await store.commit({ key, value: undefined, expected }));
}

function committed(result: CommitResult): Revision {
  if (result.kind !== 'committed') throw new Error(`the write was not committed: ${JSON.stringify(result)}`);
  return result.revision;
}

function conflictOf(result: CommitResult): { value: string | undefined; revision: Revision } | undefined {
  if (result.kind !== 'conflict') throw new Error('the write was expected to lose');
  return result.current && { value: text(result.current.value), revision: result.current.revision };
}

export interface Collected {
  readonly events: StoreEvent[];
  readonly watch: StoreWatch;
  readonly ended: Promise<unknown>;
  reached(revision: Revision): Promise<void>;
  /** The events, once there are as many. */
  count(wanted: number): Promise<StoreEvent[]>;
  seen(): object[];
}

export function collect(store: Store, prefix: string, after: Revision): Collected {
  const events: StoreEvent[] = [];
  let at = after;
  let waiting: { readonly revision: Revision; readonly resolve: () => void }[] = [];
  let counting: () => void = () => {};
  let end: (reason: unknown) => void = () => {};
  const ended = new Promise((resolve) => {
    end = resolve;
  });
  const watch = store.watch(
    { prefix, after },
    {
      onEvents(batch) {
        events.push(...batch);
        counting();
      },
      onProgress(reached) {
        at = reached;
        for (const waiter of waiting.filter((w) => w.revision <= at)) waiter.resolve();
        waiting = waiting.filter((w) => w.revision > at);
      },
      onEnd: (reason) => end(reason),
    },
  );
  return {
    events,
    watch,
    ended,
    reached: (wanted) => {
      if (at >= wanted) return Promise.resolve();
      watch.requestProgress?.(wanted);
      return new Promise((resolve, reject) => {
        waiting.push({ revision: wanted, resolve });
        void ended.then((reason) => reject(new Error(`the watch ended at ${at}, before ${wanted}: ${reason}`)));
      });
    },
    async count(wanted) {
      while (events.length < wanted) {
        await new Promise<void>((resolve) => {
          counting = resolve;
        });
      }
      return events;
    },
    seen: () =>
      events.map((event) => ({
        key: event.key,
        revision: event.revision,
        value: text(event.value),
        previous: text(event.previous()?.value),
        previousRevision: event.previous()?.revision,
      })),
  };
}
