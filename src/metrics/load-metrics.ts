// Requests and connections at this moment, under kube-apiserver's names.

import { type LongRunning, type OpenConnections, openWatches } from '../handlers/long-running.ts';
import type { Resources } from '../registry/resources.ts';
import { type MetricSource, metric } from './metric-source.ts';
import type { LabelsOf } from './table/all-metrics.ts';

export function longRunningMetrics(resources: Resources, connections: OpenConnections): readonly MetricSource[] {
  return [
    metric('apiserver_longrunning_requests', () => {
      const watches = [...resources.openRegistries()].flatMap(openWatches);
      return summed([...watches, ...connections.all]);
    }),
  ];
}

/** Watches that select other things are the same to metrics. */
function summed(open: readonly LongRunning[]) {
  const rows = new Map<string, { readonly labels: LabelsOf<'apiserver_longrunning_requests'>; value: number }>();
  for (const { count, ...rest } of open) {
    const labels = { component: 'apiserver', ...rest };
    const key = JSON.stringify(labels);
    const row = rows.get(key) ?? { labels, value: 0 };
    row.value += count;
    rows.set(key, row);
  }
  return [...rows.values()];
}
