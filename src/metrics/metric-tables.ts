// Counters and histograms that are kept as plain numbers and shown on each scrape.

import { Histogram } from '../base/histogram.ts';
import { histogramSamples } from './histogram-samples.ts';
import { type MetricSource, metric } from './request-metrics.ts';

type Labels = Readonly<Record<string, string>>;

interface MetricName {
  readonly name: string;
  readonly help: string;
}

/** Numbers by labels. */
export class NumberTable {
  readonly source: MetricSource;
  readonly #most: number;
  readonly #rows = new Map<string, { readonly labels: Labels; value: number }>();

  /** Beyond `most` rows the least recently used one is removed. */
  constructor(
    { name, help }: MetricName,
    type: 'counter' | 'gauge' = 'counter',
    most: number = Number.POSITIVE_INFINITY,
  ) {
    this.#most = most;
    this.source = metric(name, type, help, () => [...this.#rows.values()]);
  }

  add(labels: Labels): void {
    const row = this.#row(labels);
    row.value++;
  }

  set(labels: Labels, value: number): void {
    this.#row(labels).value = value;
  }

  #row(labels: Labels) {
    const key = JSON.stringify(labels);
    let row = this.#rows.get(key);
    if (row !== undefined && this.#most === Number.POSITIVE_INFINITY) return row;
    row ??= { labels, value: 0 };
    this.#rows.delete(key);
    this.#rows.set(key, row);
    if (this.#rows.size > this.#most) this.#rows.delete(this.#rows.keys().next().value as string);
    return row;
  }
}

/** Lengths of time by labels. */
export class SecondsTable {
  readonly source: MetricSource;
  readonly #bounds: readonly number[];
  readonly #rows = new Map<string, { readonly labels: Labels; readonly spread: Histogram }>();

  constructor({ name, help }: MetricName, bounds: readonly number[]) {
    this.#bounds = bounds;
    this.source = metric(name, 'histogram', help, () =>
      [...this.#rows.values()].flatMap(({ labels, spread }) => histogramSamples(name, labels, spread)),
    );
  }

  observe(labels: Labels, seconds: number): void {
    const key = JSON.stringify(labels);
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { labels, spread: new Histogram(this.#bounds) };
      this.#rows.set(key, row);
    }
    row.spread.observe(seconds);
  }
}
