// Pods that the pod garbage collector deleted, under the names of kube-controller-manager.

import type { ForcedDeletion } from '../controllers/pod-garbage/force-delete.ts';
import { LimitedRows } from './limited-rows.ts';
import type { MetricSource } from './metric-source.ts';

export class PodGarbageMetrics {
  readonly #deletions = new LimitedRows('pod_gc_collector_force_delete_pods_total', ['namespace']);
  readonly #errors = new LimitedRows('pod_gc_collector_force_delete_pod_errors_total', ['namespace']);

  get sources(): readonly MetricSource[] {
    return [this.#deletions.source, this.#errors.source];
  }

  observe({ namespace, reason, failed }: ForcedDeletion): void {
    this.#deletions.add({ namespace, reason });
    if (failed) this.#errors.add({ namespace, reason });
  }
}
