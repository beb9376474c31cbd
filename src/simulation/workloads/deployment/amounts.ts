// How many pods of a deployment may be too many or too few while it rolls out, and how changes are shared out.

import type { Deployment } from '../../../groups/apps/v1/deployment-type.ts';
import type { ReplicaSet } from '../../../groups/apps/v1/replica-set-type.ts';
import { amountOf } from '../amounts.ts';

export const replicasOf = ({ spec }: Deployment | ReplicaSet): number => spec?.replicas ?? 0;

export const sumOf = (sets: readonly ReplicaSet[], count: (set: ReplicaSet) => number | undefined): number =>
  sets.reduce((sum, set) => sum + (count(set) ?? 0), 0);

const isRolling = ({ spec }: Deployment): boolean => spec?.strategy?.type === 'RollingUpdate';

function fenceposts(deployment: Deployment): { surge: number; unavailable: number } {
  const { maxSurge: surge, maxUnavailable } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const total = replicasOf(deployment);
  const most = { surge: amountOf(surge, total, Math.ceil), unavailable: amountOf(maxUnavailable, total, Math.floor) };
  // a rollout that may do neither would never begin
  return most.surge === 0 && most.unavailable === 0 ? { ...most, unavailable: 1 } : most;
}

export const maxSurge = (deployment: Deployment): number => (isRolling(deployment) ? fenceposts(deployment).surge : 0);

export function maxUnavailable(deployment: Deployment): number {
  const total = replicasOf(deployment);
  return isRolling(deployment) && total > 0 ? Math.min(fenceposts(deployment).unavailable, total) : 0;
}

/** Pods that the new replica set may have now. */
export function newSetReplicas(deployment: Deployment, all: readonly ReplicaSet[], current: number): number {
  const total = replicasOf(deployment);
  if (!isRolling(deployment)) return total;
  const { maxSurge: surge } = deployment.spec?.strategy?.rollingUpdate ?? {};
  const allowed = total + amountOf(surge, total, Math.ceil) - sumOf(all, replicasOf);
  return allowed <= 0 ? current : current + Math.min(allowed, total - current);
}

interface Shares {
  /** Pods that all replica sets together get, or lose. */
  readonly added: number;
  /** The most pods that there could be when a replica set was scaled the last time. */
  maxBefore(set: ReplicaSet): number;
}

/** New sizes of replica sets, in their order: each changes by its share, and the first takes the rest. */
export function proportions(
  deployment: Deployment,
  sets: readonly ReplicaSet[],
  { added, maxBefore }: Shares,
): number[] {
  let left = added;
  const sizes = sets.map((set) => {
    const size = replicasOf(set);
    if (left === 0) return size;
    const fraction = shareOf(deployment, size, maxBefore(set));
    const share = added > 0 ? Math.min(fraction, left) : Math.max(fraction, left);
    left -= share;
    return size + share;
  });
  if (sizes[0] !== undefined) sizes[0] = Math.max(sizes[0] + left, 0);
  return sizes;
}

function shareOf(deployment: Deployment, size: number, maxBefore: number): number {
  const total = replicasOf(deployment);
  if (size === 0) return 0;
  if (total === 0) return -size;
  if (maxBefore === 0) return 0;
  return Math.round((size * (total + maxSurge(deployment))) / maxBefore) - size;
}

interface ScaleDown {
  readonly set: ReplicaSet;
  readonly replicas: number;
}

/** How far old replica sets may be scaled down while the new one comes up: pods that do not work first. */
export function scaleDownOld(
  deployment: Deployment,
  { current, old }: { current: ReplicaSet; old: readonly ReplicaSet[] },
): readonly ScaleDown[] {
  const availableOf = ({ status }: ReplicaSet) => status?.availableReplicas;
  const minAvailable = replicasOf(deployment) - maxUnavailable(deployment);
  const newUnavailable = replicasOf(current) - (availableOf(current) ?? 0);
  const most = sumOf([...old, current], replicasOf) - minAvailable - newUnavailable;
  if (sumOf(old, replicasOf) === 0 || most <= 0) return [];
  const sizes = new Map(old.map((set) => [set, replicasOf(set)]));
  const take = (limit: number, spare: (set: ReplicaSet) => number) => {
    let left = limit;
    for (const set of old) {
      const share = Math.max(Math.min(left, spare(set)), 0);
      sizes.set(set, (sizes.get(set) as number) - share);
      left -= share;
    }
  };
  take(most, (set) => replicasOf(set) - (availableOf(set) ?? 0));
  take(sumOf([...old, current], availableOf) - minAvailable, (set) => sizes.get(set) as number);
  return old
    .map((set) => ({ set, replicas: sizes.get(set) as number }))
    .filter(({ set, replicas }) => replicas !== replicasOf(set));
}
