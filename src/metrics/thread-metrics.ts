// How busy each thread is, and how much memory it uses.

import { type MetricSource, metric } from './request-metrics.ts';

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
  const [load, heap] = ['keelson_thread_load', 'keelson_thread_heap_bytes'];
  return [
    metric(
      load,
      'gauge',
      'Share of the last second in which a thread was at work.',
      values((one) => one.load),
    ),
    metric(
      heap,
      'gauge',
      'Memory of the JavaScript objects of a thread.',
      values((one) => one.heapBytes),
    ),
  ];
}
