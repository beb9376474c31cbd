// Counts by labels of which some are the client's choice: when there are many, further ones are counted without those.

import { type MetricSource, metric } from './request-metrics.ts';

type Labels = Readonly<Record<string, string>>;

const maxRows = 500;

export class LimitedRows {
  readonly #rows = new Map<string, { readonly labels: Labels; value: number }>();
  readonly #clientLabels: Labels;
  readonly source: MetricSource;

  /** `clientLabels` are the labels whose values clients choose. */
  constructor(name: string, help: string, clientLabels: readonly string[] = ['resource', 'subresource']) {
    this.#clientLabels = Object.fromEntries(clientLabels.map((label) => [label, '']));
    this.source = metric(name, 'counter', help, () => [...this.#rows.values()]);
  }

  add(labels: Labels): void {
    const isKnown = this.#rows.has(keyOf(labels)) || this.#rows.size < maxRows;
    const counted = isKnown ? labels : { ...labels, ...this.#clientLabels };
    const key = keyOf(counted);
    const row = this.#rows.get(key) ?? { labels: counted, value: 0 };
    row.value++;
    this.#rows.set(key, row);
  }
}

const keyOf = (labels: Labels): string => JSON.stringify(Object.values(labels));
