// The seam between the API and what keeps it: keys, revisions and bytes, never kinds.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Revision } from '../meta/revision.ts';
import type { CallCounts } from './call-counts.ts';

export interface StoredEntry {
  readonly key: string;
  readonly value: Uint8Array;
  /** The write that made this value. */
  readonly revision: Revision;
}

/** One conditional write. `expected` is the revision the key must have now; 0 means it must not exist. */
export interface Write {
  readonly key: string;
  /** Undefined deletes the key; where there is none, nothing happens. */
  readonly value: Uint8Array | undefined;
  readonly expected: Revision;
  /** Deletes the key after this many seconds, unless it is written again; never when absent. */
  readonly ttlSeconds?: number;
  /** The write is part of a deletion: a store whose disk is full takes it as it takes a delete, while it can. */
  readonly reclaims?: boolean;
  /** The value is read as it is written: nothing of it is to be filled in or dropped. */
  readonly settled?: boolean;
  /** W3C headers of the trace that the write belongs to, for stores on other servers. */
  readonly traceHeaders?: Readonly<Record<string, string>>;
}

export type CommitResult =
  | { readonly kind: 'committed'; readonly revision: Revision }
  | { readonly kind: 'conflict'; readonly current: StoredEntry | undefined };

export interface ListQuery {
  /** Ends with a separator, so that no neighbouring name matches. */
  readonly prefix: string;
  /** Keys after this one; from the start when absent. */
  readonly after?: string;
  readonly limit?: number;
  /** The revision to read at; the latest when absent. */
  readonly at?: Revision;
  /** Whether to count what follows a page, which costs a look at every key. */
  readonly countRemaining?: boolean;
}

export interface ListResult {
  /** In key order. */
  readonly entries: readonly StoredEntry[];
  /** The revision the list shows. */
  readonly revision: Revision;
  /** Whether entries follow the last one. */
  readonly more: boolean;
  /** How many entries follow the last one, where that was asked for. */
  readonly remaining?: number;
}

/** Where a value is: enough for a cache that reads the value when it is needed. */
export type ValuePlace = Pick<StoredEntry, 'key' | 'revision'>;

export interface PlaceList {
  /** In key order. */
  readonly entries: readonly ValuePlace[];
  readonly revision: Revision;
  readonly more: boolean;
}

/** Values that can be read at any moment without waiting: those of a data file that is mapped into memory. */
export interface MappedValues {
  /** As `list`, without the values. */
  listPlaces(query: ListQuery): Promise<PlaceList>;
  /**
   * Calls `use` with the value that a write made. The bytes are valid during the call only, in which the store must not be
   * used. Undefined for a deletion, and where the history was compacted.
   */
  look<T>(revision: Revision, use: (value: Uint8Array) => T): T | undefined;
  /** All values from this revision on were written by this release. */
  readonly ownSince: Revision;
}

export interface StoreEvent {
  readonly key: string;
  readonly revision: Revision;
  /** Undefined when the key was deleted. */
  readonly value: Uint8Array | undefined;
  /** What the key held before; may be asked for until the history is compacted. */
  previous(): StoredEntry | undefined;
}

export interface StoreWatcher {
  /** What is still read of the history waits for the promise; what happens meanwhile does not. */
  onEvents(events: readonly StoreEvent[]): MaybePromise<void>;
  /** Every event up to and including `revision` has been delivered. */
  onProgress(revision: Revision): void;
  /** The watch is over: `gone` when history was compacted before it could be read. */
  onEnd(reason: 'gone' | 'closed' | Error): void;
}

export interface StoreWatch {
  close(): void;
  /**
   * Asks to be told of progress up to a revision, for as long as a reader can be expected to wait for it; for stores
   * that tell of it from time to time only.
   */
  requestProgress?(wanted: Revision): void;
}

export interface Store {
  /** The latest value; sees every write that was acknowledged before the call. */
  get(key: string): MaybePromise<StoredEntry | undefined>;
  /** Throws `CompactedError` or `FutureRevisionError` when the revision asked for cannot be read. */
  list(query: ListQuery): Promise<ListResult>;
  /**
   * Resolves once the write is durable; a local store has told its watchers by then. Rejects with
   * `StoreUnavailableError` when that is not known.
   */
  commit(write: Write): Promise<CommitResult>;
  /**
   * Whether a value is stored in a form that new values are no longer written in: an update then writes it though nothing
   * has changed. For stores that have several forms.
   */
  isStale?(key: string): MaybePromise<boolean>;
  /** Whether a write of this process made a settled value, as far as that is not too many writes ago. Absent where the store cannot tell. */
  isSettled?(revision: Revision): boolean;
  /** Events after a revision, in order, none lost, none twice; onEvents is never called after close. */
  watch(query: { readonly prefix: string; readonly after: Revision }, watcher: StoreWatcher): StoreWatch;
  /** Forgets history up to and including `revision`; the latest values stay. */
  compact(revision: Revision): Promise<void>;
  /** The newest revision that is durable. */
  currentRevision(): MaybePromise<Revision>;
  /**
   * Everything as it is now. For local stores: a cluster's store is not one server's to turn back.
   */
  readonly checkpoint?: (() => Checkpoint) | undefined;
  /** For caches that do not keep the values; undefined where reading a value waits, or is expensive. */
  readonly mapped?: MappedValues | undefined;
  /** Calls to the server that keeps the objects; undefined where there is none. */
  readonly calls?: CallCounts;
  /** What the store is short of, such as room on its disk; undefined when all is well. */
  shortage?(): string | undefined;
  /** Ends watches and releases everything; waits for writes under way. */
  close(): Promise<void>;
}

/** The content of a store at one moment. */
export interface Checkpoint {
  /** Keys and values; those that end by themselves are left out. */
  content(): readonly Pick<StoredEntry, 'key' | 'value'>[];
  /**
   * Writes back what has changed since, all at once and under new revisions: readers and watchers see changes as any other.
   * Writes that were accepted before the call happen before it.
   */
  restore(): Promise<void>;
}

export class CompactedError extends Error {
  readonly compacted: Revision;
  constructor(compacted: Revision) {
    super(`history before revision ${compacted} has been compacted`);
    this.compacted = compacted;
  }
}

export class FutureRevisionError extends Error {
  readonly current: Revision;
  constructor(current: Revision) {
    super(`the newest revision is ${current}`);
    this.current = current;
  }
}

export class StoreUnavailableError extends Error {}

/** The key of a value cannot be had at present: it was neither written nor read. */
export class MissingKeyError extends StoreUnavailableError {}

/** It is not known whether the write happened: the store was lost after it had been sent. */
export class UncertainWriteError extends StoreUnavailableError {}
