// The numbers of the controllers' queues, under the names that Kubernetes components have for them.

import type { QueueCounts, WorkQueue } from '../controllers/work-queue.ts';
import type { MetricSource } from './request-metrics.ts';

export function queueMetrics(queues: () => ReadonlyMap<string, WorkQueue>): readonly MetricSource[] {
  const source = (name: string, type: 'gauge' | 'counter', help: string, read: (queue: WorkQueue) => number) => ({
    name,
    get: async () => ({
      ...{ name, type, help, aggregator: 'sum' },
      values: [...queues()].map(([queue, found]) => ({ labels: { name: queue }, value: read(found) })),
    }),
  });
  const count = (read: (counts: QueueCounts) => number) => (queue: WorkQueue) => read(queue.counts);
  return [
    source('workqueue_depth', 'gauge', 'Keys that wait in a queue.', (queue) => queue.depth),
    source(
      'workqueue_adds_total',
      'counter',
      'Keys added to a queue.',
      count(({ adds }) => adds),
    ),
    source(
      'workqueue_retries_total',
      'counter',
      'Keys that were tried again.',
      count(({ retries }) => retries),
    ),
    source(
      'workqueue_work_duration_seconds_sum',
      'counter',
      'Seconds spent on keys of a queue.',
      count(({ workMs }) => workMs / 1000),
    ),
    source(
      'workqueue_work_duration_seconds_count',
      'counter',
      'Keys of a queue that were worked on.',
      count(({ worked }) => worked),
    ),
  ];
}
