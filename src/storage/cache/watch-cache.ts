// Above any store: a snapshot of one resource and a ring of its events, filled on first use and kept current by
// a single store watch. Reads and watches of a resource are served from here.

import { Histogram } from '../../base/histogram.ts';
import { SortedMap } from '../../base/maps/sorted-map.ts';
import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { OrderedDelivery } from '../../base/ordered-delivery.ts';
import type { Clock } from '../../base/time/clock.ts';
import { forEachInTurns, yieldAsRequest } from '../../base/time/turns.ts';
import { type Revision, zeroRevision } from '../../meta/revision.ts';
import {
  CompactedError,
  type ListQuery,
  type PlaceList,
  type Store,
  type StoredEntry,
  type StoreEvent,
  StoreUnavailableError,
  type StoreWatch,
  type ValuePlace,
} from '../store.ts';
import { CacheIndexes } from './cache-index.ts';
import { CacheListeners, type IndexedValues } from './cache-listeners.ts';
import { type CacheEvent, EventRing } from './event-ring.ts';
import { type Keyed, PastSnapshot, PresentSnapshot, type Snapshot } from './snapshot.ts';

export type { CacheEvent } from './event-ring.ts';
export type { Snapshot } from './snapshot.ts';

export interface CacheListener<T> {
  onEvents(events: readonly CacheEvent<T>[]): void;
  /** Every event up to `revision` has been delivered. */
  onProgress(revision: Revision): void;
  onEnd(reason: CacheEnd): void;
}

/** Who hears `gone` has to look at everything again; after `closed` it is enough to ask for what came since. */
export type CacheEnd = 'gone' | 'closed';

/** A listener that comes late and has to hear what happened before. */
interface LateListener<T> {
  onEvents(events: readonly CacheEvent<T>[]): void;
  /** Everything up to the revision of the cache has been told; who listens to the cache now misses nothing. */
  onCaughtUp(): void;
  onEnd(reason: CacheEnd): void;
}

interface CacheOptions<T> {
  readonly store: Store;
  readonly clock: Clock;
  /** Ends with a separator. */
  readonly prefix: string;
  /** What readers of the cache get for an entry of the store; undefined leaves it out. */
  materialize(entry: StoredEntry): T | undefined;
  /** The same for what was written just now, where that is quicker. */
  materializeChange?(entry: StoredEntry): T | undefined;
  /** Fills the cache without reading values that the store can read at any moment. */
  readonly places?: PlacedItems<T> | undefined;
  /** An item of the cache was replaced or removed; history and readers may still hold it. */
  onReplaced?(item: T): void;
  /** Bytes an item takes, for limits. */
  sizeOf(item: T): number;
  /** The value by which an index finds an item; undefined keeps the item out of it. */
  indexed?(item: T, index: string): string | undefined;
  /** Indexes that the cache has from the beginning: listeners may name a value in one. */
  readonly lastingIndexes?: () => readonly string[];
  /** Told when everything has been read from the store. */
  onFilled?(items: number, ms: number): void;
}

/** How a cache is filled from the places of values. */
interface PlacedItems<T> {
  list(query: ListQuery): Promise<PlaceList>;
  materialize(place: ValuePlace): T | undefined;
}

/** What a page of a fill consists of. */
interface FillPage<E> {
  readonly entries: readonly E[];
  readonly revision: Revision;
  readonly more: boolean;
}

const ringLimits = { events: 1000, bytes: 8 * 1024 * 1024 };
const loadPage = 500;

interface Waiter {
  readonly revision: Revision;
  readonly onReached: (reached: boolean) => void;
}

/** What there is to count about a cache, in plain numbers. */
interface CacheCounts {
  /** Changes that came from the store, and those that were told to watches. */
  received: number;
  dispatched: number;
  /** How often it was filled. */
  initializations: number;
  /** How often the store said how far it is. */
  progress: number;
}

/** Seconds. */
const waitBounds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3];

export class WatchCache<T extends Keyed> {
  readonly counts: CacheCounts = { received: 0, dispatched: 0, initializations: 0, progress: 0 };
  /** Changes that watches can go back to. */
  readonly capacity = ringLimits.events;
  #readWaits: Histogram | undefined;
  readonly #options: CacheOptions<T>;
  readonly #entries = new SortedMap<T>();
  readonly #indexes: CacheIndexes<T>;
  readonly #listeners = new CacheListeners<T, CacheListener<T>>();
  readonly #replays = new Set<StoreWatch>();
  #ring = new EventRing<T>(zeroRevision, ringLimits);
  #waiting: Waiter[] = [];
  #revision: Revision = zeroRevision;
  #loading: Promise<void> | undefined;
  #watch: StoreWatch | undefined;
  /** How often what the store holds began to mean something else. */
  #meaning = 0;
  /** Items have appeared since the cache was filled, though nothing was written. */
  #hasRevealed = false;
  /** Before this, items were left out that are there now: what came after does not tell of them. */
  #complete: Revision = zeroRevision;
  #closed = false;

  constructor(options: CacheOptions<T>) {
    this.#options = options;
    this.#indexes = new CacheIndexes((item, index) => options.indexed?.(item, index));
  }

  /** The snapshot shows every write up to this revision. */
  get revision(): Revision {
    return this.#revision;
  }

  /** Whether it holds some recent state, and follows the store. */
  get isFilled(): boolean {
    return this.#watch !== undefined;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** How long reads waited for the cache to be as new as they needed; undefined where none had to. */
  get readWaits(): Histogram | undefined {
    return this.#readWaits;
  }

  /** Fills the cache if it is not; afterwards it holds some recent state. */
  started(): MaybePromise<void> {
    if (this.#closed) throw closedError();
    if (this.#watch !== undefined) return;
    this.#loading ??= this.#load().finally(() => {
      this.#loading = undefined;
    });
    return this.#loading;
  }

  /** For those who can do without it. What goes wrong meets the next reader who waits for it. */
  fillInBackground(): void {
    void Promise.resolve(this.started()).catch(() => {});
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
    if (this.#watch === undefined) return false;
    const began = performance.now();
    const waiting = new Promise<boolean>((resolve) => {
      const timer = this.#options.clock.after(withinMs, () => {
        this.#waiting = this.#waiting.filter((other) => other !== waiter);
        resolve(false);
      });
      const onReached = (reached: boolean) => {
        timer.cancel();
        this.#readWaits ??= new Histogram(waitBounds);
        this.#readWaits.observe((performance.now() - began) / 1000);
        resolve(reached);
      };
      const waiter = { revision, onReached };
      this.#waiting.push(waiter);
    });
    this.#watch.requestProgress?.(revision);
    return waiting;
  }

  get(key: string): T | undefined {
    return this.#entries.get(key);
  }

  present(): Snapshot<T> {
    return new PresentSnapshot(this.#entries, this.#revision);
  }

  /** How things were at a revision, unless that is too long ago, or still to come. */
  past(revision: Revision): Snapshot<T> | undefined {
    if (revision < this.#ring.start || revision > this.#revision) return undefined;
    return new PastSnapshot(this.#entries, revision, this.#ring.after(revision));
  }

  /** Keys of the items that have a value in an index; undefined while that is not known. */
  find(index: string, value: string): ReadonlySet<string> | undefined {
    return this.#indexes.get(index, (visit) => this.#eachItem(visit))?.find(value);
  }

  #eachItem(visit: (key: string, item: T | undefined) => void): MaybePromise<void> {
    return forEachInTurns([...this.#entries.keys('')], (key) => visit(key, this.#entries.get(key)));
  }

  /** Indexes are made again on their next use: a changed definition may give other values. Kinds with lasting indexes do not change. */
  forgetIndexes(): void {
    this.#indexes.forget();
  }

  #beginIndexes(): void {
    this.#indexes.begin(this.#options.lastingIndexes?.() ?? []);
  }

  /** Older events are asked of the store from now on, which may have compacted them. */
  forgetHistory(): void {
    this.#ring = new EventRing(this.#revision, ringLimits);
  }

  /** Drops events that the store has compacted: only a watch that missed none of them can start before them. */
  trimHistory(compacted: Revision): void {
    this.#ring.trim(compacted);
  }

  /**
   * What the store holds means something else from now on: watchers have to start again, the next reader fills the cache again.
   * Where that may reveal items that were left out, watchers cannot go on from what they know.
   */
  refill({ reveals }: { readonly reveals: boolean }): void {
    this.#meaning++;
    if (reveals) this.#hasRevealed = true;
    this.#watch?.close();
    if (this.#watch !== undefined) this.#end(reveals ? 'gone' : 'closed');
  }

  /** Tells of every change from now on; call only once started. Ends at once when the feed has broken since. */
  listen(listener: CacheListener<T>, only?: IndexedValues): { close(): void } {
    if (this.#watch === undefined) {
      listener.onEnd('closed');
      return nothing;
    }
    const values = only !== undefined && this.#indexes.isLasting(only.index) ? only : undefined;
    this.#listeners.add(listener, values);
    return { close: () => this.#listeners.delete(listener, values) };
  }

  /** Whether what happened after a revision can still be told. */
  hasHistory(after: Revision): MaybePromise<boolean> {
    if (after < this.#complete) return false;
    return after >= this.#ring.start || isKept(this.#options.store, this.#options.prefix, after);
  }

  /** Tells what happened after a revision until now; call only once started. */
  replay(after: Revision, listener: LateListener<T>): { close(): void } {
    if (after < this.#complete) {
      listener.onEnd('gone');
      return nothing;
    }
    if (after < this.#ring.start) return this.#readHistory(after, listener);
    this.#finishReplay(after, listener);
    return nothing;
  }

  close(): void {
    this.#closed = true;
    this.#watch?.close();
    this.#end();
    for (const replay of [...this.#replays]) replay.close();
  }

  #finishReplay(after: Revision, listener: LateListener<T>): void {
    const missed = this.#ring.after(after);
    if (missed.length > 0) listener.onEvents(missed);
    listener.onCaughtUp();
  }

  /** Reads older history from the store until the ring can take over. */
  #readHistory(after: Revision, listener: LateListener<T>): { close(): void } {
    const over = () => {
      delivery.close();
      this.#replays.delete(history);
      history.close();
    };
    const end = (reason: CacheEnd) => {
      over();
      listener.onEnd(reason);
    };
    /** Long history is read in time slices, and what comes after it waits. */
    const delivery = new OrderedDelivery(() => end('closed'));
    const history = this.#options.store.watch(
      { prefix: this.#options.prefix, after },
      {
        onEvents: (events) => {
          delivery.add(() => this.#tellHistory(events, listener, () => delivery.isClosed));
          return delivery.pending;
        },
        onProgress: (revision) =>
          delivery.add(() => {
            if (revision < this.#ring.start) return;
            over();
            this.#finishReplay(revision, listener);
          }),
        onEnd: (reason) => delivery.add(() => end(reason === 'gone' ? 'gone' : 'closed')),
      },
    );
    this.#replays.add(history);
    return { close: over };
  }

  #tellHistory(events: readonly StoreEvent[], listener: LateListener<T>, isOver: () => boolean): MaybePromise<void> {
    const changes: CacheEvent<T>[] = [];
    const read = forEachInTurns(events, (event) => {
      const { key, value, revision } = event;
      const current = this.#read(value && { key, value, revision });
      changes.push({ key, revision, current, previous: this.#read(event.previous()) });
    });
    return andThen(read, () => {
      if (!isOver()) listener.onEvents(changes);
    });
  }

  #read(entry: StoredEntry | undefined): T | undefined {
    return entry && this.#options.materialize(entry);
  }

  async #load(): Promise<void> {
    const { store, prefix, places } = this.#options;
    const began = performance.now();
    const meaning = this.#meaning;
    this.#entries.clear();
    this.#beginIndexes();
    const at = await (places === undefined
      ? this.#fill<StoredEntry>(
          (query) => store.list(query),
          (entry) => this.#read(entry),
        )
      : this.#fill<ValuePlace>(
          (query) => places.list(query),
          (place) => places.materialize(place),
        ));
    // a watch that is opened now would never be closed
    if (this.#closed) throw closedError();
    if (this.#meaning !== meaning) return this.#load();
    this.#ring = new EventRing(at, ringLimits);
    this.#revision = at;
    if (this.#hasRevealed) this.#complete = at;
    this.#hasRevealed = false;
    this.#watch = store.watch(
      { prefix, after: at },
      {
        onEvents: (events) => this.#apply(events),
        onProgress: (revision) => this.#advance(revision),
        onEnd: () => this.#end(),
      },
    );
    this.counts.initializations++;
    this.#options.onFilled?.(this.#entries.size, performance.now() - began);
  }

  /** Takes in all items, page by page. Returns the revision that they show. */
  async #fill<E extends ValuePlace>(
    list: (query: ListQuery) => Promise<FillPage<E>>,
    read: (entry: E) => T | undefined,
  ): Promise<Revision> {
    const { prefix } = this.#options;
    let page = await list({ prefix, limit: loadPage });
    const at = page.revision;
    for (;;) {
      await forEachInTurns(page.entries, (entry) => {
        const item = read(entry);
        if (item === undefined) return;
        this.#entries.set(entry.key, item);
        this.#indexes.update(entry.key, item);
      });
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) return at;
      // readers wait for the cache, and so does most background work
      await yieldAsRequest();
      page = await list({ prefix, limit: loadPage, after: last.key, at });
    }
  }

  #apply(events: readonly StoreEvent[]): void {
    this.counts.received += events.length;
    const changes = events.map((event) => this.#change(event));
    for (const change of changes) this.#ring.push(change, this.#sizeOf(change));
    this.#revision = (events[events.length - 1] as StoreEvent).revision;
    for (const listener of this.#listeners.all) this.#notify(listener, changes);
    for (const [listener, some] of this.#listeners.takeDue()) this.#notify(listener, some);
    this.counts.dispatched += changes.length;
  }

  #sizeOf({ current, previous }: CacheEvent<T>): number {
    const { sizeOf } = this.#options;
    return (current === undefined ? 0 : sizeOf(current)) + (previous === undefined ? 0 : sizeOf(previous));
  }

  /** A listener that fails is dropped; the others must not miss anything for it. */
  #notify(listener: CacheListener<T>, changes: readonly CacheEvent<T>[]): void {
    try {
      listener.onEvents(changes);
    } catch {
      this.#listeners.drop(listener);
      listener.onEnd('closed');
    }
  }

  #change({ key, value, revision }: StoreEvent): CacheEvent<T> {
    const previous = this.#entries.get(key);
    if (previous !== undefined) this.#options.onReplaced?.(previous);
    const { materialize, materializeChange = materialize } = this.#options;
    const current = value === undefined ? undefined : materializeChange({ key, value, revision });
    if (current === undefined) this.#entries.delete(key);
    else this.#entries.set(key, current);
    const change = { key, revision, current, previous };
    this.#indexes.update(key, current, (index, value) => this.#listeners.concern(change, index, value));
    return change;
  }

  #advance(revision: Revision): void {
    this.counts.progress++;
    this.#revision = revision;
    for (const listener of this.#listeners.all) listener.onProgress(revision);
    if (this.#waiting.length === 0) return;
    const ready = this.#waiting.filter((waiter) => waiter.revision <= revision);
    this.#waiting = this.#waiting.filter((waiter) => waiter.revision > revision);
    for (const waiter of ready) waiter.onReached(true);
  }

  /** The feed broke: watchers have to start again, the next reader fills the cache again. */
  #end(reason: CacheEnd = 'closed'): void {
    this.#watch = undefined;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const waiter of waiting) waiter.onReached(false);
    const listeners = this.#listeners.takeAll();
    for (const listener of listeners) listener.onEnd(reason);
  }
}

/** Whether a store still has the state at a revision, and so what came after it. */
async function isKept(store: Store, prefix: string, at: Revision): Promise<boolean> {
  try {
    await store.list({ prefix, at, limit: 1 });
    return true;
  } catch (error) {
    if (error instanceof CompactedError) return false;
    throw error;
  }
}

const nothing = { close: () => {} };
const closedError = () => new StoreUnavailableError('the cache is closed');
