// What kinds have counted of writes to their parts, under kube-apiserver's names.

import type { CountedWrite, WriteCount } from '../schema/part-subresource.ts';
import type { MetricSource } from './metric-source.ts';
import { NumberTable } from './number-table.ts';

export class WriteMetrics {
  readonly #tables: Readonly<
    Record<CountedWrite, NumberTable<`apiserver_certificates_registry_${CountedWrite}_total`>>
  > = {
    csr_requested_duration: new NumberTable('apiserver_certificates_registry_csr_requested_duration_total'),
    csr_honored_duration: new NumberTable('apiserver_certificates_registry_csr_honored_duration_total'),
  };

  get sources(): readonly MetricSource[] {
    return Object.values(this.#tables).map(({ source }) => source);
  }

  count({ metric, labels }: WriteCount): void {
    this.#tables[metric].add(labels);
  }
}
