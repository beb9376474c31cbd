import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MessageChannel, MessagePort } from 'node:worker_threads';
import { afterEach, expect, test, vi } from 'vitest';
import { revision, zeroRevision } from '../../meta/revision.ts';
import { FakeClock } from '../../testing/fake-clock.ts';
import { describeStore } from '../contract/contract.ts';
import { describeMappedValues } from '../contract/mapped.ts';
import { bytes, collect, put, text } from '../contract/steps.ts';
import { openEmbeddedStore } from '../embedded/embedded-store.ts';
import { openLmdbReader } from '../embedded/lmdb-reader.ts';
import { describeStoreModel } from '../model.ts';
import type { Store } from '../store.ts';
import { CommitService } from './commit-service.ts';
import { RevisionBoard } from './revision-board.ts';
import { lookMs } from './sleep.ts';
import { ThreadStore } from './thread-store.ts';

/** A writer and `count` stores of serving threads on one folder. The board's memory is shared as threads share it. */
function openThreads(folder: string, clock: FakeClock, count: number) {
  const board = new RevisionBoard();
  const writer = openEmbeddedStore(folder, { clock, publication: board });
  const threads = Array.from({ length: count }, () => {
    const { port1, port2 } = new MessageChannel();
    const service = new CommitService(writer, board, port1);
    const tables = openLmdbReader(folder);
    return { service, store: new ThreadStore({ tables, board: new RevisionBoard(board.memory), port: port2 }) };
  });
  return {
    writer,
    threads,
    async close() {
      for (const { store } of threads) await store.close();
      for (const { service } of threads) service.close();
      await writer.close();
    },
  };
}

/** Sends each operation to the next store, as clients on several connections do. */
function spread(stores: readonly Store[], close: () => Promise<void>): Store {
  let calls = 0;
  const next = () => stores[calls++ % stores.length] as Store;
  return {
    get: (key) => next().get(key),
    list: (query) => next().list(query),
    commit: (write) => next().commit(write),
    watch: (query, watcher) => next().watch(query, watcher),
    compact: (at) => next().compact(at),
    isSettled: (at) => next().isSettled?.(at) === true,
    currentRevision: () => next().currentRevision(),
    close,
  };
}

const fixture = (storeOf: (opened: ReturnType<typeof openThreads>) => Store, count: number) => async () => {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-threads-'));
  const clock = new FakeClock();
  let opened = openThreads(folder, clock, count);
  return {
    store: storeOf(opened),
    pass: async (ms: number) => clock.advance(ms),
    async reopen() {
      await opened.close();
      opened = openThreads(folder, clock, count);
      return storeOf(opened);
    },
    async dispose() {
      await opened.close();
      rmSync(folder, { recursive: true });
    },
  };
};

const ofOneThread = fixture(({ threads: [first] }) => first?.store as Store, 1);
const ofAllThreads = fixture(
  ({ writer, threads, close }) => spread([...threads.map(({ store }) => store), writer], close),
  2,
);

describeStore('thread', ofOneThread);
describeStoreModel('thread', ofOneThread);
describeMappedValues('thread', ofOneThread);
describeStore('spread over threads', ofAllThreads);
describeStoreModel('spread over threads', ofAllThreads);

async function withThreads<T>(count: number, run: (opened: ReturnType<typeof openThreads>) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-threads-'));
  const opened = openThreads(folder, new FakeClock(), count);
  try {
    return await run(opened);
  } finally {
    await opened.close();
    rmSync(folder, { recursive: true });
  }
}

test('a write that one thread acknowledged is read on every thread at once', () =>
  withThreads(2, async ({ writer, threads }) => {
    const stores = [writer, ...threads.map(({ store }) => store)];
    for (const [index, store] of stores.entries()) {
      await put(store, `/a/${index}`, 'x');
      for (const other of stores) expect(text((await other.get(`/a/${index}`))?.value)).toBe('x');
    }
  }));

test('a watch on one thread has the event before that thread acknowledges its write', () =>
  withThreads(1, async ({ threads }) => {
    const { store } = threads[0] as { store: ThreadStore };
    const watch = collect(store, '/a/', zeroRevision);
    const at = await put(store, '/a/1', 'x');
    expect(watch.events.map((event) => event.revision)).toEqual([at]);
  }));

test('a value that shares its memory with others is sent alone', () =>
  withThreads(1, async ({ writer, threads }) => {
    const { store } = threads[0] as { store: ThreadStore };
    const shared = bytes('before after');
    await store.commit({ key: '/a/1', value: shared.subarray(7), expected: zeroRevision });
    expect(text((await writer.get('/a/1'))?.value)).toBe('after');
    expect(text(shared)).toBe('before after');
  }));

test('a write without an outcome is reported as unknown when the writing thread ends', () =>
  withThreads(1, async ({ threads }) => {
    const { store, service } = threads[0] as (typeof threads)[number];
    const write = store.commit({ key: '/a/1', value: bytes('x'), expected: zeroRevision });
    service.close();
    await expect(write).rejects.toThrow('the thread that writes the data folder has ended');
  }));

test('a live watch that missed history ends as gone', () =>
  withThreads(1, async ({ writer, threads }) => {
    const { store } = threads[0] as { store: ThreadStore };
    const watch = collect(store, '/a/', zeroRevision);
    let at = revision(0);
    for (let index = 0; index < 5; index++) {
      const result = await writer.commit({ key: '/a/1', value: bytes(String(index)), expected: at });
      if (result.kind === 'committed') at = result.revision;
    }
    await writer.compact(at);
    store.catchUp();
    const ended = await Promise.race([watch.ended, Promise.resolve('live')]);
    if (ended === 'live') expect(watch.events).toHaveLength(5);
    else expect(ended).toBe('gone');
    expect(text(store.get('/a/1')?.value)).toBe('4');
  }));

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

test('a thread is woken by the first of many commits, looks for the others by itself, and is woken again after that', () =>
  withThreads(1, async ({ writer, threads: [first] }) => {
    const { store } = first as { store: ThreadStore };
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    // the writer knows after this where the thread shows whether it sleeps
    await put(store, '/b/0', 'x');
    const pass = async () => {
      vi.advanceTimersByTime(lookMs);
      for (let step = 0; step < 3; step++) await new Promise((resolve) => setImmediate(resolve));
    };
    const watch = collect(store, '/a/', zeroRevision);
    const messages = vi.spyOn(MessagePort.prototype, 'postMessage');
    const write = async (from: number, count: number) => {
      const before = messages.mock.calls.length;
      for (let at = from; at < from + count; at++) {
        await put(writer, `/a/${at}`, 'x');
        await new Promise((resolve) => setImmediate(resolve));
      }
      return messages.mock.calls.length - before;
    };
    for (let look = 0; look < 3; look++) await pass();
    expect(await write(0, 20)).toBe(1);
    await pass();
    expect(watch.events).toHaveLength(20);
    expect(await write(20, 20)).toBe(0);
    for (let look = 0; look < 3; look++) await pass();
    expect(watch.events).toHaveLength(40);
    expect(await write(40, 1)).toBe(1);
    await expect.poll(() => watch.events.length).toBe(41);
  }));
