// Addresses and node ports that services got, under kube-apiserver's names.

import { usualBounds } from '../base/histogram.ts';
import { type PortMap, portStore } from '../groups/core/v1/service/node-ports.ts';
import { storedRecords } from '../registry/records.ts';
import type { AllocationReport } from '../schema/allocator.ts';
import type { Store } from '../storage/store.ts';
import { type MetricSource, metric } from './metric-source.ts';
import { NumberTable, SecondsTable } from './number-table.ts';

export class AllocationMetrics {
  readonly #addresses = new NumberTable('kube_apiserver_clusterip_allocator_allocation_total');
  readonly #addressErrors = new NumberTable('kube_apiserver_clusterip_allocator_allocation_errors_total');
  readonly #seconds = new SecondsTable('kube_apiserver_clusterip_allocator_allocation_duration_seconds', usualBounds);
  readonly #ports = new NumberTable('kube_apiserver_nodeport_allocator_allocation_total');
  readonly #portErrors = new NumberTable('kube_apiserver_nodeport_allocator_allocation_errors_total');
  readonly #repairedPorts = new NumberTable('apiserver_nodeport_repair_port_errors_total');
  readonly #failedRepairs = new NumberTable('apiserver_nodeport_repair_reconcile_errors_total');

  constructor() {
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

/** Reads the used ports from the record in the store. */
export function nodePortMetrics(store: Store): readonly MetricSource[] {
  const ofStore = portStore(storedRecords(store));
  const value = (read: (map: PortMap) => number) => async () => [{ labels: {}, value: read(await ofStore.read()) }];
  return [
    metric(
      'kube_apiserver_nodeport_allocator_allocated_ports',
      value(({ count }) => count),
    ),
    metric(
      'kube_apiserver_nodeport_allocator_available_ports',
      value(({ count, range }) => range.to - range.from + 1 - count),
    ),
  ];
}
