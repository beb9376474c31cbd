// Above any store: a snapshot of one resource and a ring of its events, filled on first use and kept current by
// a single store watch. Reads and watches of a resource are served from here.

import type { Clock } from '../../base/clock.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { SortedMap } from '../../base/sorted-map.ts';
import { type Revision, zeroRevision } from '../../meta/revision.ts';
import { type Store, type StoredEntry, type StoreEvent, StoreUnavailableError, type StoreWatch } from '../store.ts';
import { type CacheEvent, EventRing } from './event-ring.ts';

export type { CacheEvent } from './event-ring.ts';

export interface CacheListener<T> {
  onEvents(events: readonly CacheEvent<T>[]): void;
  /** Every event up to `revision` has been delivered. */
  onProgress?(revision: Revision): void;
  onEnd(reason: 'gone' | 'closed'): void;
}

export interface CacheOptions<T> {
  readonly store: Store;
  readonly clock: Clock;
  /** Ends with a separator. */
  readonly prefix: string;
  /** What readers of the cache get for an entry of the store; undefined leaves it out. */
  materialize(entry: StoredEntry): T | undefined;
  /** Bytes an item takes, for limits. */
  sizeOf(item: T): number;
}

const ringLimits = { events: 1000, bytes: 8 * 1024 * 1024 };
const loadPage = 500;

export class WatchCache<T> {
  readonly #options: CacheOptions<T>;
  readonly #entries = new SortedMap<T>();
  readonly #listeners = new Set<CacheListener<T>>();
  #ring = new EventRing<T>(zeroRevision, ringLimits);
  #waiting: { readonly revision: Revision; readonly wake: () => void }[] = [];
  #revision: Revision = zeroRevision;
  #loading: Promise<void> | undefined;
  #watch: StoreWatch | undefined;
  #closed = false;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
  }

  /** The snapshot shows every write up to this revision. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Fills the cache if it is not; afterwards it holds some recent state. */
  started(): MaybePromise<void> {
    if (this.#closed) throw new StoreUnavailableError('the cache is closed');
    if (this.#watch !== undefined) return;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** Waits until the snapshot shows every write acknowledged before the call; false when it did not get there. */
  latest(withinMs: number): MaybePromise<boolean> {
    return andThen(this.started(), () =>
      andThen(this.#options.store.currentRevision(), (revision) => this.reached(revision, withinMs)),
    );
  }

  /** Waits until the snapshot shows `revision`; false when it did not get there in time. */
  reached(revision: Revision, withinMs: number): MaybePromise<boolean> {
    if (this.#revision >= revision) return true;
    this.#watch?.requestProgress?.(revision);
    return new Promise((resolve) => {
      const timer = this.#options.clock.after(withinMs, () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        resolve(false);
      });
      const wake = () => {
        timer.cancel();
        resolve(true);
      };
      const waiter = { revision, wake };
      this.#waiting.push(waiter);
    });
  }

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  /** Entries below `prefix` whose key comes after `after`, in key order. */
  *range(prefix: string, after?: string): IterableIterator<T> {
    for (const key of this.#entries.keys(prefix, after ?? prefix)) {
      if (key !== after) yield this.#entries.get(key) as T;
    }
  }

  count(prefix: string): number {
    return this.#entries.count(prefix);
  }

  /** Events after a revision, oldest first; call only once started. */
  subscribe(after: Revision, listener: CacheListener<T>): { close(): void } {
    if (after < this.#ring.start) return this.#catchUp(after, listener);
    const missed = this.#ring.after(after);
    if (missed.length > 0) listener.onEvents(missed);
    // a bookmark must not fall behind the events before it
    if (this.#revision >= after) listener.onProgress?.(this.#revision);
    this.#listeners.add(listener);
    return { close: () => this.#listeners.delete(listener) };
  }

  close(): void {
    this.#closed = true;
    this.#watch?.close();
    this.#end('closed');
  }

  /** Reads older history from the store until the ring can take over. */
  #catchUp(after: Revision, listener: CacheListener<T>): { close(): void } {
    let subscription: { close(): void } | undefined;
    const history = this.#options.store.watch(
      { prefix: this.#options.prefix, after },
      {
        onEvents: (events) => listener.onEvents(events.map((event) => this.#fromHistory(event))),
        onProgress: (revision) => {
          if (subscription !== undefined || revision < this.#ring.start) return;
          history.close();
          subscription = this.subscribe(revision, listener);
        },
        onEnd: (reason) => listener.onEnd(reason === 'gone' ? 'gone' : 'closed'),
      },
    );
    return { close: () => (subscription ?? history).close() };
  }

  #fromHistory(event: StoreEvent): CacheEvent<T> {
    const { key, value, revision } = event;
    const previous = event.previous();
    return {
      revision,
      current: value === undefined ? undefined : this.#options.materialize({ key, value, revision }),
      previous: previous === undefined ? undefined : this.#options.materialize(previous),
    };
  }

  async #load(): Promise<void> {
    const { store, prefix, materialize } = this.#options;
    this.#entries.clear();
    let page = await store.list({ prefix, limit: loadPage });
    const at = page.revision;
    for (;;) {
      for (const entry of page.entries) {
        const item = materialize(entry);
        if (item !== undefined) this.#entries.set(entry.key, item);
      }
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) break;
      page = await store.list({ prefix, limit: loadPage, after: last.key, at });
    }
    this.#ring = new EventRing(at, ringLimits);
    this.#revision = at;
    this.#watch = store.watch(
      { prefix, after: at },
      {
        onEvents: (events) => this.#apply(events),
        onProgress: (revision) => this.#advance(revision),
        onEnd: () => this.#end('closed'),
      },
    );
  }

  #apply(events: readonly StoreEvent[]): void {
    const changes = events.map((event) => this.#change(event));
    for (const change of changes)
      this.#ring.push(change, change.current === undefined ? 0 : this.#options.sizeOf(change.current));
    this.#revision = (events[events.length - 1] as StoreEvent).revision;
    for (const listener of this.#listeners) this.#tell(listener, changes);
  }

  /** A listener that fails is dropped; the others must not miss anything for it. */
  #tell(listener: CacheListener<T>, changes: readonly CacheEvent<T>[]): void {
    try {
      listener.onEvents(changes);
    } catch {
      this.#listeners.delete(listener);
      listener.onEnd('closed');
    }
  }

  #change({ key, value, revision }: StoreEvent): CacheEvent<T> {
    const previous = this.#entries.get(key);
    const current = value === undefined ? undefined : this.#options.materialize({ key, value, revision });
    if (current === undefined) this.#entries.delete(key);
    else this.#entries.set(key, current);
    return { revision, current, previous };
  }

  #advance(revision: Revision): void {
    this.#revision = revision;
    for (const listener of this.#listeners) listener.onProgress?.(revision);
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter((waiter) => waiter.revision <= revision);
    this.#waiting = this.#waiting.filter((waiter) => waiter.revision > revision);
    for (const waiter of ready) waiter.wake();
  }

  /** The feed broke: watchers have to start again, the next reader fills the cache anew. */
  #end(reason: 'closed'): void {
    this.#watch = undefined;
    const listeners = [...this.#listeners];
    this.#listeners.clear();
    for (const listener of listeners) listener.onEnd(reason);
  }
}
