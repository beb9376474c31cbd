// The numbers of the controllers' queues, under the names that Kubernetes components have for them.

import type { Histogram } from '../base/histogram.ts';
import type { WorkQueue } from '../controllers/work-queue.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

type Queues = () => ReadonlyMap<string, WorkQueue>;

export function queueMetrics(queues: Queues): readonly MetricSource[] {
  const number = (type: 'gauge' | 'counter') => (name: string, help: string, read: (queue: WorkQueue) => number) =>
    metric(name, type, help, () =>
      [...queues()].map(([queue, found]) => ({ labels: { name: queue }, value: read(found) })),
    );
  const [gauge, counter] = [number('gauge'), number('counter')];
  const histogram = (name: string, help: string, read: (queue: WorkQueue) => Histogram) =>
    metric(name, 'histogram', help, () =>
      [...queues()].flatMap(([queue, found]) => histogramSamples(name, { name: queue }, read(found))),
    );
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
