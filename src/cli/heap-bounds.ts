// When V8 looks for garbage, for whoever owns the process: sooner than it would among new values, later among old ones.

import { PerformanceObserver } from 'node:perf_hooks';
import { OldGeneration } from './old-generation.ts';
import { YoungGeneration } from './young-generation.ts';

export interface HeapBound {
  /** After a collection of garbage: only then can sizes have changed. */
  adapt(): void;
  /** Leaves V8 as it was: code that is kept for a later start is good only under the flags that start has. */
  restore(): void;
}

/** Calls `run` after every collection of garbage. */
type OnCollection = (run: () => void) => { disconnect(): void };

const ofThisHeap: OnCollection = (run) => {
  const observer = new PerformanceObserver(run);
  observer.observe({ entryTypes: ['gc'] });
  return observer;
};

/** Returns what ends it. */
export function boundHeap(
  bounds: readonly HeapBound[] = [new YoungGeneration(), new OldGeneration()],
  onCollection: OnCollection = ofThisHeap,
): () => void {
  const observer = onCollection(() => {
    for (const bound of bounds) bound.adapt();
  });
  return () => {
    observer.disconnect();
    for (const bound of bounds) bound.restore();
  };
}
