// Reads of the LMDB tables in a data folder: by the store that writes them, and by threads that only read.

import type { RootDatabase } from 'lmdb';
import { type Revision, revision } from '../../meta/revision.ts';
import type { CurrentEntry, LogRecord, ReadTables } from '../mvcc/tables.ts';
import { StoreUnavailableError } from '../store.ts';
import { openDatabases, openRoot, readOwnSince, type TableSet } from './database.ts';
import { decodePointer, decodeRecord, recordValue } from './record.ts';

export class LmdbReader implements ReadTables {
  readonly mapped: NonNullable<ReadTables['mapped']>;
  readonly #databases: Pick<TableSet, 'current' | 'log'>;
  #isClosed = false;

  constructor(databases: TableSet) {
    this.#databases = databases;
    this.mapped = { look: (at, use) => this.#look(at, use), ownSince: readOwnSince(databases.meta) };
  }

  /** From now on no value is read: LMDB would end the process. */
  protected closing(): void {
    this.#isClosed = true;
  }

  /** LMDB copies the value into a buffer that is used again for the next one. */
  #look<T>(at: Revision, use: (value: Uint8Array) => T): T | undefined {
    if (this.#isClosed) throw new StoreUnavailableError('the store is closed');
    const record = this.#databases.log.getBinaryFast(at);
    const value = record && recordValue(record);
    return value && use(value);
  }

  current(key: string): CurrentEntry | undefined {
    const bytes = this.#databases.current.getBinary(key);
    return bytes === undefined ? undefined : decodePointer(key, bytes);
  }

  *scan(prefix: string, after?: string): Iterable<CurrentEntry> {
    const range = this.#databases.current.getRange({ start: after ?? prefix, end: `${prefix}\u{10ffff}` });
    for (const { key, value } of range) if (key !== after) yield decodePointer(key, value);
  }

  record(at: Revision): LogRecord | undefined {
    const bytes = this.#databases.log.getBinary(at);
    return bytes === undefined ? undefined : decodeRecord(at, bytes);
  }

  *records(first: Revision): Iterable<LogRecord> {
    for (const { key, value } of this.#databases.log.getRange({ start: first }))
      yield decodeRecord(revision(key), value);
  }
}

/** Tables that another thread of this process writes. */
export interface FollowedTables extends ReadTables {
  /** Later reads see the current data on disk. */
  renew(): void;
  close(): Promise<void>;
}

/** Opens the tables in a folder that the main thread has opened for writing. */
export function openLmdbReader(folder: string): FollowedTables {
  const root = openRoot(folder);
  return new LmdbFollower(root, openDatabases(root));
}

class LmdbFollower extends LmdbReader implements FollowedTables {
  readonly #root: RootDatabase;

  constructor(root: RootDatabase, databases: TableSet) {
    super(databases);
    this.#root = root;
  }

  renew(): void {
    this.#root.resetReadTxn();
  }

  close(): Promise<void> {
    this.closing();
    return this.#root.close();
  }
}
