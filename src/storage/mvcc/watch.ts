// One watch of a local store: first the retained history after its revision, in slices, then what is committed.

import { isPromise } from '../../base/maybe-promise.ts';
import { type Revision, revision } from '../../meta/revision.ts';
import type { StoreEvent, StoreWatch, StoreWatcher } from '../store.ts';
import type { ReadRange } from './mvcc-reads.ts';
import type { LogRecord, ReadTables } from './tables.ts';

interface WatchSource extends ReadRange {
  readonly tables: ReadTables;
  event(record: LogRecord): StoreEvent;
  closed(watch: Watch): void;
}

/** Records looked at, and bytes of those that are told, before other work gets a time slice. */
const slice = { records: 500, bytes: 1024 * 1024 };

export class Watch implements StoreWatch {
  readonly #prefix: string;
  readonly #watcher: StoreWatcher;
  readonly #source: WatchSource;
  /** Everything up to here was delivered. */
  #after: Revision;
  #replaying = true;
  #ended = false;

  constructor(query: { prefix: string; after: Revision }, watcher: StoreWatcher, source: WatchSource) {
    this.#prefix = query.prefix;
    this.#after = query.after;
    this.#watcher = watcher;
    this.#source = source;
  }

  start(): void {
    if (this.#after >= this.#source.revision()) this.#replaying = false;
    else setImmediate(() => this.#replay());
  }

  /** Whether it has delivered everything, so that the next events are for it. */
  get isLive(): boolean {
    return !this.#replaying && !this.#ended;
  }

  /** Delivers what was just committed. A watcher that fails is ended; other watchers and the writers go on. */
  deliver(events: readonly StoreEvent[], reached: Revision): void {
    try {
      this.#deliver(events, reached);
    } catch (error) {
      this.end(error instanceof Error ? error : new Error(String(error)));
    }
  }

  #deliver(events: readonly StoreEvent[], reached: Revision): void {
    if (!this.isLive) return;
    const wanted = events.filter((event) => event.revision > this.#after && event.key.startsWith(this.#prefix));
    if (wanted.length > 0) void this.#watcher.onEvents(wanted);
    if (!this.#ended) this.#watcher.onProgress(reached);
  }

  close(): void {
    this.#ended = true;
    this.#source.closed(this);
  }

  end(reason: 'gone' | 'closed' | Error): void {
    if (this.#ended) return;
    this.close();
    this.#watcher.onEnd(reason);
  }

  #replay(): void {
    if (this.#ended) return;
    if (this.#after < this.#source.compacted()) {
      this.end('gone');
      return;
    }
    const from = this.#after;
    const events = this.#nextSlice();
    // another thread may compact while this one reads
    if (from < this.#source.compacted()) {
      this.end('gone');
      return;
    }
    const told = events.length > 0 ? this.#watcher.onEvents(events) : undefined;
    if (isPromise(told)) void told.then(() => this.#goOn());
    else this.#goOn();
  }

  #goOn(): void {
    if (!this.#ended) this.#watcher.onProgress(this.#after);
    if (this.#ended) return;
    if (this.#after >= this.#source.revision()) this.#replaying = false;
    else setImmediate(() => this.#replay());
  }

  #nextSlice(): StoreEvent[] {
    const events: StoreEvent[] = [];
    let [seen, bytes] = [0, 0];
    for (const record of this.#source.tables.records(revision(this.#after + 1))) {
      if (record.revision > this.#source.revision()) break;
      if (record.key.startsWith(this.#prefix)) {
        events.push(this.#source.event(record));
        bytes += record.value?.length ?? 0;
      }
      this.#after = record.revision;
      if (++seen >= slice.records || bytes >= slice.bytes) return events;
    }
    this.#after = this.#source.revision();
    return events;
  }
}
