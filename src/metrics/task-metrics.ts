// Work under way, under the name by which Go programs show it.

import type { OpenConnections } from '../handlers/long-running.ts';
import { openWatches } from '../handlers/long-running.ts';
import type { Resources } from '../registry/resources.ts';
import { type MetricSource, plainMetric } from './metric-source.ts';

interface TaskParts {
  readonly resources: Resources;
  readonly connections: OpenConnections;
  /** Requests whose answer has not begun. */
  requests(): number;
}

/**
 * There are no goroutines here. Dashboards and alerts use their number to see whether work piles up: requests under way, open
 * watches and connections, and one for each thread.
 */
export function taskMetrics({ resources, connections, requests }: TaskParts): readonly MetricSource[] {
  return [
    plainMetric('go_goroutines', () => {
      const open = [...[...resources.openRegistries()].flatMap(openWatches), ...connections.all];
      return 1 + requests() + open.reduce((sum, { count }) => sum + count, 0);
    }),
  ];
}
