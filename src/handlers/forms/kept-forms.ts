// What was made of stored objects lately, within a budget of bytes that all forms share: messages, and the fields that rows of
// tables show. It can be made again at any time, so it is the first to be dropped: two generations, of which the older one goes
// when the newer one has half of the bytes.

import type { PartialObjects } from '../../codec/partial-object.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { Slab } from './slab.ts';

export class KeptForms {
  readonly #maxBytes: number;
  readonly #messages = new Map<string, KeptMessages>();
  #rows = new Map<PartialObjects, KeptRows>();
  #slab = new Slab();
  #bytes = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** Whether objects of so many bytes together may be kept without taking the place of most others. */
  holds(bytes: number): boolean {
    return bytes <= this.#maxBytes / 2;
  }

  /** Messages in a form, by its name. */
  messages(form: string): KeptMessages {
    let kept = this.#messages.get(form);
    if (kept === undefined) {
      kept = new KeptMessages((bytes) => this.#copy(bytes));
      this.#messages.set(form, kept);
    }
    return kept;
  }

  /** What rows show of the objects that a reader reads. */
  rows(reader: PartialObjects): KeptRows {
    let kept = this.#rows.get(reader);
    if (kept === undefined) {
      kept = new KeptRows(reader, (bytes) => this.#count(bytes));
      this.#rows.set(reader, kept);
    }
    return kept;
  }

  #copy(bytes: Uint8Array): Uint8Array {
    this.#count(bytes.length);
    return this.#slab.copy(bytes);
  }

  #count(bytes: number): void {
    this.#bytes += bytes + entryBytes;
    if (this.#bytes <= this.#maxBytes / 2) return;
    for (const kept of this.#messages.values()) kept.age();
    for (const kept of this.#rows.values()) kept.age();
    // readers of kinds that are no longer served
    this.#rows = new Map([...this.#rows].filter(([, kept]) => !kept.isEmpty));
    this.#slab = new Slab();
    this.#bytes = bytes;
  }
}

/** What an entry takes besides its bytes. */
const entryBytes = 160;

/** Values by object, in two generations. */
class Generations<V> {
  #newer = new Map<StoredObject, V>();
  #older = new Map<StoredObject, V>();

  newer(stored: StoredObject): V | undefined {
    return this.#newer.get(stored);
  }

  older(stored: StoredObject): V | undefined {
    return this.#older.get(stored);
  }

  set(stored: StoredObject, value: V): void {
    this.#newer.set(stored, value);
  }

  get isEmpty(): boolean {
    return this.#newer.size + this.#older.size === 0;
  }

  age(): void {
    this.#older = this.#newer;
    this.#newer = new Map();
  }
}

class KeptMessages extends Generations<Uint8Array> {
  readonly #copy: (bytes: Uint8Array) => Uint8Array;

  /** `copy` copies bytes into memory that counts. */
  constructor(copy: (bytes: Uint8Array) => Uint8Array) {
    super();
    this.#copy = copy;
  }

  find(stored: StoredObject): Uint8Array | undefined {
    const known = this.newer(stored);
    if (known !== undefined) return known;
    const older = this.older(stored);
    return older && this.keep(stored, older);
  }

  keep(stored: StoredObject, bytes: Uint8Array): Uint8Array {
    const copy = this.#copy(bytes);
    this.set(stored, copy);
    return copy;
  }
}

interface KeptRow {
  readonly object: Record<string, unknown>;
  /** What the reader read when it made the object. */
  readonly fieldCount: number;
  readonly bytes: number;
}

class KeptRows extends Generations<KeptRow> {
  readonly #reader: PartialObjects;
  readonly #count: (bytes: number) => void;

  constructor(reader: PartialObjects, count: (bytes: number) => void) {
    super();
    this.#reader = reader;
    this.#count = count;
  }

  /** Undefined also for an object that lacks fields which are read by now. */
  find(stored: StoredObject): Record<string, unknown> | undefined {
    const newer = this.newer(stored);
    const row = newer ?? this.older(stored);
    if (row === undefined || row.fieldCount !== this.#reader.fieldCount) return undefined;
    if (newer === undefined) this.#keep(stored, row);
    return row.object;
  }

  /** Keeps the object that the reader has just read. */
  keep(stored: StoredObject, object: Record<string, unknown>): void {
    const { fieldCount, valueBytes } = this.#reader;
    // strings and the objects around them
    this.#keep(stored, { object, fieldCount, bytes: 2 * valueBytes + 32 * fieldCount });
  }

  #keep(stored: StoredObject, row: KeptRow): void {
    this.#count(row.bytes);
    this.set(stored, row);
  }
}
