// How much memory new values may fill before they are looked through. Node lets that grow to two halves of 16 MiB and
// keeps them resident; half of it is as fast for a server whose requests are short, and ten thousand watches fit into the rest.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { HeapBound } from './heap-bounds.ts';

/** Both halves together. */
const enoughBytes = 16 * 1024 * 1024;

export interface YoungSpace {
  size(): number;
  /** Whether it may double when much of it is in use. */
  setGrowing(growing: boolean): void;
}

/** V8's own; it reads the factor whenever it is about to grow. */
const ofThisProcess: YoungSpace = {
  size: () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0,
  setGrowing: (growing) => setFlagsFromString(`--semi-space-growth-factor=${growing ? 2 : 1}`),
};

/** V8 also makes it smaller, and it must be able to grow again then. */
export class YoungGeneration implements HeapBound {
  readonly #space: YoungSpace;
  #isGrowing = true;

  constructor(space: YoungSpace = ofThisProcess) {
    this.#space = space;
  }

  adapt(): void {
    this.#setGrowing(this.#space.size() < enoughBytes);
  }

  restore(): void {
    this.#setGrowing(true);
  }

  #setGrowing(growing: boolean): void {
    if (growing !== this.#isGrowing) this.#space.setGrowing(growing);
    this.#isGrowing = growing;
  }
}
