// Which APIServices cannot be used now, and how often each became so, under kube-aggregator's names.

import type { Availability } from '../controllers/api-availability/checks.ts';
import { type MetricSource, metric } from './metric-source.ts';
import { NumberTable } from './number-table.ts';

export class AvailabilityMetrics {
  readonly #isAvailable = new Map<string, boolean>();
  readonly #breaks = new NumberTable('aggregator_unavailable_apiservice_total');

  /** `availability` is undefined for a deleted APIService. */
  observe(name: string, availability: Availability | undefined): void {
    if (availability === undefined) {
      this.#isAvailable.delete(name);
      return;
    }
    const isAvailable = availability.status === 'True';
    // one that was never seen counts as available before
    if (!isAvailable && this.#isAvailable.get(name) !== false) this.#breaks.add({ name, reason: availability.reason });
    this.#isAvailable.set(name, isAvailable);
  }

  get sources(): readonly MetricSource[] {
    return [this.#breaks.source, this.#unavailable()];
  }

  #unavailable(): MetricSource {
    return metric('aggregator_unavailable_apiservice', () =>
      [...this.#isAvailable].map(([name, isAvailable]) => ({ labels: { name }, value: isAvailable ? 0 : 1 })),
    );
  }
}
