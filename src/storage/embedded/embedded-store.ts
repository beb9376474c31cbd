// The durable default: LMDB tables in the data folder. A batch of commits is one transaction, and it is
// acknowledged only after LMDB has flushed it to disk.

import { statfsSync } from 'node:fs';
import type { Database, RootDatabase } from 'lmdb';
import type { Clock } from '../../base/clock.ts';
import { RecentMap } from '../../base/recent-map.ts';
import { type Revision, revision } from '../../meta/revision.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import type { Cleanup, CurrentEntry, Expiring, LogRecord, Tables } from '../mvcc/tables.ts';
import type { Store } from '../store.ts';
import { checkFormat, openDatabases, openRoot, type TableSet } from './database.ts';
import { decodePointer, decodeRecord, encodePointer, encodeRecord } from './record.ts';

export interface EmbeddedOptions {
  readonly clock?: Clock;
}

/** Opens or creates the store in `folder`, which the caller has locked. */
export function openEmbeddedStore(folder: string, { clock }: EmbeddedOptions = {}): Store {
  const root = openRoot(folder);
  try {
    // one transaction: each would be flushed to disk on its own
    const databases = root.transactionSync(() => {
      const opened = openDatabases(root);
      checkFormat(opened.meta, folder);
      return opened;
    });
    return new MvccStore(new LmdbTables(root, databases, folder), clock);
  } catch (error) {
    void root.close();
    throw error;
  }
}

/** What is written often is looked up here instead of on disk: where the newest records of this many keys are. */
const maxRecent = 1024;
/** Below this a disk counts as full: LMDB reports a short write as nothing but an input/output error. */
const fullBytes = 1024 * 1024;
/** The reason of a failed commit follows the failure at once. */
const reasonMs = 1000;

export class LmdbTables implements Tables {
  readonly lastRevision: Revision;
  readonly compacted: Revision;
  readonly #root: RootDatabase;
  readonly #folder: string;
  readonly #meta: Database<number, string>;
  readonly #current: Database<Buffer, string>;
  readonly #log: Database<Buffer, number>;
  readonly #expiring: Database<string, [at: number, revision: number]>;
  readonly #recent = new RecentMap<CurrentEntry>(maxRecent);

  constructor(root: RootDatabase, databases: TableSet, folder: string) {
    this.#root = root;
    this.#folder = folder;
    this.#meta = databases.meta;
    this.#current = databases.current;
    this.#log = databases.log;
    this.#expiring = databases.expiring;
    const [last] = this.#log.getKeys({ reverse: true, limit: 1 });
    this.compacted = revision(this.#meta.get('compacted') ?? 0);
    this.lastRevision = revision(Math.max(last ?? 0, this.compacted));
  }

  current(key: string): CurrentEntry | undefined {
    const recent = this.#recent.get(key);
    if (recent !== undefined) return recent;
    const bytes = this.#current.getBinary(key);
    return bytes === undefined ? undefined : decodePointer(key, bytes);
  }

  *scan(prefix: string, after?: string): Iterable<CurrentEntry> {
    for (const { key, value } of this.#current.getRange({ start: after ?? prefix, end: `${prefix}\u{10ffff}` })) {
      if (key !== after) yield decodePointer(key, value);
    }
  }

  record(at: Revision): LogRecord | undefined {
    const bytes = this.#log.getBinary(at);
    return bytes === undefined ? undefined : decodeRecord(at, bytes);
  }

  *records(first: Revision): Iterable<LogRecord> {
    for (const { key, value } of this.#log.getRange({ start: first })) yield decodeRecord(revision(key), value);
  }

  async append(records: readonly LogRecord[]): Promise<void> {
    await this.#batch((write) => {
      for (const record of records) {
        write(this.#log.put(record.revision, encodeRecord(record)));
        write(this.#current.put(record.key, encodePointer(record.revision, record.value === undefined)));
        const { expiresAt } = record;
        if (expiresAt !== undefined) write(this.#expiring.put([expiresAt, record.revision], record.key));
      }
    });
    for (const { key, revision: at, value } of records)
      this.#recent.set(key, { key, revision: at, deleted: value === undefined });
  }

  clean({ forgetRecords, forgetKeys, compacted }: Cleanup): Promise<void> {
    for (const key of forgetKeys) this.#recent.delete(key);
    return this.#batch((write) => {
      for (const at of forgetRecords) write(this.#log.remove(at));
      for (const key of forgetKeys) write(this.#current.remove(key));
      write(this.#meta.put('compacted', compacted));
    });
  }

  *expiring(): Iterable<Expiring> {
    for (const { key, value } of this.#expiring.getRange()) {
      yield { at: key[0], revision: revision(key[1]), key: value };
    }
  }

  forgetExpiring(entries: readonly Expiring[]): Promise<void> {
    return this.#batch((write) => {
      for (const { at, revision: of } of entries) write(this.#expiring.remove([at, of]));
    });
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  /** One transaction. The batch speaks for its writes: their own promises are heard nowhere. */
  async #batch(writeAll: (write: (written: Promise<boolean>) => void) => void): Promise<void> {
    try {
      await this.#root.batch(() => {
        let heard: Promise<boolean> | undefined;
        writeAll((written) => {
          // most writes of a batch share one promise
          if (written !== heard) written.catch(ignore);
          heard = written;
        });
      });
    } catch (error) {
      throw new Error(`${await reasonOf(error)}${this.#isFull() ? ' (the disk is full)' : ''}`, { cause: error });
    }
  }

  #isFull(): boolean {
    try {
      const { bavail, bsize } = statfsSync(this.#folder);
      return bavail * bsize < fullBytes;
    } catch {
      return false;
    }
  }
}

/** A failed batch says only that it failed; a promise beside it says why. */
async function reasonOf(error: unknown): Promise<string> {
  const { message, commitError } = error as Error & { commitError?: Promise<never> };
  if (commitError === undefined) return message;
  const late = new Promise<string>((resolve) => setTimeout(resolve, reasonMs, message).unref());
  return Promise.race([late, commitError.catch((reason: Error) => reason.message)]);
}

function ignore(): void {}
