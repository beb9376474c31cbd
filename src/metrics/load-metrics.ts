// What is going on right now, and how long admission takes, under kube-apiserver's names.

import type { AdmissionStep } from '../admission/chain.ts';
import { Histogram } from '../base/histogram.ts';
import { type LongRunning, type OpenConnections, openWatches } from '../handlers/long-running.ts';
import type { Resources } from '../registry/resources.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

export function longRunningMetrics(resources: Resources, connections: OpenConnections): readonly MetricSource[] {
  return [
    metric('apiserver_longrunning_requests', 'gauge', 'Watches and connections that are open.', () => {
      const watches = [...resources.openRegistries()].flatMap(openWatches);
      return summed([...watches, ...connections.all]);
    }),
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

const stepName = 'apiserver_admission_step_admission_duration_seconds';
const stepBounds = [0.005, 0.025, 0.1, 0.5, 1, 2.5];

/** How long the steps of admission take, all plugins together. */
export class AdmissionMetrics {
  readonly #steps = new Map<
    string,
    { readonly labels: Readonly<Record<string, string>>; readonly spread: Histogram }
  >();

  readonly source: MetricSource = metric(stepName, 'histogram', 'Seconds that a step of admission took.', () =>
    [...this.#steps.values()].flatMap(({ labels, spread }) => histogramSamples(stepName, labels, spread)),
  );

  observe({ type, operation, rejected, seconds }: AdmissionStep): void {
    const key = `${type} ${operation} ${rejected}`;
    let step = this.#steps.get(key);
    if (step === undefined) {
      step = { labels: { operation, rejected: String(rejected), type }, spread: new Histogram(stepBounds) };
      this.#steps.set(key, step);
    }
    step.spread.observe(seconds);
  }
}
