// The tables below a local store: `current` says where the newest record of a key is, `log` holds the records by
// revision. A record knows its predecessor, so every retained revision can be read. An index of the records that end
// by themselves says which one does so next.

import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Revision } from '../../meta/revision.ts';
import type { MappedValues } from '../store.ts';

/** One write. */
export interface LogRecord {
  readonly key: string;
  readonly revision: Revision;
  /** Undefined for a delete. */
  readonly value: Uint8Array | undefined;
  /** The record this one replaces; 0 when the key is new. */
  readonly previous: Revision;
  /** When the key is to be deleted unless it was written again, in milliseconds since the epoch. */
  readonly expiresAt?: number;
}

/** A record that ends by itself. */
export interface Expiring {
  readonly at: number;
  readonly key: string;
  readonly revision: Revision;
}

/** Where the newest record of a key is; deleted keys stay until compaction. */
export interface CurrentEntry {
  readonly key: string;
  readonly revision: Revision;
  readonly deleted: boolean;
}

/** Changes that compaction makes. */
export interface Cleanup {
  readonly forgetRecords: readonly Revision[];
  readonly forgetKeys: readonly string[];
  readonly compacted: Revision;
}

/** What a thread that writes nothing needs of the tables. */
export interface ReadTables {
  current(key: string): CurrentEntry | undefined;
  /** Entries in key order whose key starts with `prefix` and comes after `after`. */
  scan(prefix: string, after?: string): Iterable<CurrentEntry>;
  record(revision: Revision): LogRecord | undefined;
  /** Records from `first` on, in order. */
  records(first: Revision): Iterable<LogRecord>;
  /** Absent where the tables hold their values in memory. */
  readonly mapped?: Pick<MappedValues, 'look' | 'ownSince'>;
}

export interface Tables extends ReadTables {
  readonly lastRevision: Revision;
  readonly compacted: Revision;
  /**
   * Makes the records durable, all or none. Throws `NoRoomError` on a full disk; records that are part of deletions
   * (`reclaims`) may then use room that is kept for them.
   */
  append(records: readonly LogRecord[], reclaims?: boolean): MaybePromise<void>;
  clean(cleanup: Cleanup): MaybePromise<void>;
  /** Records with an end, the next one first; they stay here until they are forgotten. */
  expiring(): Iterable<Expiring>;
  forgetExpiring(entries: readonly Expiring[]): MaybePromise<void>;
  /** What the tables are short of; undefined when all is well. */
  shortage?(): string | undefined;
  close(): MaybePromise<void>;
}

/** There is no room for the records. */
export class NoRoomError extends Error {}
