// Numbers and lengths of time by labels: what is counted where it happens.

import { Histogram } from '../base/histogram.ts';
import { type MetricSource, metric, spreadMetric } from './metric-source.ts';
import type { LabelsOf, NameOf } from './table/all-metrics.ts';

/** Numbers by labels. */
export class NumberTable<Name extends NameOf<'counter' | 'gauge'>> {
  readonly source: MetricSource;
  readonly #maxRows: number;
  readonly #rows = new Map<string, { readonly labels: LabelsOf<Name>; value: number }>();

  /** Beyond `maxRows` the least recently used row is removed. */
  constructor(name: Name, maxRows: number = Number.POSITIVE_INFINITY) {
    this.#maxRows = maxRows;
    this.source = metric(name, () => [...this.#rows.values()]);
  }

  add(labels: LabelsOf<Name>): void {
    const row = this.#row(labels);
    row.value++;
  }

  set(labels: LabelsOf<Name>, value: number): void {
    this.#row(labels).value = value;
  }

  #row(labels: LabelsOf<Name>) {
    const key = JSON.stringify(labels);
    let row = this.#rows.get(key);
    if (row !== undefined && this.#maxRows === Number.POSITIVE_INFINITY) return row;
    row ??= { labels, value: 0 };
    this.#rows.delete(key);
    this.#rows.set(key, row);
    if (this.#rows.size > this.#maxRows) this.#rows.delete(this.#rows.keys().next().value as string);
    return row;
  }
}

/** Lengths of time by labels. */
export class SecondsTable<Name extends NameOf<'histogram'>> {
  readonly source: MetricSource;
  readonly #bounds: readonly number[];
  readonly #rows = new Map<string, readonly [labels: LabelsOf<Name>, spread: Histogram]>();

  constructor(name: Name, bounds: readonly number[]) {
    this.#bounds = bounds;
    this.source = spreadMetric(name, () => [...this.#rows.values()]);
  }

  observe(labels: LabelsOf<Name>, seconds: number): void {
    const key = JSON.stringify(labels);
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = [labels, new Histogram(this.#bounds)];
      this.#rows.set(key, row);
    }
    row[1].observe(seconds);
  }
}
