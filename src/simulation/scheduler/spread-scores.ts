// How much a node helps to spread pods: what the pod prefers, or, without any wish, the pods of its controller.

import type { SimulationKeys } from '../keys.ts';
import type { ClusterView } from './affinity-counts.ts';
import type { NodeEntry } from './node-entry.ts';
import type { PendingPod } from './pending-pod.ts';
import { countDomains, countMatching, hasLabelsOf, type SpreadConstraint } from './spread-constraints.ts';

const maxScore = 100;
/** Counts by which pods of a controller are spread where they do not say how: kube-scheduler's default. */
const usualSpread = ({ hostname, zone }: SimulationKeys) => [
  { topologyKey: hostname, maxSkew: 3 },
  { topologyKey: zone, maxSkew: 5 },
];

/** For each node that is scored: the number of pods in its domain, and how many domains there are. */
interface CountedDomains {
  readonly maxSkew: number;
  readonly size: number;
  /** Undefined where the node has no such label. */
  countAt(node: NodeEntry): number | undefined;
}

export function scoreSpread(
  pod: PendingPod,
  nodes: readonly NodeEntry[],
  view: ClusterView,
): readonly number[] | undefined {
  if (pod.spread.length > 0) return scoreWishes(pod, nodes, view);
  const { controller } = pod.entry;
  if (controller === '') return undefined;
  const counted = countController(controller, nodes, view);
  return normalized(nodes.map((node) => scoreOf(node, counted)));
}

function scoreWishes(pod: PendingPod, nodes: readonly NodeEntry[], view: ClusterView): readonly number[] | undefined {
  const wishes = pod.spread.filter(({ isRequired }) => !isRequired);
  if (wishes.length === 0) return undefined;
  const counted = countWishes(pod, wishes, nodes, view);
  return normalized(nodes.map((node) => (hasLabelsOf(node, wishes) ? scoreOf(node, counted) : undefined)));
}

function countWishes(
  pod: PendingPod,
  wishes: readonly SpreadConstraint[],
  nodes: readonly NodeEntry[],
  view: ClusterView,
): readonly CountedDomains[] {
  const domains = countDomains(view.nodes, pod, wishes);
  return wishes.map((wish, index) => {
    const { topologyKey, maxSkew } = wish;
    const countAt = (node: NodeEntry) =>
      topologyKey === view.keys.hostname
        ? countMatching(node, pod, wish)
        : (domains[index]?.get(node.facts.labels[topologyKey] ?? '') ?? 0);
    return { maxSkew, size: countValues(nodes, topologyKey, view), countAt };
  });
}

/** The numbers of pods by controller are kept with each node and each domain, so that nothing has to be searched. */
function countController(
  controller: string,
  nodes: readonly NodeEntry[],
  view: ClusterView,
): readonly CountedDomains[] {
  return usualSpread(view.keys).map(({ topologyKey, maxSkew }) => {
    const sums = topologyKey === view.keys.hostname ? undefined : view.controllerCounts(controller, topologyKey);
    return {
      maxSkew,
      size: countValues(nodes, topologyKey, view),
      countAt(node) {
        const value = node.facts.labels[topologyKey];
        if (value === undefined) return undefined;
        return sums === undefined ? (node.byController.get(controller) ?? 0) : (sums.get(value) ?? 0);
      },
    };
  });
}

function countValues(nodes: readonly NodeEntry[], topologyKey: string, { keys }: ClusterView): number {
  if (topologyKey === keys.hostname) return nodes.length;
  return new Set(nodes.map(({ facts }) => facts.labels[topologyKey]).filter((value) => value !== undefined)).size;
}

function scoreOf(node: NodeEntry, counted: readonly CountedDomains[]): number {
  let score = 0;
  for (const { maxSkew, size, countAt } of counted) {
    const count = countAt(node);
    if (count !== undefined) score += count * Math.log(size + 2) + (maxSkew - 1);
  }
  return Math.round(score);
}

/** The fewer pods, the better; nodes without the labels get nothing. */
function normalized(costs: readonly (number | undefined)[]): readonly number[] {
  const counted = costs.filter((cost) => cost !== undefined);
  const highest = Math.max(...counted, 0);
  const least = Math.min(...counted);
  return costs.map((cost) => {
    if (cost === undefined) return 0;
    return highest === 0 ? maxScore : Math.floor((maxScore * (highest + least - cost)) / highest);
  });
}
