// Counts by labels of which some are the client's choice: when there are many, further ones are counted without those.

import { type MetricSource, metric } from './metric-source.ts';
import type { LabelsOf, NameOf } from './table/all-metrics.ts';

const maxRows = 500;

export class LimitedRows<Name extends NameOf<'counter'>> {
  readonly #rows = new Map<string, { readonly labels: LabelsOf<Name>; value: number }>();
  readonly #clientLabels: Readonly<Record<string, string>>;
  readonly source: MetricSource;

  /** `clientLabels` are the labels whose values clients choose. */
  constructor(name: Name, clientLabels: readonly string[] = ['resource', 'subresource']) {
    this.#clientLabels = Object.fromEntries(clientLabels.map((label) => [label, '']));
    this.source = metric(name, () => [...this.#rows.values()]);
  }

  add(labels: LabelsOf<Name>): void {
    const isKnown = this.#rows.has(keyOf(labels)) || this.#rows.size < maxRows;
    const counted = isKnown ? labels : { ...labels, ...this.#clientLabels };
    const key = keyOf(counted);
    const row = this.#rows.get(key) ?? { labels: counted, value: 0 };
    row.value++;
    this.#rows.set(key, row);
  }
}

const keyOf = (labels: Readonly<Record<string, string>>): string => JSON.stringify(Object.values(labels));
