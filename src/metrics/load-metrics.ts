// Requests and connections at this moment, under kube-apiserver's names.

import { type LongRunning, type OpenConnections, openWatches } from '../handlers/long-running.ts';
import type { Resources } from '../registry/resources.ts';
import { type MetricSource, metric } from './request-metrics.ts';

export function longRunningMetrics(resources: Resources, connections: OpenConnections): readonly MetricSource[] {
  return [
    metric(
      'apiserver_longrunning_requests',
      'gauge',
      'Watches and connections that are open.',
      () => {
        const watches = [...resources.openRegistries()].flatMap(openWatches);
        return summed([...watches, ...connections.all]);
      },
      'sum',
    ),
  ];
}

/** Watches that select other things are the same to metrics. */
function summed(open: readonly LongRunning[]): readonly object[] {
  const rows = new Map<string, { readonly labels: object; value: number }>();
  for (const { count, ...rest } of open) {
    const labels = { component: 'apiserver', ...rest };
    const key = JSON.stringify(labels);
    const row = rows.get(key) ?? { labels, value: 0 };
    row.value += count;
    rows.set(key, row);
  }
  return [...rows.values()];
}
