// Quantiles of the last measured values.

import type { Histogram } from '../base/histogram.ts';
import type { Sample } from './metric-source.ts';

/** Values that are remembered. */
const size = 1024;
/** As kube-apiserver shows them. */
const quantiles = [0.5, 0.9, 0.99];

export class RecentValues {
  readonly #values = new Float64Array(size);
  #next = 0;
  #count = 0;

  add(value: number): void {
    this.#values[this.#next] = value;
    this.#next = (this.#next + 1) % size;
    if (this.#count < size) this.#count++;
  }

  /** The value that a share of them does not exceed; NaN without values. */
  quantile(share: number): number {
    const sorted = this.#values.slice(0, this.#count).sort();
    return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN;
  }
}

export function summarySamples(
  metricName: string,
  labels: Readonly<Record<string, string>>,
  { count, sum }: Histogram,
  recent: RecentValues,
): readonly Sample[] {
  return [
    ...quantiles.map((quantile) => ({ metricName, labels: { ...labels, quantile }, value: recent.quantile(quantile) })),
    { metricName: `${metricName}_sum`, labels, value: sum },
    { metricName: `${metricName}_count`, labels, value: count },
  ];
}
