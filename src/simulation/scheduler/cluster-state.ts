// Everything that the scheduler knows about the cluster: nodes with their pods, and what pods refer to.

import { isDeepStrictEqual } from 'node:util';
import type { Labels } from '../../meta/object.ts';
import { ControllerCounts } from './controller-counts.ts';
import { NodeEntry, type NodeFacts } from './node-entry.ts';
import type { PodEntry } from './pod-entry.ts';

export class ClusterState {
  readonly #nodes = new Map<string, NodeEntry>();
  /** In the order in which nodes are looked at; made again after nodes came or went. */
  #order: readonly NodeEntry[] | undefined;
  /** The node of each pod, by uid. */
  readonly #places = new Map<string, string>();
  /** Pods of nodes that are not there (yet). */
  readonly #homeless = new Map<string, Map<string, PodEntry>>();
  readonly #controllerCounts = new ControllerCounts();
  readonly namespaceLabels = new Map<string, Labels>();
  /** Nodes with pods that state affinity: all others need not be searched for it. */
  readonly withAffinity = new Set<NodeEntry>();

  get nodes(): readonly NodeEntry[] {
    this.#order ??= [...this.#nodes.values()];
    return this.#order;
  }

  node(name: string): NodeEntry | undefined {
    return this.#nodes.get(name);
  }

  controllerCounts(controller: string, topologyKey: string): ReadonlyMap<string, number> {
    return this.#controllerCounts.of(controller, topologyKey, this.nodes);
  }

  setNode(facts: NodeFacts): void {
    const node = this.#nodes.get(facts.name);
    if (node !== undefined) {
      if (!isDeepStrictEqual(node.facts.labels, facts.labels)) this.#controllerCounts.clear();
      node.facts = facts;
      return;
    }
    const entry = new NodeEntry(facts);
    this.#nodes.set(facts.name, entry);
    this.#order = undefined;
    const pods = this.#homeless.get(facts.name);
    this.#homeless.delete(facts.name);
    for (const pod of pods?.values() ?? []) this.#put(entry, pod);
  }

  removeNode(name: string): void {
    const entry = this.#nodes.get(name);
    if (entry === undefined) return;
    this.#nodes.delete(name);
    this.#order = undefined;
    this.withAffinity.delete(entry);
    if (entry.pods.size === 0) return;
    this.#homeless.set(name, new Map(entry.pods));
    this.#controllerCounts.clear();
  }

  /** The pod occupies its node from now on. */
  place(pod: PodEntry, nodeName: string): void {
    if (this.#places.get(pod.uid) !== nodeName) this.remove(pod.uid);
    this.#places.set(pod.uid, nodeName);
    const node = this.#nodes.get(nodeName);
    if (node !== undefined) this.#put(node, pod);
    else this.#homeless.set(nodeName, (this.#homeless.get(nodeName) ?? new Map<string, PodEntry>()).set(pod.uid, pod));
  }

  /** Whether the pod occupied a node. */
  remove(uid: string): boolean {
    const nodeName = this.#places.get(uid);
    if (nodeName === undefined) return false;
    this.#places.delete(uid);
    const node = this.#nodes.get(nodeName);
    if (node === undefined) this.#removeHomeless(nodeName, uid);
    else {
      const pod = node.remove(uid);
      if (pod !== undefined) this.#controllerCounts.change(pod.controller, node, -1);
      if (node.withAffinity.size === 0) this.withAffinity.delete(node);
    }
    return true;
  }

  nodeOf(uid: string): string | undefined {
    return this.#places.get(uid);
  }

  clear(): void {
    this.#nodes.clear();
    this.#order = undefined;
    this.#places.clear();
    this.#homeless.clear();
    this.withAffinity.clear();
    this.namespaceLabels.clear();
    this.#controllerCounts.clear();
  }

  #put(node: NodeEntry, pod: PodEntry): void {
    const previous = node.pods.get(pod.uid);
    node.add(pod);
    if (previous !== undefined) this.#controllerCounts.change(previous.controller, node, -1);
    this.#controllerCounts.change(pod.controller, node, 1);
    if (node.withAffinity.size > 0) this.withAffinity.add(node);
  }

  #removeHomeless(nodeName: string, uid: string): void {
    const pods = this.#homeless.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#homeless.delete(nodeName);
  }
}
