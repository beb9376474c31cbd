// One watch of a local store: first the retained history after its revision, in slices, then what is committed.

import { type Revision, revision } from '../../meta/revision.ts';
import type { StoreEvent, StoreWatch, StoreWatcher } from '../store.ts';
import type { LogRecord, Tables } from './tables.ts';

interface WatchSource {
  readonly tables: Tables;
  revision(): Revision;
  compacted(): Revision;
  event(record: LogRecord): StoreEvent;
  closed(watch: Watch): void;
}

/** Records looked at before other work gets its turn. */
const sliceSize = 500;

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

  live(events: readonly StoreEvent[], reached: Revision): void {
    if (this.#replaying || this.#ended) return;
    const wanted = events.filter((event) => event.revision > this.#after && event.key.startsWith(this.#prefix));
    this.#deliver(wanted, reached);
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
    this.#deliver(this.#nextSlice(), this.#after);
    if (this.#ended) return;
    if (this.#after >= this.#source.revision()) this.#replaying = false;
    else setImmediate(() => this.#replay());
  }

  #deliver(events: readonly StoreEvent[], reached: Revision): void {
    if (events.length > 0) this.#watcher.onEvents(events);
    if (!this.#ended) this.#watcher.onProgress(reached);
  }

  #nextSlice(): StoreEvent[] {
    const events: StoreEvent[] = [];
    let seen = 0;
    for (const record of this.#source.tables.records(revision(this.#after + 1))) {
      if (record.revision > this.#source.revision()) break;
      if (record.key.startsWith(this.#prefix)) events.push(this.#source.event(record));
      this.#after = record.revision;
      if (++seen >= sliceSize) return events;
    }
    this.#after = this.#source.revision();
    return events;
  }
}
