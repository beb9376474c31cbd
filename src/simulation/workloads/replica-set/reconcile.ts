// The missing and excess pods of a replica set, their order of deletion, and its status.

import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import { isReady } from '../../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { selecting } from '../../../groups/meta/v1/label-selector.ts';
import { formatTime } from '../../../meta/time.ts';
import { compareForDeletion, isActive, isAvailable } from '../pods.ts';
import { conditionOf, unlessZero, withoutCondition } from '../status.ts';

type ReplicaSetStatus = NonNullable<ReplicaSet['status']>;

/** At most so many pods are made or deleted in one go. */
const burst = 500;

interface ReplicaChange {
  /** Number of pods to make. */
  readonly missing: number;
  readonly excess: readonly Pod[];
}

/** `related` are the pods of all replica sets with the owner of this one. */
export function replicaChange(
  { spec = {} }: ReplicaSet,
  active: readonly Pod[],
  { related, costAnnotation, now }: { related(): Iterable<Pod>; costAnnotation: string; now: number },
): ReplicaChange {
  const { replicas = 0 } = spec;
  const missing = Math.min(Math.max(replicas - active.length, 0), burst);
  const excess = Math.min(Math.max(active.length - replicas, 0), burst);
  if (excess === 0) return { missing, excess: [] };
  if (excess === active.length) return { missing, excess: active };
  const podsOnNode = new Map<string, number>();
  for (const pod of related()) {
    const { nodeName = '' } = pod.spec ?? {};
    if (isActive(pod)) podsOnNode.set(nodeName, (podsOnNode.get(nodeName) ?? 0) + 1);
  }
  const ordered = [...active].sort((a, b) => compareForDeletion(a, b, { podsOnNode, costAnnotation, now }));
  return { missing, excess: ordered.slice(0, excess) };
}

interface Observation {
  readonly active: readonly Pod[];
  /** Undefined for a kind that does not report it. */
  readonly terminating: number | undefined;
  /** Why pods could not be made or deleted. */
  readonly failure: string | undefined;
  readonly now: number;
}

export function replicaSetStatus(set: ReplicaSet, observation: Observation): ReplicaSetStatus {
  const { active, terminating, now } = observation;
  const { template, minReadySeconds = 0 } = set.spec ?? {};
  const isFullyLabeled = selecting({ matchLabels: template?.metadata?.labels ?? {} });
  // one pass: a set may have thousands of pods, and is looked at whenever one of them changes
  const counts = { labeled: 0, ready: 0, available: 0 };
  for (const pod of active) {
    if (isFullyLabeled(pod.metadata.labels)) counts.labeled++;
    if (!isReady(pod)) continue;
    counts.ready++;
    if (minReadySeconds === 0 || isAvailable(pod, minReadySeconds, now)) counts.available++;
  }
  return {
    replicas: active.length,
    fullyLabeledReplicas: unlessZero(counts.labeled),
    readyReplicas: unlessZero(counts.ready),
    availableReplicas: unlessZero(counts.available),
    terminatingReplicas: terminating,
    observedGeneration: set.metadata.generation,
    conditions: conditions(set, observation),
  } as ReplicaSetStatus;
}

const type = 'ReplicaFailure';

function conditions({ spec, status }: ReplicaSet, { active, failure, now }: Observation) {
  const before = status?.conditions;
  const current = conditionOf(before, type);
  if (failure === undefined) {
    const left = withoutCondition(before, type);
    return left.length === 0 ? undefined : left;
  }
  if (current !== undefined) return before;
  const missing = (spec?.replicas ?? 0) - active.length;
  const reason = missing > 0 ? 'FailedCreate' : missing < 0 ? 'FailedDelete' : undefined;
  return [
    ...(before ?? []),
    { type, status: 'True', lastTransitionTime: formatTime(now), ...(reason && { reason }), message: failure },
  ];
}
