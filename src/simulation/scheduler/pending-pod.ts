// A pod that waits for a node: its requests, and its requirements of the node.

import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { type NodeWishes, nodeWishesOf } from './node-affinity.ts';
import { type PodEntry, podEntryOf } from './pod-entry.ts';
import { type SpreadConstraint, spreadConstraintsOf } from './spread-constraints.ts';
import type { Toleration } from './taints.ts';
import type { VolumeNeeds } from './volumes.ts';

export interface PendingPod {
  readonly entry: PodEntry;
  readonly wishes: NodeWishes;
  readonly tolerations: readonly Toleration[];
  readonly spread: readonly SpreadConstraint[];
  /** The node that lower priorities were removed from for this pod. */
  readonly nominatedNode: string;
  readonly mayPreempt: boolean;
}

export function pendingPodOf(pod: Pod): PendingPod {
  const { spec = {}, status = {} } = pod;
  return {
    entry: podEntryOf(pod),
    wishes: nodeWishesOf(spec),
    tolerations: spec.tolerations ?? [],
    spread: spreadConstraintsOf(pod),
    nominatedNode: status.nominatedNodeName ?? '',
    mayPreempt: spec.preemptionPolicy !== 'Never',
  };
}

/** One attempt to place a pod: the pod, and what its volumes require. */
export interface Attempt {
  readonly pod: PendingPod;
  readonly volumes: VolumeNeeds;
}
