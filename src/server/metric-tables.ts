// Counters and histograms that are kept as plain numbers and shown when somebody scrapes.

import type { MetricSource } from './request-metrics.ts';

type Labels = Readonly<Record<string, string>>;

interface MetricName {
  readonly name: string;
  readonly help: string;
}

/** Numbers by labels. */
export class NumberTable {
  readonly source: MetricSource;
  readonly #rows = new Map<string, { readonly labels: Labels; value: number }>();

  constructor({ name, help }: MetricName, type: 'counter' | 'gauge' = 'counter') {
    const get = async () => ({ name, help, type, values: [...this.#rows.values()], aggregator: 'sum' });
    this.source = { name, get };
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
    if (row === undefined) {
      row = { labels, value: 0 };
      this.#rows.set(key, row);
    }
    return row;
  }
}

interface Spread {
  readonly labels: Labels;
  readonly counts: number[];
  count: number;
  sum: number;
}

/** Lengths of time by labels. */
export class SecondsTable {
  readonly source: MetricSource;
  readonly #bounds: readonly number[];
  readonly #rows = new Map<string, Spread>();

  constructor({ name, help }: MetricName, bounds: readonly number[]) {
    this.#bounds = bounds;
    const get = async () => ({ name, help, type: 'histogram', values: this.#values(name), aggregator: 'sum' });
    this.source = { name, get };
  }

  observe(labels: Labels, seconds: number): void {
    const key = JSON.stringify(labels);
    let row = this.#rows.get(key);
    if (row === undefined) {
      row = { labels, counts: this.#bounds.map(() => 0), count: 0, sum: 0 };
      this.#rows.set(key, row);
    }
    row.count++;
    row.sum += seconds;
    const at = this.#bounds.findIndex((bound) => seconds <= bound);
    if (at >= 0) row.counts[at] = (row.counts[at] as number) + 1;
  }

  #values(name: string): readonly object[] {
    return [...this.#rows.values()].flatMap(({ labels, counts, count, sum }) => {
      let below = 0;
      const buckets = this.#bounds.map((le, index) => {
        below += counts[index] as number;
        return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
      });
      return [
        ...buckets,
        { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
        { metricName: `${name}_sum`, labels, value: sum },
        { metricName: `${name}_count`, labels, value: count },
      ];
    });
  }
}
