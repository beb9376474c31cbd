// One attempt to place a pod: the nodes that fit, the best of them, or the reason why none fits.

import type { ClusterView } from './affinity-counts.ts';
import { sumByValue } from './controller-counts.ts';
import { filterFor, type NodeFilter, type Rejection } from './filters.ts';
import type { NodeEntry } from './node-entry.ts';
import type { Attempt } from './pending-pod.ts';
import type { PodEntry } from './pod-entry.ts';
import { bestNode } from './scores.ts';

/** The cluster of an attempt, with capacity that is reserved for nominated pods. */
export interface PlacementView extends ClusterView {
  node(name: string): NodeEntry | undefined;
  /** Pods that wait until others have left a node. */
  nominated(nodeName: string): readonly PodEntry[];
}

interface Placement {
  readonly node: NodeEntry;
  /** Where the next attempt begins to look. */
  readonly next: number;
}

export interface Refusal {
  /** Why each node was rejected, by name; all nodes when a problem of the pod itself is the reason. */
  readonly rejections: ReadonlyMap<string, Rejection>;
  /** A reason for which no node was looked at. */
  readonly problem: string | undefined;
}

const fewNodes = 100;
const leastPercent = 5;

/** How many nodes that fit are enough to choose from: in a large cluster, the search for all of them takes too long. */
export function enoughNodes(count: number): number {
  if (count < fewNodes) return count;
  const percent = Math.max(leastPercent, 50 - Math.floor(count / 125));
  return Math.max(fewNodes, Math.floor((count * percent) / 100));
}

export function chooseNode(attempt: Attempt, view: PlacementView, start: number): Placement | Refusal {
  const { problem } = attempt.volumes;
  if (problem !== undefined) return { rejections: rejectAll(view.nodes, problem), problem };
  const accepts = withNominated(attempt, view);
  const { nominatedNode } = attempt.pod;
  const nominated = nominatedNode === '' ? undefined : view.node(nominatedNode);
  if (nominated !== undefined && accepts(nominated) === undefined) return { node: nominated, next: start };
  const { candidates, rejections } = search(attempt, view, start, accepts);
  if (candidates.length === 0) return { rejections, problem: undefined };
  const next = (start + candidates.length + rejections.size) % view.nodes.length;
  return { node: bestNode(attempt.pod, candidates, view), next };
}

function rejectAll(nodes: readonly NodeEntry[], reason: string): ReadonlyMap<string, Rejection> {
  const rejection = { reasons: [reason], isFinal: true };
  return new Map(nodes.map(({ name }) => [name, rejection]));
}

const otherNodes: Rejection = { reasons: ["node(s) didn't satisfy plugin(s) [NodeAffinity]"], isFinal: true };

function search({ pod }: Attempt, view: PlacementView, start: number, accepts: NodeFilter) {
  const { nodes } = view;
  const rejections = new Map<string, Rejection>();
  const candidates: NodeEntry[] = [];
  const enough = enoughNodes(nodes.length);
  const { onlyNodes } = pod.wishes;
  for (let i = 0; i < nodes.length && candidates.length < enough; i++) {
    const node = nodes[(start + i) % nodes.length] as NodeEntry;
    const rejection = onlyNodes?.has(node.name) === false ? otherNodes : accepts(node);
    if (rejection === undefined) candidates.push(node);
    else rejections.set(node.name, rejection);
  }
  return { candidates, rejections };
}

/** Pods of no lower priority that wait for a node take their part of it already. */
function withNominated(attempt: Attempt, view: PlacementView): NodeFilter {
  const accepts = filterFor(attempt, view);
  const { uid, priority } = attempt.pod.entry;
  return (node) => {
    const waiting = view.nominated(node.name).filter((other) => other.uid !== uid && other.priority >= priority);
    if (waiting.length === 0) return accepts(node);
    const crowded = node.copy();
    for (const other of waiting) crowded.add(other);
    return filterFor(attempt, replacing(view, crowded))(crowded) ?? accepts(node);
  };
}

/** The view with another state of one node. */
export function replacing(view: ClusterView, changed: NodeEntry): ClusterView {
  const others = [...view.withAffinity].filter(({ name }) => name !== changed.name);
  const nodes = view.nodes.map((node) => (node.name === changed.name ? changed : node));
  return {
    nodes,
    controllerCounts: (controller, topologyKey) => sumByValue(controller, topologyKey, nodes),
    withAffinity: changed.withAffinity.size > 0 ? [...others, changed] : others,
    namespaceLabels: view.namespaceLabels,
    keys: view.keys,
  };
}
