// How V8 collects garbage among new values, for the command. How much memory they may fill before: Node lets that grow to two halves of
// 16 MiB and keeps them resident; half of it is as fast for a server whose requests are short. And by how many threads: of 8 MiB about one
// is left to be copied, which several threads only share at a cost, above all where other processes need the cores too.

import { PerformanceObserver } from 'node:perf_hooks';
import { isPlainRuntime } from './plain-runtime.ts';

/** Both halves together. */
const enoughBytes = 16 * 1024 * 1024;

interface YoungSpace {
  size(): number;
  /** Whether it may double when much of it is in use. */
  setGrowing(growing: boolean): void;
  /** Whether several threads share a collection. */
  setShared(shared: boolean): void;
}

/** Loaded after the first collection. */
const v8 = () => process.getBuiltinModule('node:v8');

/** V8's own; it reads the factor whenever it is about to grow, and the other flag whenever it collects. */
const ofThisProcess: YoungSpace = {
  size: () =>
    v8()
      .getHeapSpaceStatistics()
      .find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0,
  setGrowing: (growing) => v8().setFlagsFromString(`--semi-space-growth-factor=${growing ? 2 : 1}`),
  setShared: (shared) => v8().setFlagsFromString(shared ? '--parallel-scavenge' : '--no-parallel-scavenge'),
};

/** V8 also makes it smaller, and it must be able to grow again then. */
export class YoungGeneration {
  readonly #space: YoungSpace;
  #isGrowing = true;
  #isShared = true;
  #holds = 0;

  constructor(space: YoungSpace = ofThisProcess) {
    this.#space = space;
  }

  /** After a collection of garbage: only then can sizes have changed. */
  adapt(): void {
    if (this.#holds > 0) return;
    this.#setShared(false);
    this.#setGrowing(this.#space.size() < enoughBytes);
  }

  /** Leaves V8 as it was: code that is kept for a later start is good only under the flags that start has. */
  restore(): void {
    this.#setShared(true);
    this.#setGrowing(true);
  }

  /** Does so until the result is called. */
  hold(): () => void {
    this.#holds++;
    this.restore();
    return () => {
      this.#holds--;
    };
  }

  #setShared(shared: boolean): void {
    if (shared !== this.#isShared) this.#space.setShared(shared);
    this.#isShared = shared;
  }

  #setGrowing(growing: boolean): void {
    if (growing !== this.#isGrowing) this.#space.setGrowing(growing);
    this.#isGrowing = growing;
  }
}

let ownYoung: YoungGeneration | undefined;

/** For a thread that begins with the code that V8 compiled before. Returns what ends it. */
export function holdStartFlags(): () => void {
  return ownYoung?.hold() ?? (() => {});
}

/** Returns what ends it. */
export function boundYoungGeneration(young = new YoungGeneration(), isPlain = isPlainRuntime): () => void {
  if (isPlain) return () => {};
  ownYoung = young;
  const observer = new PerformanceObserver(() => young.adapt());
  observer.observe({ entryTypes: ['gc'] });
  return () => {
    ownYoung = undefined;
    observer.disconnect();
    young.restore();
  };
}
