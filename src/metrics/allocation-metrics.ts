// Addresses and node ports that services got, under kube-apiserver's names.

import { usualBounds } from '../base/histogram.ts';
import { nodePortsRecord, PortMap } from '../groups/core/v1/node-ports.ts';
import { type DialectNames, inOwnWords } from '../meta/dialect.ts';
import { storedRecords } from '../registry/records.ts';
import type { AllocationReport } from '../schema/allocator.ts';
import type { Store } from '../storage/store.ts';
import { NumberTable, SecondsTable } from './metric-tables.ts';
import { type MetricSource, metric } from './request-metrics.ts';

export class AllocationMetrics {
  readonly #total: NumberTable;
  readonly #seconds: SecondsTable;

  constructor(dialect: DialectNames) {
    const prefix = inOwnWords(dialect, 'kube_apiserver_clusterip_allocator_allocation');
    this.#total = new NumberTable({
      name: `${prefix}_total`,
      help: 'Addresses that services got, by whether clients chose them.',
    });
    this.#seconds = new SecondsTable(
      { name: `${prefix}_duration_seconds`, help: 'Seconds that it took to reserve an address.' },
      usualBounds,
    );
  }

  get sources(): readonly MetricSource[] {
    return [this.#total.source, this.#seconds.source];
  }

  observe({ range, scope, seconds }: AllocationReport): void {
    this.#total.add({ cidr: range, scope });
    this.#seconds.observe({ cidr: range }, seconds);
  }
}

/** The record in the store says which ports are taken. */
export function nodePortMetrics(store: Store, dialect: DialectNames): readonly MetricSource[] {
  const ports = inOwnWords(dialect, 'kube_apiserver_nodeport_allocator');
  const read = async () => {
    let map: PortMap | undefined;
    await storedRecords(store).update(
      nodePortsRecord,
      (record) => {
        map = PortMap.read(record);
        return undefined;
      },
      'is replaced',
    );
    return map as PortMap;
  };
  const gauge = (name: string, help: string, value: (map: PortMap) => number) =>
    metric(`${ports}_${name}_ports`, 'gauge', help, async () => [{ labels: {}, value: value(await read()) }]);
  return [
    gauge('allocated', 'Node ports that services have.', ({ count }) => count),
    gauge(
      'available',
      'Node ports that services may still get.',
      ({ count, range }) => range.to - range.from + 1 - count,
    ),
  ];
}
