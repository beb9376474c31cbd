// How long a pod may stay on a node with taints that evict.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import type { Taint } from '../scheduler/node-entry.ts';
import { type Toleration, tolerates } from '../scheduler/taints.ts';

/** Milliseconds that the pod may stay; infinite if it tolerates all taints for ever. */
export function toleratedMs({ spec }: Pod, taints: readonly Taint[]): number {
  const { tolerations = [] } = spec ?? {};
  const used: Toleration[] = [];
  for (const taint of taints) {
    const matching = tolerations.filter((toleration) => tolerates(toleration, taint));
    if (matching.length === 0) return 0;
    used.push(...matching);
  }
  const limits = used.flatMap(({ tolerationSeconds }) => tolerationSeconds ?? []);
  return limits.length === 0 ? Number.POSITIVE_INFINITY : Math.max(Math.min(...limits), 0) * 1000;
}
