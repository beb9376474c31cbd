// The store of a thread that serves requests: it reads the data file itself, up to the newest durable revision, and has
// its writes made by the one thread that owns the data folder.

import type { MessagePort } from 'node:worker_threads';
import { type Revision, revision } from '../../meta/revision.ts';
import type { FollowedTables } from '../embedded/lmdb-reader.ts';
import { MvccReads } from '../mvcc/mvcc-reads.ts';
import { Watch } from '../mvcc/watch.ts';
import {
  type CommitResult,
  type ListQuery,
  type ListResult,
  type MappedValues,
  type Store,
  type StoredEntry,
  StoreUnavailableError,
  type StoreWatch,
  type StoreWatcher,
  UncertainWriteError,
  type Write,
} from '../store.ts';
import { type CommitFailure, type CommitOutcome, packWrites, type StoreNews, type StoreRequest } from './messages.ts';
import type { RevisionBoard } from './revision-board.ts';
import { lookMs, Sleep } from './sleep.ts';

interface ThreadStoreParts {
  readonly tables: FollowedTables;
  readonly board: RevisionBoard;
  /** To the thread that writes. */
  readonly port: MessagePort;
}

interface PendingCommit {
  readonly key: string;
  resolve(result: CommitResult): void;
  reject(error: Error): void;
}

export class ThreadStore implements Store {
  readonly mapped: MappedValues | undefined;
  readonly #tables: FollowedTables;
  readonly #board: RevisionBoard;
  readonly #port: MessagePort;
  readonly #reads: MvccReads;
  readonly #watches = new Set<Watch>();
  readonly #pending = new Map<number, PendingCommit>();
  readonly #sleep = new Sleep();
  /** While the thread is awake, and looks for new commits by itself. */
  #looking: NodeJS.Timeout | undefined;
  /** What was applied when it was last decided to look. */
  #looked: Revision;
  #queue: (Write & { readonly id: number })[] = [];
  #lastId = 0;
  /** Everything up to here was passed to the watches; reads show this revision. */
  #applied: Revision;
  #isClosed = false;
  #allSettled: (() => void) | undefined;

  constructor({ tables, board, port }: ThreadStoreParts) {
    this.#tables = tables;
    this.#board = board;
    this.#port = port;
    this.#applied = board.newest;
    this.#looked = this.#applied;
    tables.renew();
    this.#reads = new MvccReads(tables, { revision: () => this.#applied, compacted: () => board.oldest });
    const { mapped } = tables;
    this.mapped = mapped && {
      listPlaces: async (query) => this.#consistent(() => this.#reads.listPlaces(query)),
      look: (at, use) => mapped.look(at, use),
      ownSince: mapped.ownSince,
    };
    port.on('message', (news: StoreNews) => this.#receive(news));
    port.on('close', () => this.#loseWriter());
    this.#post({ sleep: this.#sleep.memory });
    this.#fallAsleep();
  }

  /** Passes everything that is durable by now to the watches. Nothing to do where nothing is new. */
  catchUp(): void {
    const newest = this.#board.newest;
    if (newest <= this.#applied || this.#isClosed) return;
    this.#tables.renew();
    const from = this.#applied;
    const records = [...this.#recordsUpTo(newest)];
    this.#applied = newest;
    // history that was removed in the meantime may lack in the records
    const isComplete = this.#board.oldest <= from;
    const events = records.map((record) => this.#reads.event(record));
    for (const watch of [...this.#watches]) {
      if (isComplete || !watch.isLive) watch.deliver(events, newest);
      else watch.end('gone');
    }
  }

  get(key: string): StoredEntry | undefined {
    return this.#consistent(() => this.#reads.get(key, this.#applied));
  }

  async list(query: ListQuery): Promise<ListResult> {
    return this.#consistent(() => this.#reads.list(query));
  }

  currentRevision(): Revision {
    this.catchUp();
    return this.#applied;
  }

  isSettled(at: Revision): boolean {
    return this.#board.settled.has(at);
  }

  commit(write: Write): Promise<CommitResult> {
    if (this.#isClosed) return Promise.reject(new StoreUnavailableError('the store is closed'));
    return this.#request(write.key, (id) => {
      if (this.#queue.length === 0) setImmediate(() => this.#sendQueue());
      this.#queue.push({ ...write, id });
    });
  }

  watch(query: { readonly prefix: string; readonly after: Revision }, watcher: StoreWatcher): StoreWatch {
    this.catchUp();
    const watch = new Watch(query, watcher, {
      tables: this.#tables,
      revision: () => this.#applied,
      compacted: () => this.#board.oldest,
      event: (record) => this.#reads.event(record),
      closed: (ended) => this.#watches.delete(ended),
    });
    this.#watches.add(watch);
    watch.start();
    return watch;
  }

  async compact(target: Revision): Promise<void> {
    if (this.#isClosed) throw new StoreUnavailableError('the store is closed');
    await this.#request('', (id) => this.#post({ compact: target, id }));
  }

  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#sendQueue();
    if (this.#pending.size > 0) {
      await new Promise<void>((resolve) => {
        this.#allSettled = resolve;
      });
    }
    this.#isClosed = true;
    clearTimeout(this.#looking);
    for (const watch of [...this.#watches]) watch.end('closed');
    this.#port.close();
    await this.#tables.close();
  }

  /** Reads again where history was removed in the middle of the read. */
  #consistent<T>(read: () => T): T {
    for (;;) {
      this.catchUp();
      const oldest = this.#board.oldest;
      const value = read();
      if (this.#board.oldest === oldest) return value;
    }
  }

  *#recordsUpTo(newest: Revision) {
    for (const record of this.#tables.records(revision(this.#applied + 1))) {
      if (record.revision > newest) return;
      yield record;
    }
  }

  #request(key: string, send: (id: number) => void): Promise<CommitResult> {
    return new Promise((resolve, reject) => {
      this.#lastId++;
      this.#pending.set(this.#lastId, { key, resolve, reject });
      send(this.#lastId);
    });
  }

  /** What one tick of the event loop has queued travels together. */
  #sendQueue(): void {
    const writes = this.#queue;
    this.#queue = [];
    if (writes.length === 0) return;
    const commit = packWrites(writes);
    this.#post({ commit }, [commit.values]);
  }

  #post(request: StoreRequest, transferred: ArrayBuffer[] = []): void {
    this.#port.postMessage(request, transferred);
  }

  #receive({ outcomes }: StoreNews): void {
    // watches have every event before the write is acknowledged
    this.catchUp();
    for (const outcome of outcomes) this.#settle(outcome);
    this.#lookSoon();
  }

  /** Commits mostly come in crowds: a look finds several of them, and costs the thread that writes nothing. */
  #lookSoon(): void {
    this.#looked = this.#applied;
    this.#looking ??= setTimeout(() => this.#look(), lookMs).unref();
  }

  #look(): void {
    this.#looking = undefined;
    if (this.#isClosed) return;
    this.catchUp();
    if (this.#applied === this.#looked) this.#fallAsleep();
    else this.#lookSoon();
  }

  #fallAsleep(): void {
    this.#sleep.begin();
    // commits before that sent no message
    this.catchUp();
  }

  #settle(outcome: CommitOutcome): void {
    const pending = this.#pending.get(outcome.id);
    if (pending === undefined) return;
    this.#pending.delete(outcome.id);
    if ('revision' in outcome) pending.resolve({ kind: 'committed', revision: revision(outcome.revision) });
    else if ('conflict' in outcome) pending.resolve({ kind: 'conflict', current: this.get(pending.key) });
    else pending.reject(errorOf(outcome));
    if (this.#pending.size === 0) this.#allSettled?.();
  }

  /** Writes that were sent may have happened. */
  #loseWriter(): void {
    const lost = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of lost) reject(new UncertainWriteError('the thread that writes the data folder has ended'));
    this.#allSettled?.();
  }
}

function errorOf({ failure, message }: CommitFailure): Error {
  if (failure === 'uncertain') return new UncertainWriteError(message);
  return failure === 'unavailable' ? new StoreUnavailableError(message) : new Error(message);
}
