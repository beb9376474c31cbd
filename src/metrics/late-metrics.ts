// What came of work that went on after its request was answered with a timeout, under kube-apiserver's names.

import type { LateOutcome } from '../pipeline/pipeline.ts';
import { NumberTable } from './metric-tables.ts';
import type { MetricSource } from './request-metrics.ts';

export class LateMetrics {
  readonly #table = new NumberTable({
    name: 'apiserver_request_post_timeout_total',
    help: 'Work that ended after its request was answered with a timeout, by how it ended.',
  });

  get source(): MetricSource {
    return this.#table.source;
  }

  observe(status: LateOutcome): void {
    this.#table.add({ source: 'rest-handler', status });
  }
}
