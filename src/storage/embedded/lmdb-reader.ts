// Reads of the LMDB tables in a data folder: by the store that writes them, and by threads that only read.

import { type Revision, revision } from '../../meta/revision.ts';
import type { CurrentEntry, LogRecord, ReadTables } from '../mvcc/tables.ts';
import { openDatabases, openRoot, type TableSet } from './database.ts';
import { decodePointer, decodeRecord } from './record.ts';

export class LmdbReader implements ReadTables {
  readonly #databases: Pick<TableSet, 'current' | 'log'>;

  constructor(databases: Pick<TableSet, 'current' | 'log'>) {
    this.#databases = databases;
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
  /** Reads from now on see what is on disk now. */
  renew(): void;
  close(): Promise<void>;
}

/** Opens the tables in a folder that the main thread has opened for writing. */
export function openLmdbReader(folder: string): FollowedTables {
  const root = openRoot(folder);
  const reader = new LmdbReader(openDatabases(root));
  return Object.assign(reader, {
    renew: () => root.resetReadTxn(),
    close: () => root.close(),
  });
}
