// The durable default: LMDB tables in the data folder. A batch of commits is one transaction, and it is
// acknowledged only after LMDB has flushed it to disk.

import { mkdirSync } from 'node:fs';
import type { Database, RootDatabase } from 'lmdb';
import { RecentMap } from '../../base/maps/recent-map.ts';
import { packageVersion } from '../../base/package-version.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type Revision, revision } from '../../meta/revision.ts';
import { MvccStore, type Publication } from '../mvcc/mvcc-store.ts';
import {
  type Cleanup,
  type CurrentEntry,
  type Expiring,
  type LogRecord,
  NoRoomError,
  type Tables,
} from '../mvcc/tables.ts';
import type { Store } from '../store.ts';
import { DataRoom } from './data-room.ts';
import { checkFormat, noteRelease, openDatabases, openRoot, type TableSet } from './database.ts';
import { LmdbReader } from './lmdb-reader.ts';
import { encodePointer, encodeRecord, recordLength } from './record.ts';
import { openFiles } from './store-files.ts';
import { largestTransaction, type TableChanges, type TableShape } from './transaction-size.ts';

interface EmbeddedOptions extends FlushOptions {
  readonly clock?: Clock | undefined;
  /** For threads that read the same file. */
  readonly publication?: Publication | undefined;
}

interface FlushOptions {
  /**
   * Whether a commit waits until the disk has it; true when not given. Without, commits survive the end of this process, not
   * that of the machine: for tests only.
   */
  readonly flushes?: boolean;
  /** The release that writes, this one unless given. */
  readonly release?: string;
}

/** Opens or creates the store in `folder`, which the caller has locked. */
export function openEmbeddedStore(folder: string, { clock, publication, ...flushing }: EmbeddedOptions = {}): Store {
  return new MvccStore(openLmdbTables(folder, flushing), clock, publication);
}

/** Opens or creates the tables in `folder`, which no other process may hold. */
export function openLmdbTables(folder: string, flushing: FlushOptions = {}): LmdbTables {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return openFiles(folder, () => openTables(folder, flushing));
}

function openTables(folder: string, { release = packageVersion(), ...flushing }: FlushOptions): LmdbTables {
  const root = openRoot(folder, flushing);
  try {
    // one transaction: each would be flushed to disk on its own
    const databases = root.transactionSync(() => {
      const opened = openDatabases(root);
      checkFormat(opened.meta, folder);
      noteRelease(opened, release);
      return opened;
    });
    return new LmdbTables(folder, root, databases);
  } catch (error) {
    void root.close();
    throw error;
  }
}

/** The positions of the newest records of this many keys, which are read here instead of on disk. */
const maxRecent = 1024;
/** The reason of a failed commit follows the failure at once. */
const reasonMs = 1000;

export class LmdbTables extends LmdbReader implements Tables {
  readonly lastRevision: Revision;
  readonly compacted: Revision;
  readonly #root: RootDatabase;
  readonly #room: DataRoom;
  readonly #meta: TableSet['meta'];
  readonly #current: Database<Buffer, string>;
  readonly #log: Database<Buffer, number>;
  readonly #expiring: Database<string, [at: number, revision: number]>;
  readonly #recent = new RecentMap<CurrentEntry>(maxRecent);

  /** The shapes of the tables when `#room` last read them. */
  #shapes: Shapes;

  constructor(folder: string, root: RootDatabase, databases: TableSet) {
    super(databases);
    this.#root = root;
    this.#shapes = shapesOf(databases);
    this.#room = new DataRoom(folder, () => {
      this.#shapes = shapesOf(databases);
      return this.#shapes.usedBytes;
    });
    this.#meta = databases.meta;
    this.#current = databases.current;
    this.#log = databases.log;
    this.#expiring = databases.expiring;
    const [last] = this.#log.getKeys({ reverse: true, limit: 1 });
    this.compacted = revision(Number(this.#meta.get('compacted') ?? 0));
    this.lastRevision = revision(Math.max(last ?? 0, this.compacted));
  }

  override current(key: string): CurrentEntry | undefined {
    return this.#recent.get(key) ?? super.current(key);
  }

  async append(records: readonly LogRecord[], reclaims = false): Promise<void> {
    const ends = records.filter(({ expiresAt }) => expiresAt !== undefined);
    const { log, current, expiring } = this.#shapes;
    const changes = [
      { shape: log, writes: records.length, sizes: records.map(recordLength), appends: true },
      { shape: current, writes: records.length, sizes: records.map(sizeOfKey) },
      { shape: expiring, writes: ends.length, sizes: ends.map(sizeOfKey) },
    ];
    await this.#batch({ reclaims, changes }, (write) => {
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
    const changes = [
      { shape: this.#shapes.log, writes: forgetRecords.length },
      { shape: this.#shapes.current, writes: forgetKeys.length },
    ];
    return this.#batch({ reclaims: true, changes }, (write) => {
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
    const changes = [{ shape: this.#shapes.expiring, writes: entries.length }];
    return this.#batch({ reclaims: true, changes }, (write) => {
      for (const { at, revision: of } of entries) write(this.#expiring.remove([at, of]));
    });
  }

  async close(): Promise<void> {
    this.closing();
    await this.#root.close();
  }

  shortage(): string | undefined {
    return this.#room.isShort() ? 'the disk is full' : undefined;
  }

  /** One transaction; one that frees space may use the reserve. */
  async #batch({ reclaims, changes }: Batch, writeAll: WriteAll): Promise<void> {
    const bytes = largestTransaction(this.#shapes.pageSize, changes);
    if (!(await this.#room.take({ bytes, reclaims }))) throw new NoRoomError('there is no room: the disk is full');
    await this.#transact(writeAll);
  }

  /** The promise of the batch stands for its writes: their own promises are ignored. */
  async #transact(writeAll: WriteAll): Promise<void> {
    try {
      await this.#root.batch(() => {
        let observedBatch: Promise<boolean> | undefined;
        writeAll((written) => {
          // most writes of a batch share one promise
          if (written !== observedBatch) written.catch(ignore);
          observedBatch = written;
        });
      });
    } catch (error) {
      throw new Error(await reasonOf(error), { cause: error });
    }
  }
}

interface Batch {
  readonly reclaims: boolean;
  readonly changes: readonly TableChanges[];
}

interface Shapes extends Readonly<Record<'log' | 'current' | 'expiring', TableShape>> {
  readonly pageSize: number;
  /** Where the last page in use ends. */
  readonly usedBytes: number;
}

function shapesOf({ log, current, expiring }: TableSet): Shapes {
  const { pageSize, lastPageNumber, ...shape } = log.getStats() as LmdbStats;
  return {
    log: shape,
    current: current.getStats() as LmdbStats,
    expiring: expiring.getStats() as LmdbStats,
    pageSize,
    usedBytes: (lastPageNumber + 1) * pageSize,
  };
}

interface LmdbStats extends TableShape {
  readonly pageSize: number;
  readonly lastPageNumber: number;
}

/** With the small value that its table has for it. */
function sizeOfKey({ key }: LogRecord): number {
  return Buffer.byteLength(key);
}

/** Makes the writes of a batch, and hands over the promise of each. */
type WriteAll = (write: (written: Promise<boolean>) => void) => void;

/** The error of a failed batch has no reason; another promise has it. */
async function reasonOf(error: unknown): Promise<string> {
  const { message, commitError } = error as Error & { commitError?: Promise<never> };
  if (commitError === undefined) return message;
  const late = new Promise<string>((resolve) => setTimeout(resolve, reasonMs, message).unref());
  return Promise.race([late, commitError.catch((reason: Error) => reason.message)]);
}

function ignore(): void {}
