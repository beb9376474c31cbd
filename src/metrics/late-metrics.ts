// What came of work that went on after its request was answered with a timeout, under kube-apiserver's names.

import type { LateOutcome } from '../pipeline/pipeline.ts';
import type { MetricSource } from './metric-source.ts';
import { NumberTable } from './number-table.ts';

export class LateMetrics {
  readonly #table = new NumberTable('apiserver_request_post_timeout_total');

  get source(): MetricSource {
    return this.#table.source;
  }

  observe(status: LateOutcome): void {
    this.#table.add({ source: 'rest-handler', status });
  }
}
