// A store that keeps everything in memory: for tests and throw-away servers.

import { SortedMap } from '../../base/maps/sorted-map.ts';
import type { Clock } from '../../base/time/clock.ts';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { MvccStore } from '../mvcc/mvcc-store.ts';
import type { Cleanup, CurrentEntry, Expiring, LogRecord, Tables } from '../mvcc/tables.ts';
import type { Store, StoredEntry } from '../store.ts';

interface MemoryStoreOptions {
  readonly clock?: Clock;
  /** The content at the start. */
  readonly content?: readonly Pick<StoredEntry, 'key' | 'value'>[];
}

export function openMemoryStore({ clock, content = [] }: MemoryStoreOptions = {}): Store {
  const tables = new MemoryTables();
  tables.append(content.map((entry, i) => ({ ...entry, revision: revision(i + 1), previous: zeroRevision })));
  return new MvccStore(tables, clock);
}

class MemoryTables implements Tables {
  readonly compacted = zeroRevision;
  readonly #current = new SortedMap<CurrentEntry>();
  readonly #log = new Map<Revision, LogRecord>();
  /** By a key that sorts by time. */
  readonly #expiring = new SortedMap<Expiring>();
  #last = zeroRevision;

  get lastRevision(): Revision {
    return this.#last;
  }

  current(key: string): CurrentEntry | undefined {
    return this.#current.get(key);
  }

  *scan(prefix: string, after?: string): Iterable<CurrentEntry> {
    for (const entry of this.#current.range(prefix, after ?? prefix)) if (entry.key !== after) yield entry;
  }

  record(at: Revision): LogRecord | undefined {
    return this.#log.get(at);
  }

  *records(first: Revision): Iterable<LogRecord> {
    for (let at = first; at <= this.#last; at = revision(at + 1)) {
      const record = this.#log.get(at);
      if (record !== undefined) yield record;
    }
  }

  append(records: readonly LogRecord[]): void {
    for (const record of records) {
      const { key, value } = record;
      // a copy: the written bytes share memory with short-lived buffers
      this.#log.set(record.revision, value === undefined ? record : { ...record, value: Buffer.from(value) });
      this.#current.set(key, { key, revision: record.revision, deleted: value === undefined });
      this.#last = record.revision;
      if (record.expiresAt !== undefined) {
        const entry = { at: record.expiresAt, key, revision: record.revision };
        this.#expiring.set(expiryKey(entry), entry);
      }
    }
  }

  clean({ forgetRecords, forgetKeys }: Cleanup): void {
    for (const at of forgetRecords) this.#log.delete(at);
    for (const key of forgetKeys) this.#current.delete(key);
  }

  expiring(): Iterable<Expiring> {
    return this.#expiring.range('', '');
  }

  forgetExpiring(entries: readonly Expiring[]): void {
    for (const entry of entries) this.#expiring.delete(expiryKey(entry));
  }

  close(): void {
    this.#current.clear();
    this.#expiring.clear();
    this.#log.clear();
  }
}

const expiryKey = ({ at, revision: of }: Expiring) => `${String(at).padStart(16, '0')} ${of}`;
