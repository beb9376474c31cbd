// How much memory new values may fill before they are looked through. Node lets that grow to two halves of 16 MiB and
// keeps them resident; half of it is as fast for a server whose requests are short, and ten thousand watches fit into the rest.

import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import type { Clock, Timer } from '../base/clock.ts';

/** Both halves together. */
const enoughBytes = 16 * 1024 * 1024;
const lookMs = 500;

export interface YoungGeneration {
  size(): number;
  /** Whether it may double when much of it is in use. */
  setGrowing(growing: boolean): void;
}

/** V8's own; it reads the factor whenever it is about to grow. */
const ofThisProcess: YoungGeneration = {
  size: () => getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0,
  setGrowing: (growing) => setFlagsFromString(`--semi-space-growth-factor=${growing ? 2 : 1}`),
};

/** Looks from time to time: V8 also makes it smaller, and it must be able to grow again then. For whoever owns the process. */
export function boundYoungGeneration(clock: Clock, young: YoungGeneration = ofThisProcess): Timer {
  let growing = true;
  let timer = clock.after(0, look);
  function look(): void {
    const mayGrow = young.size() < enoughBytes;
    if (mayGrow !== growing) young.setGrowing(mayGrow);
    growing = mayGrow;
    timer = clock.after(lookMs, look);
  }
  return { cancel: () => timer.cancel() };
}
