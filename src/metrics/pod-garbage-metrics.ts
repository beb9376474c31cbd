// Pods that the pod garbage collector deleted, under the names of kube-controller-manager.

import type { ForcedDeletion } from '../controllers/pod-garbage/force-delete.ts';
import { LimitedRows } from './limited-rows.ts';
import type { MetricSource } from './request-metrics.ts';

export class PodGarbageMetrics {
  readonly #deletions = rows('pods_total', 'Pods that the pod garbage collector deleted or tried to delete.');
  readonly #errors = rows('pod_errors_total', 'Pods that the pod garbage collector could not delete.');

  get sources(): readonly MetricSource[] {
    return [this.#deletions.source, this.#errors.source];
  }

  observe({ namespace, reason, failed }: ForcedDeletion): void {
    this.#deletions.add({ namespace, reason });
    if (failed) this.#errors.add({ namespace, reason });
  }
}

function rows(name: string, help: string): LimitedRows {
  return new LimitedRows(`pod_gc_collector_force_delete_${name}`, help, ['namespace']);
}
