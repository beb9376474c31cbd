// Texts of stored objects that were used lately. All others are read from the store's mapping when they are needed.

import type { MappedValues } from '../storage/store.ts';

/** An object whose text can be read again. */
export interface HotText {
  readonly size: number;
  /** Drops the text unless it was used in this generation. */
  cool(generation: number): void;
}

/** Two generations, of which the older one is dropped when the newer one has half of the bytes. */
export class HotTexts {
  readonly values: MappedValues;
  readonly #maxBytes: number;
  #newer: HotText[] = [];
  #older: HotText[] = [];
  #bytes = 0;
  #generation = 0;

  constructor(values: MappedValues, maxBytes: number) {
    this.values = values;
    this.#maxBytes = maxBytes;
  }

  /** A text that was last used in another generation has to be kept again. */
  get generation(): number {
    return this.#generation;
  }

  keep(text: HotText): void {
    this.#newer.push(text);
    this.#bytes += text.size;
    if (this.#bytes < this.#maxBytes / 2) return;
    for (const old of this.#older) old.cool(this.#generation);
    this.#older = this.#newer;
    this.#newer = [];
    this.#bytes = 0;
    this.#generation++;
  }
}
