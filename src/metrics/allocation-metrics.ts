// Addresses and node ports that services got, under kube-apiserver's names.

import { usualBounds } from '../base/histogram.ts';
import { type PortMap, portStore } from '../groups/core/v1/service/node-ports.ts';
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
  readonly #repairedPorts: NumberTable;
  readonly #failedRepairs: NumberTable;

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
    this.#repairedPorts = table(`${repair}_port_errors_total`, 'Node ports that did not agree with services, by how.');
    this.#failedRepairs = table(`${repair}_reconcile_errors_total`, 'Rounds of comparing node ports that failed.');
    this.#failedRepairs.set({}, 0);
  }

  get sources(): readonly MetricSource[] {
    const tables = [this.#addresses, this.#addressErrors, this.#seconds, this.#ports, this.#portErrors];
    return [...tables, this.#repairedPorts, this.#failedRepairs].map(({ source }) => source);
  }

  /** A node port that was put right, or could not be. */
  observeRepair(type: string): void {
    this.#repairedPorts.add({ type });
  }

  observeFailedRepair(): void {
    this.#failedRepairs.add({});
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

const repair = 'apiserver_nodeport_repair';
const addresses = 'kube_apiserver_clusterip_allocator_allocation';
const ports = 'kube_apiserver_nodeport_allocator_allocation';

/** Reads the used ports from the record in the store. */
export function nodePortMetrics(store: Store, dialect: DialectNames): readonly MetricSource[] {
  const ports = inOwnWords(dialect, 'kube_apiserver_nodeport_allocator');
  const ofStore = portStore(storedRecords(store));
  const gauge = (name: string, help: string, value: (map: PortMap) => number) =>
    metric(`${ports}_${name}_ports`, 'gauge', help, async () => [{ labels: {}, value: value(await ofStore.read()) }]);
  return [
    gauge('allocated', 'Node ports that services have.', ({ count }) => count),
    gauge(
      'available',
      'Node ports that services may still get.',
      ({ count, range }) => range.to - range.from + 1 - count,
    ),
  ];
}
