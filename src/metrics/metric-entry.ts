// The facts of a metric, as the tables in `table/` declare them.

export type MetricType = 'counter' | 'gauge' | 'histogram' | 'summary';

export interface MetricEntry<Type extends MetricType = MetricType, Label extends string = string> extends More {
  readonly type: Type;
  /** How far users can rely on it: as Kubernetes declares its metrics. */
  readonly stability: 'STABLE' | 'BETA' | 'ALPHA';
  /** Without `le` of histograms and `quantile` of summaries. */
  readonly labels: readonly Label[];
  readonly help: string;
}

interface More {
  /** How the values of threads become one: `first` where all threads see the same. Default: `first` for gauges, else `sum`. */
  readonly threads?: 'sum' | 'first';
  /** The minor release in which the metric was deprecated. */
  readonly deprecatedSince?: number;
}

const entryOf =
  <const Type extends MetricType>(type: Type) =>
  <const Label extends string>(
    stability: MetricEntry['stability'],
    labels: readonly Label[],
    help: string,
    more: More = {},
  ): MetricEntry<Type, Label> => ({ type, stability, labels, help, ...more });

export const counter = entryOf('counter');
export const gauge = entryOf('gauge');
export const histogram = entryOf('histogram');
export const summary = entryOf('summary');
