// What was made of stored objects lately, within a budget of bytes that all forms share: messages, the fields and cells that rows
// of tables show, and compressed pieces of lists. It can be made again at any time, so it is the first to be dropped: two generations, of which the older one
// goes when the newer one has half of the bytes.

import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Clock, Timer } from '../../base/time/clock.ts';
import type { GzipPiece } from '../../codec/gzip-pieces.ts';
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
  readonly #clock: Clock;
  readonly #messages = new Map<string, KeptMessages>();
  readonly #pieces = new Map<string, KeptPieces>();
  #rows = new Map<PartialObjects, KeptRows>();
  #slab = new Slab();
  #bytes = 0;
  #timer: Timer | undefined;
  #isEmpty = true;
  readonly #memory: CountedMemory = {
    take: (bytes) => {
      this.#count(bytes);
      return this.#slab.take(bytes);
    },
    count: (bytes) => this.#count(bytes),
  };

  constructor(maxBytes: number, clock: Clock) {
    this.#maxBytes = maxBytes;
    this.#clock = clock;
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

  /** Compressed pieces of lists in a form, by its name. */
  pieces(form: string): KeptPieces {
    let kept = this.#pieces.get(form);
    if (kept === undefined) {
      kept = new KeptPieces(this.#memory);
      this.#pieces.set(form, kept);
    }
    return kept;
  }

  /** To be called when the server stops. */
  close(): void {
    this.#timer?.cancel();
    this.#timer = undefined;
  }

  #count(bytes: number): void {
    this.#timer ??= this.#clock.after(unusedMs, () => this.#onUnused());
    this.#bytes += bytes + entryBytes;
    if (this.#bytes <= this.#maxBytes / 2) return;
    this.#age();
    this.#bytes = bytes;
  }

  /** What was not asked for in the last generation is dropped. */
  #age(): void {
    const all = [...this.#messages.values(), ...this.#rows.values(), ...this.#pieces.values()];
    for (const kept of all) kept.age();
    // readers of kinds that are no longer served
    this.#rows = new Map([...this.#rows].filter(([, kept]) => !kept.isEmpty));
    this.#slab = new Slab();
    this.#bytes = 0;
    this.#isEmpty = all.every(({ isEmpty }) => isEmpty);
  }

  #onUnused(): void {
    this.#age();
    this.#timer = this.#isEmpty ? undefined : this.#clock.after(unusedMs, () => this.#onUnused());
  }
}

/** What no client requests is dropped when this has passed twice, also where there is space for it. */
const unusedMs = 5 * 60_000;

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

interface KeptPiece extends GzipPiece {
  readonly objects: readonly StoredObject[];
}

/** By the first of their objects. */
class KeptPieces extends Generations<KeptPiece> {
  readonly #memory: CountedMemory;
  /** Clients that ask meanwhile wait for the same piece. */
  readonly #pending = new Map<StoredObject, { readonly objects: readonly StoredObject[]; piece: Promise<GzipPiece> }>();

  constructor(memory: CountedMemory) {
    super();
    this.#memory = memory;
  }

  /** The piece of these objects; at least one. */
  of(objects: readonly StoredObject[], make: () => Promise<GzipPiece>): MaybePromise<GzipPiece> {
    const first = objects[0] as StoredObject;
    const kept = this.find(first);
    if (kept !== undefined && areEqual(kept.objects, objects)) return kept;
    const pending = this.#pending.get(first);
    if (pending !== undefined && areEqual(pending.objects, objects)) return pending.piece;
    const piece = this.#make(objects, make);
    this.#pending.set(first, { objects, piece });
    return piece;
  }

  async #make(objects: readonly StoredObject[], make: () => Promise<GzipPiece>): Promise<GzipPiece> {
    const first = objects[0] as StoredObject;
    try {
      return this.add(first, this.copy({ ...(await make()), objects }));
    } finally {
      if (this.#pending.get(first)?.objects === objects) this.#pending.delete(first);
    }
  }

  protected copy(piece: KeptPiece): KeptPiece {
    const { bytes, objects } = piece;
    this.#memory.count(objects.length * 8);
    const copy = this.#memory.take(bytes.length);
    copy.set(bytes);
    return { ...piece, bytes: copy };
  }
}

const areEqual = (a: readonly StoredObject[], b: readonly StoredObject[]) =>
  a.length === b.length && a.every((stored, index) => stored === b[index]);
