// How much garbage may gather among values that have lived for a while. V8 looks for it when the heap has about doubled,
// which for a heap as small as ours is every other second under load, and took three hundredths of a merge patch. Large heaps have room enough.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { HeapBound } from './heap-bounds.ts';

/** With its garbage: what is alive is known only after the search that reads the percentage. */
const smallBytes = 64 * 1024 * 1024;
/** To four times its size, which is as far as V8 itself goes. */
const smallPercent = 300;

export interface OldSpace {
  /** Bytes in use. */
  used(): number;
  /** By how much the heap may grow before it is searched; 0 leaves that to V8. */
  setGrowth(percent: number): void;
}

/** V8's own; it reads the percentage at the end of every search. */
const ofThisProcess: OldSpace = {
  used: () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'old_space')?.space_used_size ?? 0,
  setGrowth: (percent) => setFlagsFromString(`--heap-growing-percent=${percent}`),
};

export class OldGeneration implements HeapBound {
  readonly #space: OldSpace;
  #percent = 0;

  constructor(space: OldSpace = ofThisProcess) {
    this.#space = space;
  }

  adapt(): void {
    this.#setGrowth(this.#space.used() < smallBytes ? smallPercent : 0);
  }

  restore(): void {
    this.#setGrowth(0);
  }

  #setGrowth(percent: number): void {
    if (percent !== this.#percent) this.#space.setGrowth(percent);
    this.#percent = percent;
  }
}
