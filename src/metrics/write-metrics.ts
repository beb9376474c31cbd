// What kinds have counted of writes to their parts, under kube-apiserver's names.

import type { CountedWrite, WriteCount } from '../schema/part-subresource.ts';
import { NumberTable } from './metric-tables.ts';
import type { MetricSource } from './request-metrics.ts';

const registry = 'apiserver_certificates_registry';

export class WriteMetrics {
  readonly #tables: Readonly<Record<CountedWrite, NumberTable>> = {
    csr_requested_duration: new NumberTable({
      name: `${registry}_csr_requested_duration_total`,
      help: 'Certificates that were issued to clients that asked for a time, by signer.',
    }),
    csr_honored_duration: new NumberTable({
      name: `${registry}_csr_honored_duration_total`,
      help: 'Those of them that last as long as was asked for, by signer.',
    }),
  };

  get sources(): readonly MetricSource[] {
    return Object.values(this.#tables).map(({ source }) => source);
  }

  count({ metric, labels }: WriteCount): void {
    this.#tables[metric].add(labels);
  }
}
