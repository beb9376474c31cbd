// Which of the nodes that can take a pod is best: parts from 0 to 100, added by weight as kube-scheduler does by default.

import { type ClusterView, preferredPoints } from './affinity-counts.ts';
import type { NodeEntry } from './node-entry.ts';
import type { PendingPod } from './pending-pod.ts';
import { scoreSpread } from './spread-scores.ts';
import { isTolerated } from './taints.ts';

const maxScore = 100;

/** A part gives a score for every node, or undefined where it does not apply to the pod. */
type ScorePart = (pod: PendingPod, nodes: readonly NodeEntry[], view: ClusterView) => readonly number[] | undefined;

const parts: readonly { readonly weight: number; readonly score: ScorePart }[] = [
  { weight: 3, score: scoreTaints },
  { weight: 2, score: scoreNodeAffinity },
  { weight: 1, score: scoreFreeResources },
  { weight: 2, score: scoreSpread },
  { weight: 2, score: scorePodAffinity },
  { weight: 1, score: scoreBalance },
];

/** The best of some nodes, the first of several that are equal. */
export function bestNode(pod: PendingPod, nodes: readonly NodeEntry[], view: ClusterView): NodeEntry {
  const first = nodes[0] as NodeEntry;
  if (nodes.length === 1) return first;
  const totals = new Array<number>(nodes.length).fill(0);
  for (const { weight, score } of parts)
    for (const [index, value] of score(pod, nodes, view)?.entries() ?? []) (totals[index] as number) += weight * value;
  let best = 0;
  for (let i = 1; i < totals.length; i++) if ((totals[i] as number) > (totals[best] as number)) best = i;
  return nodes[best] as NodeEntry;
}

/** Scaled so that the highest number is 100; `isCost` where less is better. */
function normalized(numbers: readonly number[], isCost: boolean): readonly number[] {
  const highest = Math.max(...numbers);
  if (highest === 0) return isCost ? numbers.map(() => maxScore) : numbers;
  const scaled = numbers.map((number) => Math.floor((number * maxScore) / highest));
  return isCost ? scaled.map((number) => maxScore - number) : scaled;
}

function scoreTaints({ tolerations }: PendingPod, nodes: readonly NodeEntry[]): readonly number[] {
  const counts = nodes.map(
    ({ facts }) =>
      facts.taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(taint, tolerations)).length,
  );
  return normalized(counts, true);
}

function scoreNodeAffinity({ wishes }: PendingPod, nodes: readonly NodeEntry[]): readonly number[] {
  const points = nodes.map(({ facts }) => wishes.points(facts));
  return normalized(points, false);
}

const scoredResources = ['cpu', 'memory'] as const;

function scoreFreeResources({ entry }: PendingPod, nodes: readonly NodeEntry[]): readonly number[] {
  return nodes.map(({ facts, assumed }) => {
    const shares = scoredResources.map((name) => {
      const capacity = facts.allocatable.get(name) ?? 0;
      const used = (assumed.get(name) ?? 0) + (entry.assumed.get(name) ?? 0);
      return capacity === 0 ? undefined : used > capacity ? 0 : Math.floor(((capacity - used) * maxScore) / capacity);
    });
    const counted = shares.filter((share) => share !== undefined);
    return counted.length === 0 ? 0 : Math.floor(counted.reduce((sum, share) => sum + share, 0) / counted.length);
  });
}

/** CPU and memory are best used to the same extent; a pod that requests nothing changes nothing. */
function scoreBalance({ entry }: PendingPod, nodes: readonly NodeEntry[]): readonly number[] | undefined {
  if (scoredResources.every((name) => (entry.requests.get(name) ?? 0) === 0)) return undefined;
  return nodes.map(({ facts, requested }) => {
    const balanceWith = (share: 0 | 1) => {
      const [cpu, memory] = scoredResources.map((name) => {
        const capacity = facts.allocatable.get(name) ?? 0;
        const used = (requested.get(name) ?? 0) + share * (entry.requests.get(name) ?? 0);
        return capacity === 0 ? undefined : Math.min(1, used / capacity);
      });
      const deviation = cpu === undefined || memory === undefined ? 0 : Math.abs((cpu - memory) / 2);
      return Math.trunc((1 - deviation) * maxScore);
    };
    return maxScore / 2 + Math.trunc((maxScore / 2 + balanceWith(1) - balanceWith(0)) / 2);
  });
}

function scorePodAffinity(
  { entry }: PendingPod,
  nodes: readonly NodeEntry[],
  view: ClusterView,
): readonly number[] | undefined {
  const pointsOf = preferredPoints(entry, view);
  if (pointsOf === undefined) return undefined;
  const points = nodes.map(pointsOf);
  const least = Math.min(...points);
  const range = Math.max(...points) - least;
  return points.map((point) => (range === 0 ? 0 : Math.floor((maxScore * (point - least)) / range)));
}
