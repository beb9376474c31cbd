// Reads of local tables at any revision that was not compacted: for the store that writes them and for threads that
// only read them.

import type { Revision } from '../../meta/revision.ts';
import {
  CompactedError,
  FutureRevisionError,
  type ListQuery,
  type ListResult,
  type PlaceList,
  type StoredEntry,
  type StoreEvent,
  type ValuePlace,
} from '../store.ts';
import { existedAt, readAt } from './read-at.ts';
import type { CurrentEntry, LogRecord, ReadTables } from './tables.ts';

/** How far the tables may be read. */
export interface ReadRange {
  /** The newest durable revision. */
  revision(): Revision;
  compacted(): Revision;
}

export class MvccReads {
  readonly #tables: ReadTables;
  readonly #range: ReadRange;

  constructor(tables: ReadTables, range: ReadRange) {
    this.#tables = tables;
    this.#range = range;
  }

  /** The value of a key at a revision, the newest one unless given. */
  get(key: string, at?: Revision): StoredEntry | undefined {
    const current = this.#tables.current(key);
    if (current === undefined) return undefined;
    if (at === undefined) return current.deleted ? undefined : this.entry(current.revision);
    return entryOf(readAt(this.#tables, current, at));
  }

  list(query: ListQuery): ListResult {
    const at = this.#checkedRevision(query.at);
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    const entries: StoredEntry[] = [];
    let remaining = 0;
    for (const current of this.#tables.scan(query.prefix, query.after)) {
      if (entries.length >= limit) {
        if (!existedAt(this.#tables, current, at)) continue;
        remaining++;
        if (!query.countRemaining) break;
        continue;
      }
      const entry = entryOf(readAt(this.#tables, current, at));
      if (entry !== undefined) entries.push(entry);
    }
    return { entries, revision: at, more: remaining > 0, ...(query.countRemaining ? { remaining } : {}) };
  }

  /** As `list`, without the values; `countRemaining` is ignored. */
  listPlaces(query: ListQuery): PlaceList {
    const at = this.#checkedRevision(query.at);
    const limit = query.limit ?? Number.POSITIVE_INFINITY;
    const entries: ValuePlace[] = [];
    for (const current of this.#tables.scan(query.prefix, query.after)) {
      const place = this.#placeAt(current, at);
      if (place === undefined) continue;
      if (entries.length >= limit) return { entries, revision: at, more: true };
      entries.push(place);
    }
    return { entries, revision: at, more: false };
  }

  /** Only keys that have changed since are looked up in the history. */
  #placeAt(current: CurrentEntry, at: Revision): ValuePlace | undefined {
    const { key, revision, deleted } = current;
    if (revision <= at) return deleted ? undefined : { key, revision };
    const entry = entryOf(readAt(this.#tables, current, at));
    return entry && { key, revision: entry.revision };
  }

  #checkedRevision(at = this.#range.revision()): Revision {
    if (at < this.#range.compacted()) throw new CompactedError(this.#range.compacted());
    if (at > this.#range.revision()) throw new FutureRevisionError(this.#range.revision());
    return at;
  }

  event(record: LogRecord): StoreEvent {
    const { key, value, previous } = record;
    return {
      key,
      value,
      revision: record.revision,
      previous: () => (previous === 0 ? undefined : this.entry(previous)),
    };
  }

  entry(at: Revision): StoredEntry | undefined {
    return entryOf(this.#tables.record(at));
  }
}

function entryOf(record: LogRecord | undefined): StoredEntry | undefined {
  return record?.value === undefined ? undefined : { key: record.key, value: record.value, revision: record.revision };
}
