// What was made of stored objects lately, within a budget of bytes that all forms share: messages, and the fields and cells that
// rows of tables show. It can be made again at any time, so it is the first to be dropped: two generations, of which the older one
// goes when the newer one has half of the bytes.

import type { PartialObjects } from '../../codec/partial-object.ts';
import type { StoredObject } from '../../registry/stored-object.ts';
import { KeptRow } from './kept-row.ts';
import { Slab } from './slab.ts';

/** Memory that counts. */
export interface CountedMemory {
  take(bytes: number): Buffer;
  /** For bytes that were not taken here. */
  count(bytes: number): void;
}

export class KeptForms {
  readonly #maxBytes: number;
  readonly #messages = new Map<string, KeptMessages>();
  #rows = new Map<PartialObjects, KeptRows>();
  #slab = new Slab();
  #bytes = 0;
  readonly #memory: CountedMemory = {
    take: (bytes) => {
      this.#count(bytes);
      return this.#slab.take(bytes);
    },
    count: (bytes) => this.#count(bytes),
  };

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
      kept = new KeptMessages(this.#memory);
      this.#messages.set(form, kept);
    }
    return kept;
  }

  /** What rows show of the objects that a reader reads. */
  rows(reader: PartialObjects): KeptRows {
    let kept = this.#rows.get(reader);
    if (kept === undefined) {
      kept = new KeptRows(reader, this.#memory);
      this.#rows.set(reader, kept);
    }
    return kept;
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

/** Values by object, in two generations. A value that is asked for again becomes one of the newer generation. */
abstract class Generations<V> {
  #newer = new Map<StoredObject, V>();
  #older = new Map<StoredObject, V>();

  find(stored: StoredObject): V | undefined {
    const newer = this.#newer.get(stored);
    if (newer !== undefined) return newer;
    const older = this.#older.get(stored);
    return older && this.add(stored, this.copy(older));
  }

  get isEmpty(): boolean {
    return this.#newer.size + this.#older.size === 0;
  }

  age(): void {
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  protected add(stored: StoredObject, value: V): V {
    this.#newer.set(stored, value);
    return value;
  }

  /** In memory of the newer generation. */
  protected abstract copy(value: V): V;
}

class KeptMessages extends Generations<Uint8Array> {
  readonly #memory: CountedMemory;

  constructor(memory: CountedMemory) {
    super();
    this.#memory = memory;
  }

  keep(stored: StoredObject, bytes: Uint8Array): Uint8Array {
    return this.add(stored, this.copy(bytes));
  }

  protected copy(bytes: Uint8Array): Uint8Array {
    const copy = this.#memory.take(bytes.length);
    copy.set(bytes);
    return copy;
  }
}

class KeptRows extends Generations<KeptRow> {
  readonly #reader: PartialObjects;
  readonly #memory: CountedMemory;

  constructor(reader: PartialObjects, memory: CountedMemory) {
    super();
    this.#reader = reader;
    this.#memory = memory;
  }

  /** Undefined also for an object that lacks fields which are read by now. */
  override find(stored: StoredObject): KeptRow | undefined {
    const row = super.find(stored);
    return row?.fieldCount === this.#reader.fieldCount ? row : undefined;
  }

  /** Keeps the object that the reader has just read. */
  keep(stored: StoredObject, object: Record<string, unknown>): KeptRow {
    return this.add(stored, new KeptRow(object, this.#reader, this.#memory));
  }

  protected copy(row: KeptRow): KeptRow {
    return row.copy(this.#memory);
  }
}
