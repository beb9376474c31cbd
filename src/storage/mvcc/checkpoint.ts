// The content of a store at one moment, and what has to be written to have it again.

import { zeroRevision } from '../../meta/revision.ts';
import type { StoredEntry } from '../store.ts';
import type { CurrentEntry, LogRecord, Tables } from './tables.ts';

/** The newest record of every key that holds a value. Values are shared with the tables, which never change one. */
export type StoreImage = ReadonlyMap<string, LogRecord>;

export function imageOf(tables: Tables): StoreImage {
  const image = new Map<string, LogRecord>();
  for (const current of tables.scan('')) {
    const record = current.deleted ? undefined : tables.record(current.revision);
    if (record !== undefined) image.set(record.key, record);
  }
  return image;
}

/** What another store can begin with. */
export function contentOf(image: StoreImage): readonly Pick<StoredEntry, 'key' | 'value'>[] {
  return [...image.values()].flatMap(({ key, value, expiresAt }) =>
    value === undefined || expiresAt !== undefined ? [] : [{ key, value }],
  );
}

/** Records that lead from what there is to the image; they have no revisions yet. */
export function recordsToRestore(tables: Tables, image: StoreImage): Omit<LogRecord, 'revision'>[] {
  const records: Omit<LogRecord, 'revision'>[] = [];
  for (const current of tables.scan('')) {
    if (!current.deleted && !image.has(current.key))
      records.push({ key: current.key, value: undefined, previous: current.revision });
  }
  for (const record of image.values()) {
    const current = tables.current(record.key);
    if (!holds(tables, current, record)) records.push({ ...record, previous: current?.revision ?? zeroRevision });
  }
  return records;
}

function holds(tables: Tables, current: CurrentEntry | undefined, { revision, value }: LogRecord): boolean {
  if (current === undefined || current.deleted) return false;
  if (current.revision === revision) return true;
  const found = tables.record(current.revision)?.value;
  return found !== undefined && value !== undefined && Buffer.compare(found, value) === 0;
}
