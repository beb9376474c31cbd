// The status of a deployment: what its replica sets count, whether enough pods are available, and whether a rollout
// comes forward.

import type { Deployment } from '../../../groups/apps/v1/deployment-type.ts';
import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import { formatTime } from '../../../meta/time.ts';
import { conditionOf, unlessZero, withoutCondition } from '../status.ts';
import { maxUnavailable, replicasOf, sumOf } from './amounts.ts';

export type DeploymentStatus = NonNullable<Deployment['status']>;
type Conditions = NonNullable<DeploymentStatus['conditions']>;
type Condition = Conditions[number];

const forever = 2 ** 31 - 1;

/** Seconds after which a rollout without progress has failed; undefined where nothing is reported of that. */
export function progressDeadline({ spec }: Deployment): number | undefined {
  const seconds = spec?.progressDeadlineSeconds;
  return seconds === forever ? undefined : seconds;
}

export function condition(type: string, status: string, [reason, message]: readonly [string, string], now: number) {
  const time = formatTime(now);
  return { type, status, lastUpdateTime: time, lastTransitionTime: time, reason, message };
}

/** One with this status and reason stays as it is; one with this status keeps the time of its transition. */
export function withCondition(conditions: Conditions = [], next: Condition): Conditions {
  const { type = '' } = next;
  const before = conditionOf(conditions, type);
  if (before?.status === next.status && before?.reason === next.reason) return conditions;
  const { lastTransitionTime } = before?.status === next.status ? (before as Condition) : next;
  return [...withoutCondition(conditions, type), { ...next, lastTransitionTime } as Condition];
}

interface Sets {
  readonly all: readonly ReplicaSet[];
  readonly current: ReplicaSet | undefined;
}

/** Counts, and whether enough pods are available. */
export function countedStatus(deployment: Deployment, { all, current }: Sets, now: number): DeploymentStatus {
  const { status = {}, metadata } = deployment;
  const available = sumOf(all, (set) => set.status?.availableReplicas);
  const isEnough = available >= replicasOf(deployment) - maxUnavailable(deployment);
  const availability = isEnough
    ? condition('Available', 'True', ['MinimumReplicasAvailable', 'Deployment has minimum availability.'], now)
    : condition(
        'Available',
        'False',
        ['MinimumReplicasUnavailable', 'Deployment does not have minimum availability.'],
        now,
      );
  return {
    observedGeneration: metadata.generation,
    replicas: unlessZero(sumOf(all, (set) => set.status?.replicas)),
    updatedReplicas: unlessZero(current?.status?.replicas ?? 0),
    readyReplicas: unlessZero(sumOf(all, (set) => set.status?.readyReplicas)),
    availableReplicas: unlessZero(available),
    unavailableReplicas: unlessZero(Math.max(sumOf(all, replicasOf) - available, 0)),
    terminatingReplicas: terminatingIn(all),
    collisionCount: status.collisionCount,
    conditions: withCondition(status.conditions, availability),
  } as DeploymentStatus;
}

/** Undefined where a replica set does not report its own. */
function terminatingIn(sets: readonly ReplicaSet[]): number | undefined {
  let sum = 0;
  for (const { status = {} } of sets) {
    if (status.terminatingReplicas === undefined && !status.observedGeneration) continue;
    if (status.terminatingReplicas === undefined) return undefined;
    sum += status.terminatingReplicas;
  }
  return sum;
}

/** All pods are new and available, and no old ones are left. */
export function isComplete(deployment: Deployment, status: DeploymentStatus): boolean {
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration = 0 } = status;
  const desired = replicasOf(deployment);
  const isReached = [replicas, updatedReplicas, availableReplicas].every((count) => count === desired);
  return isReached && observedGeneration >= (deployment.metadata.generation ?? 0);
}

function isFurther(before: DeploymentStatus, next: DeploymentStatus): boolean {
  const old = ({ replicas = 0, updatedReplicas = 0 }: DeploymentStatus) => replicas - updatedReplicas;
  const grew = (name: 'updatedReplicas' | 'readyReplicas' | 'availableReplicas') =>
    (next[name] ?? 0) > (before[name] ?? 0);
  return grew('updatedReplicas') || old(next) < old(before) || grew('readyReplicas') || grew('availableReplicas');
}

function isTimedOut(deployment: Deployment, { conditions }: DeploymentStatus, now: number): boolean {
  const progressing = conditionOf(conditions, 'Progressing');
  const deadline = progressDeadline(deployment);
  if (progressing === undefined || deadline === undefined || progressing.reason === 'NewReplicaSetAvailable')
    return false;
  if (progressing.reason === 'ProgressDeadlineExceeded') return true;
  return Date.parse(progressing.lastUpdateTime ?? '') + deadline * 1000 < now;
}

/** Counts and conditions while a deployment rolls out. */
export function rolloutStatus(deployment: Deployment, sets: Sets, now: number): DeploymentStatus {
  const counted = countedStatus(deployment, sets, now);
  const conditions = withFailure(progress(deployment, counted, sets.current, now), sets);
  return { ...counted, conditions };
}

function progress(
  deployment: Deployment,
  next: DeploymentStatus,
  current: ReplicaSet | undefined,
  now: number,
): Conditions {
  const { status: before = {}, metadata } = deployment;
  const { conditions = [] } = next;
  if (progressDeadline(deployment) === undefined) return withoutCondition(conditions, 'Progressing');
  const progressing = conditionOf(before.conditions, 'Progressing');
  const { replicas = 0, updatedReplicas = 0 } = next;
  if (replicas === updatedReplicas && progressing?.reason === 'NewReplicaSetAvailable') return conditions;
  const subject = current === undefined ? `Deployment "${metadata.name}"` : `ReplicaSet "${current.metadata.name}"`;
  const progressCondition = (status: string, reason: string, predicate: string) =>
    condition('Progressing', status, [reason, `${subject} ${predicate}`], now);
  if (isComplete(deployment, next))
    return withCondition(
      conditions,
      progressCondition('True', 'NewReplicaSetAvailable', 'has successfully progressed.'),
    );
  if (isFurther(before, next)) {
    const moved = progressCondition('True', 'ReplicaSetUpdated', 'is progressing.');
    const since = progressing?.status === 'True' ? progressing.lastTransitionTime : undefined;
    const progressed = since === undefined ? moved : { ...moved, lastTransitionTime: since };
    return [...withoutCondition(conditions, 'Progressing'), progressed];
  }
  return isTimedOut(deployment, next, now)
    ? withCondition(conditions, progressCondition('False', 'ProgressDeadlineExceeded', 'has timed out progressing.'))
    : conditions;
}

/** The failure of a replica set is one of its deployment; that of the new one comes first. */
function withFailure(conditions: Conditions, { all, current }: Sets): Conditions {
  const type = 'ReplicaFailure';
  const sets = current === undefined ? all : [current, ...all];
  for (const { status } of sets) {
    const failure = conditionOf(status?.conditions, type);
    if (failure === undefined) continue;
    return withCondition(conditions, { ...failure, lastUpdateTime: failure.lastTransitionTime } as Condition);
  }
  return withoutCondition(conditions, type);
}

/** Milliseconds until a rollout without further progress has failed; undefined where nothing waits for that. */
export function untilDeadline(deployment: Deployment, now: number): number | undefined {
  const { status = {} } = deployment;
  const deadline = progressDeadline(deployment);
  const progressing = conditionOf(status.conditions, 'Progressing');
  if (deadline === undefined || progressing === undefined) return undefined;
  if (isComplete(deployment, status) || progressing.reason === 'ProgressDeadlineExceeded') return undefined;
  return Date.parse(progressing.lastUpdateTime ?? '') + deadline * 1000 - now;
}

/** The conditions of a paused or resumed deployment; undefined if they do not change. */
export function pausedConditions(deployment: Deployment, now: number): Conditions | undefined {
  const { conditions } = deployment.status ?? {};
  const { reason } = conditionOf(conditions, 'Progressing') ?? {};
  if (progressDeadline(deployment) === undefined || reason === 'ProgressDeadlineExceeded') return undefined;
  const isPaused = deployment.spec?.paused === true;
  if (isPaused === (reason === 'DeploymentPaused')) return undefined;
  const reasonAndMessage = isPaused
    ? (['DeploymentPaused', 'Deployment is paused'] as const)
    : (['DeploymentResumed', 'Deployment is resumed'] as const);
  return withCondition(conditions, condition('Progressing', 'Unknown', reasonAndMessage, now));
}
