// The numbers of the controllers' queues, under the names that Kubernetes components have for them.

import type { Histogram } from '../base/histogram.ts';
import type { WorkQueue } from '../controllers/work-queue.ts';
import { histogramSamples, type Sample } from './histogram-samples.ts';
import type { MetricSource } from './request-metrics.ts';

type Queues = () => ReadonlyMap<string, WorkQueue>;

export function queueMetrics(queues: Queues): readonly MetricSource[] {
  const gauge = (name: string, help: string, read: (queue: WorkQueue) => number) =>
    metric(name, 'gauge', help, queues, (queue, labels) => [{ labels, value: read(queue) }]);
  const counter = (name: string, help: string, read: (queue: WorkQueue) => number) =>
    metric(name, 'counter', help, queues, (queue, labels) => [{ labels, value: read(queue) }]);
  const histogram = (name: string, help: string, read: (queue: WorkQueue) => Histogram) =>
    metric(name, 'histogram', help, queues, (queue, labels) => histogramSamples(name, labels, read(queue)));
  return [
    gauge('workqueue_depth', 'Keys that wait in a queue.', ({ depth }) => depth),
    counter('workqueue_adds_total', 'Keys added to a queue.', ({ counts }) => counts.adds),
    counter('workqueue_retries_total', 'Keys that were tried again.', ({ counts }) => counts.retries),
    histogram('workqueue_queue_duration_seconds', 'Seconds that keys waited.', (queue) => queue.queueDurations),
    histogram('workqueue_work_duration_seconds', 'Seconds that keys took.', (queue) => queue.workDurations),
    gauge('workqueue_unfinished_work_seconds', 'Seconds spent on keys that are not done.', ({ unfinished }) =>
      unfinished.reduce((sum, seconds) => sum + seconds, 0),
    ),
    gauge('workqueue_longest_running_processor_seconds', 'Seconds of the longest work under way.', ({ unfinished }) =>
      Math.max(0, ...unfinished),
    ),
  ];
}

function metric(
  name: string,
  type: 'gauge' | 'counter' | 'histogram',
  help: string,
  queues: Queues,
  samples: (queue: WorkQueue, labels: { readonly name: string }) => readonly Sample[],
): MetricSource {
  const values = () => [...queues()].flatMap(([queue, found]) => samples(found, { name: queue }));
  return { name, get: async () => ({ name, type, help, aggregator: 'sum', values: values() }) };
}
