// How busy each thread is.

import { type MetricSource, metric } from './request-metrics.ts';

export interface ThreadUse {
  /** 0 is the main thread. */
  readonly thread: number;
  /** Share of the last second in which the thread was at work, 0 to 1. */
  readonly load: number;
}

/** Nothing where one thread serves. */
export function threadMetrics(use: () => readonly ThreadUse[]): readonly MetricSource[] {
  return [
    metric('keelson_thread_load', 'gauge', 'Share of the last second in which a serving thread was at work.', () =>
      use().map(({ thread, load }) => ({ labels: { thread: String(thread) }, value: load })),
    ),
  ];
}
