// Calls of conversion webhooks, under kube-apiserver's names.

import type { ConversionObserver } from '../custom-resources/webhook-conversion.ts';
import type { MetricSource } from './metric-source.ts';
import { NumberTable, SecondsTable } from './number-table.ts';

const byDefinition = Array.from({ length: 15 }, (_, index) => 0.001 * 2 ** index);
const byResult = [0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 20, 30, 45, 60];

export class ConversionMetrics implements ConversionObserver {
  readonly #definitions = new SecondsTable('apiserver_crd_conversion_webhook_duration_seconds', byDefinition);
  readonly #calls = new NumberTable('apiserver_conversion_webhook_request_total');
  readonly #durations = new SecondsTable('apiserver_conversion_webhook_duration_seconds', byResult);

  get sources(): readonly MetricSource[] {
    return [this.#definitions.source, this.#calls.source, this.#durations.source];
  }

  onConversion({ definition, from, to, seconds, failure }: Parameters<ConversionObserver['onConversion']>[0]): void {
    const succeeded = String(failure === undefined);
    this.#definitions.observe({ crd_name: definition, from_version: from, to_version: to, succeeded }, seconds);
    const labels = { result: failure === undefined ? 'success' : 'failure', failure_type: failure ?? '' };
    this.#calls.add(labels);
    this.#durations.observe(labels, seconds);
  }
}
