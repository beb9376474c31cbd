// How much memory new values may fill before they are looked through. Node lets that grow to two halves of 16 MiB and
// keeps them resident; half of it is as fast for a server whose requests are short, and ten thousand watches fit into the rest.

import { PerformanceObserver } from 'node:perf_hooks';
import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';

/** Both halves together. */
const enoughBytes = 16 * 1024 * 1024;

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

/** Calls `run` after every collection of garbage; only then can the size have changed. */
type OnCollection = (run: () => void) => { disconnect(): void };

const ofThisHeap: OnCollection = (run) => {
  const observer = new PerformanceObserver(run);
  observer.observe({ entryTypes: ['gc'] });
  return observer;
};

/** V8 also makes it smaller, and it must be able to grow again then. For whoever owns the process. */
export function boundYoungGeneration(
  young: YoungGeneration = ofThisProcess,
  onCollection: OnCollection = ofThisHeap,
): () => void {
  let growing = true;
  const observer = onCollection(() => {
    const mayGrow = young.size() < enoughBytes;
    if (mayGrow !== growing) young.setGrowing(mayGrow);
    growing = mayGrow;
  });
  return () => {
    observer.disconnect();
    // code that is kept for a later start is good only under the flags that start has
    if (!growing) young.setGrowing(true);
  };
}
