// Metrics with their values, which are read on each scrape.

import type { Histogram } from '../base/histogram.ts';
import { histogramSamples } from './histogram-samples.ts';
import type { MetricEntry } from './metric-entry.ts';
import { entryOf, type LabelsOf, type NameOf } from './table/all-metrics.ts';

export interface Sample {
  readonly labels: Readonly<Record<string, string | number>>;
  readonly value: number;
  /** Of parts of histograms and summaries, such as `…_sum`. */
  readonly metricName?: string;
}

export interface MetricSource {
  readonly name: string;
  readonly entry: MetricEntry;
  values(): readonly Sample[] | Promise<readonly Sample[]>;
}

type NumberName = NameOf<'counter' | 'gauge'>;

interface LabelledNumber<Name extends NumberName> {
  readonly labels: LabelsOf<Name>;
  readonly value: number;
}

/** A counter or a gauge. */
export function metric<Name extends NumberName>(
  name: Name,
  values: () => readonly LabelledNumber<Name>[] | Promise<readonly LabelledNumber<Name>[]>,
): MetricSource {
  return { name, entry: entryOf(name), values };
}

/** A counter or a gauge without labels. */
export function plainMetric(name: NameOf<'counter' | 'gauge', never>, value: () => number): MetricSource {
  return { name, entry: entryOf(name), values: () => [{ labels: {}, value: value() }] };
}

/** A histogram. */
export function spreadMetric<Name extends NameOf<'histogram'>>(
  name: Name,
  rows: () => readonly (readonly [labels: LabelsOf<Name>, spread: Histogram])[],
): MetricSource {
  const values = () => rows().flatMap(([labels, spread]) => histogramSamples(name, labels, spread));
  return { name, entry: entryOf(name), values };
}
