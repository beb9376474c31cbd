// The metrics of several threads as those of one server.

/** A metric with its values, as the metrics library hands them out. */
export interface MetricSnapshot {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  /** How values of the same labels become one: `sum`, or `first` for what every thread sees the same. */
  readonly aggregator: string;
  readonly values: readonly MetricValue[];
}

interface MetricValue {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  readonly metricName?: string;
}

/** Values of the same labels as one; the first list decides on names, help and order. */
export function mergeSnapshots(threads: readonly (readonly MetricSnapshot[])[]): readonly MetricSnapshot[] {
  const merged = new Map<string, { readonly metric: MetricSnapshot; readonly values: Map<string, MetricValue> }>();
  for (const metric of threads.flat()) {
    const entry = merged.get(metric.name) ?? { metric, values: new Map<string, MetricValue>() };
    merged.set(metric.name, entry);
    for (const value of metric.values) {
      const key = keyOf(value);
      const before = entry.values.get(key);
      if (before === undefined) entry.values.set(key, value);
      else if (metric.aggregator === 'sum') entry.values.set(key, { ...before, value: before.value + value.value });
    }
  }
  return [...merged.values()].map(({ metric, values }) => ({ ...metric, values: [...values.values()] }));
}

function keyOf({ metricName = '', labels }: MetricValue): string {
  const names = Object.keys(labels).sort();
  return JSON.stringify([metricName, ...names.map((name) => [name, labels[name]])]);
}
