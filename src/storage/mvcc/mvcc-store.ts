// A Store over two local tables: concurrent commits share one durable append, watchers are told before the
// commit is acknowledged, and any revision that was not compacted can be read.

import { TransientMap } from '../../base/maps/transient-map.ts';
import { isPromise } from '../../base/maybe-promise.ts';
import { type Clock, systemClock } from '../../base/time/clock.ts';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import {
  type Checkpoint,
  type CommitResult,
  type ListQuery,
  type ListResult,
  type MappedValues,
  type Store,
  type StoredEntry,
  StoreUnavailableError,
  type StoreWatch,
  type StoreWatcher,
  type Write,
} from '../store.ts';
import { contentOf, imageOf, recordsToRestore, type StoreImage } from './checkpoint.ts';
import { CompactionPace, planCleanup } from './compaction.ts';
import { Expiry } from './expiry.ts';
import { MvccReads } from './mvcc-reads.ts';
import { SettledRevisions } from './settled-revisions.ts';
import { type Expiring, type LogRecord, NoRoomError, type Tables } from './tables.ts';
import { Watch } from './watch.ts';

/** A write that has a revision but is not durable yet. */
interface PendingWrite {
  readonly record: LogRecord;
  /** Whether it is part of a deletion. */
  readonly reclaims: boolean;
  readonly settled: boolean;
  readonly finish: (error?: Error) => void;
}

/** Where threads that read the same tables see how far they may read. */
export interface Publication {
  readonly settled: SettledRevisions;
  /** Everything up to `revision` is on disk. */
  durable(revision: Revision): void;
  /** History up to `revision` must not be read any more: it is about to be removed. */
  compacted(revision: Revision): void;
}

/** That of an empty store, as of an empty etcd: a list of nothing has a version too, and a client's 0 stands for any. */
const firstRevision = 1;

export class MvccStore implements Store {
  readonly mapped: MappedValues | undefined;
  readonly #tables: Tables;
  readonly #watches = new Set<Watch>();
  readonly #pendingKeys = new TransientMap<string, Promise<CommitResult>>();
  readonly #chores: (() => Promise<void>)[] = [];
  readonly #compaction = new CompactionPace();
  readonly #clock: Clock;
  readonly #reads: MvccReads;
  readonly #publication: Publication | undefined;
  readonly #settled: SettledRevisions;
  readonly #expiry: Expiry;
  #queue: PendingWrite[] = [];
  #flushing: Promise<void> | undefined;
  /** The newest durable revision. */
  #revision: Revision;
  /** The newest revision handed out. */
  #assigned: Revision;
  #compacted: Revision;
  #closed = false;
  #broken = false;

  constructor(tables: Tables, clock: Clock = systemClock, publication?: Publication) {
    this.#tables = tables;
    this.#clock = clock;
    this.#publication = publication;
    this.#settled = publication?.settled ?? new SettledRevisions();
    this.#revision = revision(Math.max(tables.lastRevision, firstRevision));
    this.#assigned = this.#revision;
    this.#compacted = tables.compacted;
    this.#reads = new MvccReads(tables, { revision: () => this.#revision, compacted: () => this.#compacted });
    const { mapped } = tables;
    this.mapped = mapped && {
      listPlaces: async (query) => this.#reads.listPlaces(query),
      look: (at, use) => mapped.look(at, use),
      ownSince: mapped.ownSince,
    };
    publication?.compacted(this.#compacted);
    publication?.durable(this.#revision);
    this.#expiry = new Expiry({
      clock,
      expiring: () => tables.expiring(),
      expire: (due) => this.#expire(due),
    });
  }

  currentRevision(): Revision {
    return this.#revision;
  }

  get(key: string): StoredEntry | undefined {
    return this.#reads.get(key);
  }

  async list(query: ListQuery): Promise<ListResult> {
    return this.#reads.list(query);
  }

  isSettled(at: Revision): boolean {
    return this.#settled.has(at);
  }

  commit(write: Write): Promise<CommitResult> {
    try {
      const busy = this.#pendingKeys.get(write.key);
      return busy === undefined ? this.#begin(write) : this.#commitAfter(busy, write);
    } catch (error) {
      // a table that cannot be read
      return Promise.reject(error);
    }
  }

  /** Writers of one key take turns, so that a race is always judged against durable state. */
  async #commitAfter(others: Promise<unknown>, write: Write): Promise<CommitResult> {
    for (let busy: Promise<unknown> | undefined = others; busy; busy = this.#pendingKeys.get(write.key))
      await busy.catch(ignore);
    return this.#begin(write);
  }

  /** On the way of every write: one promise, resolved when the write is durable. */
  #begin(write: Write): Promise<CommitResult> {
    if (this.#closed) return unavailable('the store is closed');
    if (this.#broken) return unavailable('the disk failed in the middle of a write; restart the server');
    const current = this.#tables.current(write.key);
    const found = current === undefined || current.deleted ? zeroRevision : current.revision;
    if (found !== write.expected) return Promise.resolve({ kind: 'conflict', current: this.get(write.key) });
    // nothing to delete
    if (write.value === undefined && found === zeroRevision)
      return Promise.resolve({ kind: 'committed', revision: this.#revision });
    this.#assigned = revision(this.#assigned + 1);
    const { key, value, ttlSeconds, settled = false } = write;
    const record = { key, value, revision: this.#assigned, previous: current?.revision ?? zeroRevision };
    return this.#enqueue(
      ttlSeconds === undefined ? record : { ...record, expiresAt: Math.ceil(this.#clock.now() + ttlSeconds * 1000) },
      { reclaims: value === undefined || write.reclaims === true, settled },
    );
  }

  watch(query: { prefix: string; after: Revision }, watcher: StoreWatcher): StoreWatch {
    const watch = new Watch(query, watcher, {
      tables: this.#tables,
      revision: () => this.#revision,
      compacted: () => this.#compacted,
      event: (record) => this.#reads.event(record),
      closed: (ended) => this.#watches.delete(ended),
    });
    this.#watches.add(watch);
    watch.start();
    return watch;
  }

  async compact(target: Revision): Promise<void> {
    const goal = revision(Math.min(target, this.#revision));
    while (this.#compacted < goal && !this.#closed) await this.#betweenBatches(() => this.#compactStep(goal));
  }

  checkpoint(): Checkpoint {
    const image = imageOf(this.#tables);
    return { content: () => contentOf(image), restore: () => this.#restore(image) };
  }

  shortage(): string | undefined {
    return this.#tables.shortage?.();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#expiry.close();
    await this.#flushing;
    for (const watch of [...this.#watches]) watch.end('closed');
    await this.#tables.close();
  }

  #enqueue(record: LogRecord, about: Pick<PendingWrite, 'reclaims' | 'settled'>): Promise<CommitResult> {
    const committed = new Promise<CommitResult>((resolve, reject) => {
      const finish = (error?: Error) => {
        this.#pendingKeys.delete(record.key);
        if (error === undefined) resolve({ kind: 'committed', revision: record.revision });
        else reject(error);
      };
      this.#queue.push({ ...about, record, finish });
    });
    this.#pendingKeys.set(record.key, committed);
    this.#flushing ??= this.#flush();
    return committed;
  }

  /**
   * Runs `chore` when no append is under way: a cleanup that was planned next to one could remove the pointer
   * which that append has just written.
   */
  #betweenBatches(chore: () => Promise<void>): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#chores.push(() => chore().then(resolve, reject));
      this.#flushing ??= this.#flush();
    });
  }

  async #restore(image: StoreImage): Promise<void> {
    let written: readonly Promise<CommitResult>[] | undefined;
    // writes that are queued have revisions already: what is restored comes after them
    while (written === undefined && !this.#closed) {
      await this.#betweenBatches(async () => {
        if (this.#queue.length === 0) written = this.#enqueueImage(image);
      });
    }
    await Promise.all(written ?? []);
  }

  #enqueueImage(image: StoreImage): readonly Promise<CommitResult>[] {
    return recordsToRestore(this.#tables, image).map((record) => {
      this.#assigned = revision(this.#assigned + 1);
      return this.#enqueue(
        { ...record, revision: this.#assigned },
        { reclaims: record.value === undefined, settled: false },
      );
    });
  }

  #compactStep(goal: Revision): Promise<void> {
    return this.#compaction.step(async (mayGoOn) => {
      const before = this.#compacted;
      const cleanup = planCleanup(this.#tables, before, goal, mayGoOn);
      // refused from now on: a reader must not come between the cleanup and the news of it
      this.#compacted = cleanup.compacted;
      this.#publication?.compacted(cleanup.compacted);
      try {
        await this.#tables.clean(cleanup);
      } catch (error) {
        this.#compacted = before;
        throw error;
      }
    });
  }

  /** A write of the key in the meantime cancels its expiry. */
  async #expire(due: readonly Expiring[]): Promise<void> {
    await Promise.all(due.map(({ key, revision: expected }) => this.commit({ key, value: undefined, expected })));
    await this.#betweenBatches(async () => this.#tables.forgetExpiring(due));
  }

  /** Appends what has queued up, as one batch, until nothing is left; chores get a time slice in between. */
  async #flush(): Promise<void> {
    // requests handled in this tick of the event loop join the first batch
    await new Promise((resolve) => setImmediate(resolve));
    while (this.#queue.length > 0 || this.#chores.length > 0) {
      const batch = this.#queue;
      this.#queue = [];
      if (batch.length > 0) await this.#append(batch);
      await this.#chores.shift()?.();
    }
    this.#flushing = undefined;
  }

  async #append(batch: readonly PendingWrite[]): Promise<void> {
    const reclaims = batch.every((write) => write.reclaims);
    try {
      const appended = this.#tables.append(
        batch.map((write) => write.record),
        reclaims,
      );
      if (isPromise(appended)) await appended;
    } catch (error) {
      // visible, yet not on disk for sure: nothing may be built on it
      if (batch.some(({ record }) => this.#tables.record(record.revision) !== undefined)) this.#broken = true;
      if (error instanceof NoRoomError && !this.#broken) return this.#appendLess(batch, reclaims, error);
      fail(batch, error);
      return;
    }
    this.#publish(batch);
  }

  /** On a full disk deletions go on without the others, and those that are too many at once by halves. */
  async #appendLess(batch: readonly PendingWrite[], reclaims: boolean, error: Error): Promise<void> {
    if (!reclaims) {
      fail(
        batch.filter((write) => !write.reclaims),
        error,
      );
      const deletions = batch.filter((write) => write.reclaims);
      if (deletions.length > 0) await this.#append(deletions);
    } else if (batch.length === 1) fail(batch, error);
    else {
      const half = batch.length >> 1;
      await this.#append(batch.slice(0, half));
      await this.#append(batch.slice(half));
    }
  }

  #publish(batch: readonly PendingWrite[]): void {
    for (const { record, settled } of batch) this.#settled.note(record.revision, settled);
    this.#revision = (batch[batch.length - 1] as PendingWrite).record.revision;
    this.#publication?.durable(this.#revision);
    const events = batch.map((write) => this.#reads.event(write.record));
    for (const { record } of batch) if (record.expiresAt !== undefined) this.#expiry.added(record.expiresAt);
    for (const watch of this.#watches) watch.deliver(events, this.#revision);
    for (const write of batch) write.finish();
  }
}

function fail(batch: readonly PendingWrite[], error: unknown): void {
  const message = `the write could not be made durable: ${messageOf(error)}`;
  for (const write of batch) write.finish(new StoreUnavailableError(message, { cause: error }));
}

const unavailable = (why: string): Promise<never> => Promise.reject(new StoreUnavailableError(why));

/** The caller that made the write hears of its failure. */
function ignore(): void {}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
