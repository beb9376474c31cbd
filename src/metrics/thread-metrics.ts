// How busy each thread is, and how much memory it uses.

import { type MetricSource, metric } from './metric-source.ts';

export interface ThreadUse {
  /** `0` is the main thread, `lane` the thread for large requests. */
  readonly thread: string;
  /** Share of the last second in which the thread was at work, 0 to 1. */
  readonly load: number;
  /** Memory of JavaScript objects. */
  readonly heapBytes: number;
}

/** Nothing where one thread serves. */
export function threadMetrics(use: () => readonly ThreadUse[]): readonly MetricSource[] {
  const values = (value: (one: ThreadUse) => number) => () =>
    use().map((one) => ({ labels: { thread: one.thread }, value: value(one) }));
  return [
    metric(
      'keelson_thread_load',
      values((one) => one.load),
    ),
    metric(
      'keelson_thread_heap_bytes',
      values((one) => one.heapBytes),
    ),
  ];
}
