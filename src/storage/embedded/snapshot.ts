// Saving the objects of a data folder to a file, while a server runs on it or not, and making a folder of such a file.

import { existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { RootDatabase } from 'lmdb';
import { revision } from '../../meta/revision.ts';
import type { LogRecord } from '../mvcc/tables.ts';
import type { TableSet } from './database.ts';
import { type LmdbTables, openLmdbTables } from './embedded-store.ts';
import { openToRead } from './open-to-read.ts';
import { decodePointer, decodeRecord, maxRevision } from './record.ts';
import { readSnapshot, SnapshotError, type SnapshotSummary, syncFolder, writeSnapshot } from './snapshot-file.ts';

/** Called with the done and the total amount, in one unit, and the phase of the work. */
type OnProgress = (done: number, total: number, phase: string) => void;

/** Saves the store in `folder` as it is at one moment. A server may run on the folder meanwhile. */
export async function saveSnapshot(
  folder: string,
  path: string,
  onProgress: OnProgress = () => {},
): Promise<SnapshotSummary> {
  if (!existsSync(join(folder, 'data.mdb'))) throw new SnapshotError(`there is no store in ${folder}`);
  const { root, databases } = await openToRead(folder);
  try {
    return await saveFrom(root, databases, path, onProgress);
  } finally {
    await root.close();
  }
}

/** One read transaction sees one moment, however long it takes. */
async function saveFrom(
  root: RootDatabase,
  databases: TableSet,
  path: string,
  onProgress: OnProgress,
): Promise<SnapshotSummary> {
  const transaction = root.useReadTransaction();
  try {
    const [last] = databases.log.getKeys({ reverse: true, limit: 1, transaction });
    const compacted = (databases.meta.get('compacted', { transaction }) as number | undefined) ?? 0;
    const at = revision(Math.max(last ?? 0, compacted));
    const saved = await writeSnapshot(path, at, currentRecords(databases, transaction, onProgress));
    onProgress(1, 1, 'waiting for the disk');
    await syncFolder(dirname(path));
    return saved;
  } finally {
    transaction.done();
  }
}

type Transaction = ReturnType<RootDatabase['useReadTransaction']>;

function* currentRecords(
  { current, log }: TableSet,
  transaction: Transaction,
  onProgress: OnProgress,
): Iterable<LogRecord> {
  const { entryCount } = current.getStats() as { readonly entryCount: number };
  let seen = 0;
  for (const { key, value } of current.getRange({ transaction })) {
    onProgress(++seen, entryCount, 'saving objects');
    const pointer = decodePointer(key, value);
    if (pointer.deleted) continue;
    const bytes = log.get(pointer.revision, { transaction });
    if (bytes === undefined) throw new SnapshotError(`the store is damaged: the value of ${key} is missing`);
    yield { ...decodeRecord(pointer.revision, bytes), previous: revision(0) };
  }
}

interface RestoreOptions {
  /** Added to the revision, so that versions which were handed out after the save are not handed out again. */
  readonly bumpRevision?: number;
  readonly onProgress?: OnProgress;
}

/** Records that are written at once. */
const batchLimits = { records: 1000, bytes: 8 * 1024 * 1024 };

/** Makes a store in `folder`, which must not hold one. It appears whole or not at all. */
export async function restoreSnapshot(
  path: string,
  folder: string,
  { bumpRevision = 0, onProgress = () => {} }: RestoreOptions = {},
): Promise<SnapshotSummary> {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new SnapshotError(`${folder} is not empty: a snapshot is restored into a new folder only`);
  }
  const draft = `${folder}.restoring`;
  rmSync(draft, { recursive: true, force: true });
  mkdirSync(draft, { recursive: true, mode: 0o700 });
  try {
    const restored = await fill(draft, path, bumpRevision, onProgress);
    renameSync(draft, folder);
    await syncFolder(dirname(folder));
    return restored;
  } catch (error) {
    rmSync(draft, { recursive: true, force: true });
    throw error;
  }
}

async function fill(
  folder: string,
  path: string,
  bumpRevision: number,
  onProgress: OnProgress,
): Promise<SnapshotSummary> {
  // the release that wrote the values is unknown
  const tables = openLmdbTables(folder, { release: '' });
  try {
    const batch = new Batch(tables);
    const revisions = new Set<number>();
    const { size } = statSync(path);
    let read = 0;
    const summary = await readSnapshot(path, (record) => {
      read += record.key.length + (record.value?.length ?? 0);
      onProgress(read, size, 'restoring objects');
      if (revisions.size === revisions.add(record.revision).size)
        throw new SnapshotError(`${path}: two entries have revision ${record.revision}`);
      return batch.add(record);
    });
    onProgress(1, 1, 'waiting for the disk');
    await batch.flush();
    // there is no history before the snapshot
    const compacted = revision(summary.revision + bumpRevision);
    if (compacted > maxRevision) throw new SnapshotError(`revision ${compacted} is out of range`);
    await tables.clean({ forgetRecords: [], forgetKeys: [], compacted });
    return { ...summary, revision: compacted };
  } finally {
    await tables.close();
  }
}

class Batch {
  readonly #tables: LmdbTables;
  #records: LogRecord[] = [];
  #bytes = 0;

  constructor(tables: LmdbTables) {
    this.#tables = tables;
  }

  async add(record: LogRecord): Promise<void> {
    this.#records.push(record);
    this.#bytes += record.value?.length ?? 0;
    if (this.#records.length >= batchLimits.records || this.#bytes >= batchLimits.bytes) await this.flush();
  }

  async flush(): Promise<void> {
    if (this.#records.length > 0) await this.#tables.append(this.#records);
    this.#records = [];
    this.#bytes = 0;
  }
}
