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
  readonly #addresses: NumberTable;
  readonly #addressErrors: NumberTable;
  readonly #seconds: SecondsTable;
  readonly #ports: NumberTable;
  readonly #portErrors: NumberTable;

  constructor(dialect: DialectNames) {
    const table = (name: string, help: string) => new NumberTable({ name: inOwnWords(dialect, name), help });
    this.#addresses = table(`${addresses}_total`, 'Addresses that services got, by whether clients chose them.');
    this.#addressErrors = table(`${addresses}_errors_total`, 'Addresses that could not be reserved.');
    this.#seconds = new SecondsTable(
      {
        name: inOwnWords(dialect, `${addresses}_duration_seconds`),
        help: 'Seconds that it took to reserve an address.',
      },
      usualBounds,
    );
    this.#ports = table(`${ports}_total`, 'Node ports that services got, by whether clients chose them.');
    this.#portErrors = table(`${ports}_errors_total`, 'Node ports that could not be reserved.');
  }

  get sources(): readonly MetricSource[] {
    return [this.#addresses, this.#addressErrors, this.#seconds, this.#ports, this.#portErrors].map(
      ({ source }) => source,
    );
  }

  observe(tried: AllocationReport): void {
    const { scope, failed } = tried;
    if (tried.of === 'port') {
      (failed ? this.#portErrors : this.#ports).add({ scope });
      return;
    }
    const { range: cidr, seconds } = tried;
    (failed ? this.#addressErrors : this.#addresses).add({ cidr, scope });
    if (seconds !== undefined) this.#seconds.observe({ cidr }, seconds);
  }
}

const addresses = 'kube_apiserver_clusterip_allocator_allocation';
const ports = 'kube_apiserver_nodeport_allocator_allocation';

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
