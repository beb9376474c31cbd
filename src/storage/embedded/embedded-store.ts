// The durable default: two LMDB tables in the data folder. A batch of commits is one transaction, and it is
// acknowledged only after LMDB has flushed it to disk.

import { createRequire } from 'node:module';
import type { Database, RootDatabase } from 'lmdb';
import { type Revision, revision } from '../../meta/revision.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import type { Cleanup, CurrentEntry, LogRecord, Tables } from '../mvcc/tables.ts';
import type { Store } from '../store.ts';
import { decodePointer, decodeRecord, encodePointer, encodeRecord } from './record.ts';

/** Bumped when the layout on disk changes; a newer one is refused. */
const formatVersion = 1;

// its CommonJS form is one file and loads faster
const { open } = createRequire(import.meta.url)('lmdb') as typeof import('lmdb');

export class UnknownFormatError extends Error {}

/** Opens or creates the store in `folder`, which the caller has locked. */
export function openEmbeddedStore(folder: string): Store {
  const root = open({
    path: folder,
    encoding: 'binary',
    maxDbs: 4,
    // a commit resolves after fsync, not before
    overlappingSync: false,
  });
  checkFormat(root.openDB<number, string>({ name: 'meta', encoding: 'json' }), folder);
  return new MvccStore(new LmdbTables(root));
}

function checkFormat(meta: Database<number, string>, folder: string): void {
  const found = meta.get('format');
  if (found === undefined) meta.putSync('format', formatVersion);
  else if (found > formatVersion) {
    throw new UnknownFormatError(
      `${folder} was written by a newer version (format ${found}, this one reads ${formatVersion})`,
    );
  }
}

class LmdbTables implements Tables {
  readonly lastRevision: Revision;
  readonly compacted: Revision;
  readonly #root: RootDatabase;
  readonly #meta: Database<number, string>;
  readonly #current: Database<Buffer, string>;
  readonly #log: Database<Buffer, number>;

  constructor(root: RootDatabase) {
    this.#root = root;
    this.#meta = root.openDB({ name: 'meta', encoding: 'json' });
    this.#current = root.openDB({ name: 'current', encoding: 'binary' });
    this.#log = root.openDB({ name: 'log', encoding: 'binary' });
    const [last] = this.#log.getKeys({ reverse: true, limit: 1 });
    this.compacted = revision(this.#meta.get('compacted') ?? 0);
    this.lastRevision = revision(Math.max(last ?? 0, this.compacted));
  }

  current(key: string): CurrentEntry | undefined {
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

  append(records: readonly LogRecord[]): Promise<void> {
    return this.#batch((write) => {
      for (const record of records) {
        write(this.#log.put(record.revision, encodeRecord(record)));
        write(this.#current.put(record.key, encodePointer(record.revision, record.value === undefined)));
      }
    });
  }

  clean({ forgetRecords, forgetKeys, compacted }: Cleanup): Promise<void> {
    return this.#batch((write) => {
      for (const at of forgetRecords) write(this.#log.remove(at));
      for (const key of forgetKeys) write(this.#current.remove(key));
      write(this.#meta.put('compacted', compacted));
    });
  }

  async close(): Promise<void> {
    await this.#root.close();
  }

  /** One transaction. The batch speaks for its writes: their own promises, and what else LMDB rejects, are heard nowhere. */
  async #batch(writeAll: (write: (written: Promise<boolean>) => void) => void): Promise<void> {
    try {
      await this.#root.batch(() => writeAll((written) => void written.catch(ignore)));
    } catch (error) {
      (error as { commitError?: Promise<unknown> }).commitError?.catch(ignore);
      throw error;
    }
  }
}

function ignore(): void {}
