// How much memory new values may fill before V8 collects garbage among them, for the command. Node lets that grow to two halves of 16 MiB
// and keeps them resident; half of it is as fast for a server whose requests are short.

import { PerformanceObserver } from 'node:perf_hooks';
import { isPlainRuntime } from './plain-runtime.ts';

/** Both halves together. */
const enoughBytes = 16 * 1024 * 1024;

interface YoungSpace {
  size(): number;
  /** Whether it may double when much of it is in use. */
  setGrowing(growing: boolean): void;
}

/** Loaded after the first collection. */
const v8 = () => process.getBuiltinModule('node:v8');

/** V8's own; it reads the factor whenever it is about to grow. */
const ofThisProcess: YoungSpace = {
  size: () =>
    v8()
      .getHeapSpaceStatistics()
      .find(({ space_name }) => space_name === 'new_space')?.space_size ?? 0,
  setGrowing: (growing) => v8().setFlagsFromString(`--semi-space-growth-factor=${growing ? 2 : 1}`),
};

/** V8 also makes it smaller, and it must be able to grow again then. */
export class YoungGeneration {
  readonly #space: YoungSpace;
  #isGrowing = true;
  #holds = 0;

  constructor(space: YoungSpace = ofThisProcess) {
    this.#space = space;
  }

  /** After a collection of garbage: only then can sizes have changed. */
  adapt(): void {
    if (this.#holds === 0) this.#setGrowing(this.#space.size() < enoughBytes);
  }

  /** Leaves V8 as it was: code that is kept for a later start is good only under the flags that start has. */
  restore(): void {
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
