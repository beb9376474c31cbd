// Reading a key as it was: from its newest record back to the one that was current at a revision.

import type { Revision } from '../../meta/revision.ts';
import type { CurrentEntry, LogRecord, ReadTables } from './tables.ts';

/** The record that was current at `at`; undefined when the key did not exist yet. */
export function readAt(tables: ReadTables, current: CurrentEntry, at: Revision): LogRecord | undefined {
  if (current.deleted && current.revision <= at) return undefined;
  let record = tables.record(current.revision);
  while (record !== undefined && record.revision > at) {
    record = record.previous === 0 ? undefined : tables.record(record.previous);
  }
  return record;
}

/** Whether the key held a value at `at`; keys that did not change since are told from their pointer alone. */
export function existedAt(tables: ReadTables, current: CurrentEntry, at: Revision): boolean {
  if (current.revision <= at) return !current.deleted;
  return readAt(tables, current, at)?.value !== undefined;
}
