// How evenly pods are spread over domains: requirements of a pod, and preferences for all pods.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { selecting } from '../../groups/meta/v1/label-selector.ts';
import type { Labels } from '../../meta/object.ts';
import type { NodeEntry } from './node-entry.ts';
import type { PendingPod } from './pending-pod.ts';
import { toleratesPlacement } from './taints.ts';

export interface SpreadConstraint {
  readonly topologyKey: string;
  readonly maxSkew: number;
  readonly isRequired: boolean;
  readonly minDomains: number;
  /** Nodes that the pod's node affinity excludes have no part. */
  readonly honorsAffinity: boolean;
  readonly honorsTaints: boolean;
  selects(labels: Labels): boolean;
}

export function spreadConstraintsOf({ spec }: Pod): readonly SpreadConstraint[] {
  return (spec?.topologySpreadConstraints ?? []).map((one) => ({
    topologyKey: one.topologyKey ?? '',
    maxSkew: one.maxSkew ?? 1,
    isRequired: one.whenUnsatisfiable === 'DoNotSchedule',
    minDomains: one.minDomains ?? 1,
    honorsAffinity: one.nodeAffinityPolicy !== 'Ignore',
    honorsTaints: one.nodeTaintsPolicy === 'Honor',
    selects: one.labelSelector === undefined ? () => false : selecting(one.labelSelector),
  }));
}

/** Matching pods of the pod's namespace that are on a node and stay there. */
export function countMatching(node: NodeEntry, pod: PendingPod, { selects }: SpreadConstraint): number {
  const { namespace } = pod.entry;
  let count = 0;
  for (const other of node.pods.values())
    if (other.namespace === namespace && !other.isEnding && selects(other.labels)) count++;
  return count;
}

/** Whether a node has a part in a constraint. */
function takesPart(node: NodeEntry, pod: PendingPod, constraint: SpreadConstraint): boolean {
  if (constraint.honorsAffinity && !pod.wishes.accepts(node.facts)) return false;
  return !constraint.honorsTaints || toleratesPlacement(node.facts.taints, pod.tolerations);
}

export const hasLabelsOf = (node: NodeEntry, constraints: readonly SpreadConstraint[]): boolean =>
  constraints.every(({ topologyKey }) => node.facts.labels[topologyKey] !== undefined);

/** Number of matching pods by value of the label, for each constraint. */
export function countDomains(
  nodes: readonly NodeEntry[],
  pod: PendingPod,
  constraints: readonly SpreadConstraint[],
): readonly ReadonlyMap<string, number>[] {
  const counts = constraints.map(() => new Map<string, number>());
  if (constraints.length === 0) return counts;
  for (const node of nodes) {
    if (!hasLabelsOf(node, constraints)) continue;
    for (const [index, constraint] of constraints.entries()) {
      if (!takesPart(node, pod, constraint)) continue;
      const value = node.facts.labels[constraint.topologyKey] as string;
      const domains = counts[index] as Map<string, number>;
      domains.set(value, (domains.get(value) ?? 0) + countMatching(node, pod, constraint));
    }
  }
  return counts;
}
