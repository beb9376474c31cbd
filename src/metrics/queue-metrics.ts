// The numbers of the controllers' queues, under the names that Kubernetes components have for them.

import type { Histogram } from '../base/histogram.ts';
import type { WorkQueue } from '../controllers/work-queue.ts';
import { type MetricSource, metric, spreadMetric } from './metric-source.ts';

type Queues = () => ReadonlyMap<string, WorkQueue>;

export function queueMetrics(queues: Queues): readonly MetricSource[] {
  const values = (read: (queue: WorkQueue) => number) => () =>
    [...queues()].map(([name, queue]) => ({ labels: { name }, value: read(queue) }));
  const spreads = (read: (queue: WorkQueue) => Histogram) => () =>
    [...queues()].map(([name, queue]) => [{ name }, read(queue)] as const);
  return [
    metric(
      'workqueue_depth',
      values(({ depth }) => depth),
    ),
    metric(
      'workqueue_adds_total',
      values(({ counts }) => counts.adds),
    ),
    metric(
      'workqueue_retries_total',
      values(({ counts }) => counts.retries),
    ),
    spreadMetric(
      'workqueue_queue_duration_seconds',
      spreads((queue) => queue.queueDurations),
    ),
    spreadMetric(
      'workqueue_work_duration_seconds',
      spreads((queue) => queue.workDurations),
    ),
    metric(
      'workqueue_unfinished_work_seconds',
      values(({ unfinished }) => unfinished.reduce((sum, seconds) => sum + seconds, 0)),
    ),
    metric(
      'workqueue_longest_running_processor_seconds',
      values(({ unfinished }) => Math.max(0, ...unfinished)),
    ),
  ];
}
