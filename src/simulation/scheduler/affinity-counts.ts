// Affinity between pods, counted by domain before nodes are looked at one by one.

import type { Labels } from '../../meta/object.ts';
import type { SimulationKeys } from '../keys.ts';
import type { NodeEntry } from './node-entry.ts';
import type { AffinityTerm } from './pod-affinity-terms.ts';
import type { PodEntry } from './pod-entry.ts';

/** What filters and scores may look at besides the node at hand. */
export interface ClusterView {
  readonly nodes: readonly NodeEntry[];
  readonly withAffinity: Iterable<NodeEntry>;
  readonly namespaceLabels: ReadonlyMap<string, Labels>;
  readonly keys: SimulationKeys;
  /** Numbers of pods of a controller, by the value of a label of their nodes. */
  controllerCounts(controller: string, topologyKey: string): ReadonlyMap<string, number>;
}

/** Numbers by domain: the key of a label, and its value. */
class DomainCounts {
  readonly #counts = new Map<string, Map<string, number>>();

  get isEmpty(): boolean {
    return this.#counts.size === 0;
  }

  add({ facts }: NodeEntry, topologyKey: string, amount: number): void {
    const value = facts.labels[topologyKey];
    if (value === undefined) return;
    const ofKey = this.#counts.get(topologyKey) ?? new Map<string, number>();
    this.#counts.set(topologyKey, ofKey);
    ofKey.set(value, (ofKey.get(value) ?? 0) + amount);
  }

  at({ facts }: NodeEntry, topologyKey: string): number {
    return this.#counts.get(topologyKey)?.get(facts.labels[topologyKey] ?? '') ?? 0;
  }

  /** The sum over all domains that a node is in. */
  sum({ facts }: NodeEntry): number {
    let sum = 0;
    for (const [key, ofKey] of this.#counts) sum += ofKey.get(facts.labels[key] ?? '') ?? 0;
    return sum;
  }
}

export interface AffinityCounts {
  /** Pods that match all required terms of the pod. */
  readonly wanted: DomainCounts;
  /** Pods that match a required term of its anti-affinity. */
  readonly avoided: DomainCounts;
  /** Pods whose own anti-affinity matches the pod. */
  readonly avoiding: DomainCounts;
}

const noLabels: Labels = {};

const labelsFor = (pod: PodEntry, view: ClusterView) => view.namespaceLabels.get(pod.namespace) ?? noLabels;

export function countAffinity(pod: PodEntry, view: ClusterView): AffinityCounts {
  const counts = { wanted: new DomainCounts(), avoided: new DomainCounts(), avoiding: new DomainCounts() };
  const ownLabels = labelsFor(pod, view);
  for (const node of view.withAffinity)
    for (const other of node.withAffinity.values())
      for (const term of other.affinity?.requiredAnti ?? [])
        if (term.matches(pod, ownLabels)) counts.avoiding.add(node, term.topologyKey, 1);
  const { required = [], requiredAnti = [] } = pod.affinity ?? {};
  if (required.length + requiredAnti.length === 0) return counts;
  for (const node of view.nodes)
    for (const other of node.pods.values()) {
      if (matchesAll(required, other, view)) for (const term of required) counts.wanted.add(node, term.topologyKey, 1);
      for (const term of requiredAnti)
        if (term.matches(other, labelsFor(other, view))) counts.avoided.add(node, term.topologyKey, 1);
    }
  return counts;
}

/** Whether a pod matches every term, of which there are some. */
export function matchesAll(terms: readonly AffinityTerm[], pod: PodEntry, view: ClusterView): boolean {
  return terms.length > 0 && terms.every((term) => term.matches(pod, labelsFor(pod, view)));
}

/** kube-scheduler counts a required affinity of a placed pod as a preferred one of this weight. */
const requiredWeight = 1;

/** Points by domain of preferred terms, in both directions; undefined without such terms. */
export function preferredPoints(pod: PodEntry, view: ClusterView): ((node: NodeEntry) => number) | undefined {
  const points = new DomainCounts();
  const { preferred = [], preferredAnti = [] } = pod.affinity ?? {};
  const ownLabels = labelsFor(pod, view);
  const hasOwn = preferred.length + preferredAnti.length > 0;
  for (const node of hasOwn ? view.nodes : view.withAffinity)
    for (const other of (hasOwn ? node.pods : node.withAffinity).values()) {
      const addOwn = (terms: readonly AffinityTerm[], sign: number) => {
        for (const term of terms)
          if (term.matches(other, labelsFor(other, view))) points.add(node, term.topologyKey, sign * term.weight);
      };
      const addOthers = (terms: readonly AffinityTerm[] = [], weightOf: (term: AffinityTerm) => number) => {
        for (const term of terms) if (term.matches(pod, ownLabels)) points.add(node, term.topologyKey, weightOf(term));
      };
      addOwn(preferred, 1);
      addOwn(preferredAnti, -1);
      addOthers(other.affinity?.required, () => requiredWeight);
      addOthers(other.affinity?.preferred, ({ weight }) => weight);
      addOthers(other.affinity?.preferredAnti, ({ weight }) => -weight);
    }
  return points.isEmpty ? undefined : (node) => points.sum(node);
}
