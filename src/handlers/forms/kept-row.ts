// One row of a table: the fields that it shows of an object, and the text of its cells while the ages in them stay as they are.

import type { PartialObjects } from '../../codec/partial-object.ts';
import type { CountedMemory } from './kept-forms.ts';

/** Bytes to spare for cells: ages become longer. */
const spareBytes = 8;

const noText = Buffer.alloc(0);

type ReadFields = Pick<PartialObjects, 'fieldCount' | 'valueBytes'>;

export class KeptRow {
  readonly object: Record<string, unknown>;
  /** What the reader had read when it made the object. */
  readonly fieldCount: number;
  readonly #valueBytes: number;
  readonly #memory: CountedMemory;
  #text: Buffer = noText;
  #length = 0;
  #from = 0;
  #until = 0;

  constructor(object: Record<string, unknown>, { fieldCount, valueBytes }: ReadFields, memory: CountedMemory) {
    this.object = object;
    this.fieldCount = fieldCount;
    this.#valueBytes = valueBytes;
    this.#memory = memory;
    // strings and the objects around them
    memory.count(2 * valueBytes + 32 * fieldCount);
  }

  /** The cells as JSON; undefined where they may read otherwise at that time. */
  cells(now: number): Uint8Array | undefined {
    return now >= this.#from && now < this.#until ? this.#text.subarray(0, this.#length) : undefined;
  }

  /** Keeps the text of the cells, which stays as it is for so long. */
  keepCells(text: string, now: number, lastMs: number): void {
    const length = Buffer.byteLength(text);
    if (length > this.#text.length) this.#text = this.#memory.take(length + spareBytes);
    this.#length = this.#text.write(text);
    this.#from = now;
    this.#until = now + lastMs;
  }

  copy(memory: CountedMemory): KeptRow {
    const row = new KeptRow(this.object, { fieldCount: this.fieldCount, valueBytes: this.#valueBytes }, memory);
    row.#text = memory.take(this.#text.length);
    row.#text.set(this.#text);
    row.#length = this.#length;
    row.#from = this.#from;
    row.#until = this.#until;
    return row;
  }
}
