// A node as the scheduler sees it: its capacity, its pods, and their requests.

import type { Node } from '../../groups/core/v1/node/node-type.ts';
import type { Labels } from '../../meta/object.ts';
import { type Amounts, amountsIn, type PodEntry } from './pod-entry.ts';

export interface Taint {
  readonly key?: string;
  readonly value?: string;
  readonly effect?: string;
}

/** The part of a node that placement depends on. */
export interface NodeFacts {
  readonly name: string;
  readonly labels: Labels;
  readonly taints: readonly Taint[];
  readonly isUnschedulable: boolean;
  readonly allocatable: Amounts;
}

export function nodeFactsOf({ metadata, spec = {}, status = {} }: Node): NodeFacts {
  return {
    name: metadata.name ?? '',
    labels: metadata.labels ?? {},
    taints: spec.taints ?? [],
    isUnschedulable: spec.unschedulable === true,
    allocatable: amountsIn(status.allocatable ?? status.capacity),
  };
}

export class NodeEntry {
  facts: NodeFacts;
  readonly pods = new Map<string, PodEntry>();
  /** Pods that state affinity to other pods. */
  readonly withAffinity = new Map<string, PodEntry>();
  readonly requested = new Map<string, number>();
  readonly assumed = new Map<string, number>();
  /** Number of pods by the uid of their controller. */
  readonly byController = new Map<string, number>();

  constructor(facts: NodeFacts) {
    this.facts = facts;
  }

  get name(): string {
    return this.facts.name;
  }

  add(pod: PodEntry): void {
    this.remove(pod.uid);
    this.pods.set(pod.uid, pod);
    if (pod.affinity !== undefined) this.withAffinity.set(pod.uid, pod);
    this.#count(pod, 1);
  }

  remove(uid: string): PodEntry | undefined {
    const pod = this.pods.get(uid);
    if (pod === undefined) return undefined;
    this.pods.delete(uid);
    this.withAffinity.delete(uid);
    this.#count(pod, -1);
    return pod;
  }

  /** A copy that can be changed while the original stays. */
  copy(): NodeEntry {
    const copy = new NodeEntry(this.facts);
    for (const pod of this.pods.values()) copy.add(pod);
    return copy;
  }

  #count(pod: PodEntry, sign: 1 | -1): void {
    addAmounts(this.requested, pod.requests, sign);
    addAmounts(this.assumed, pod.assumed, sign);
    if (pod.controller === '') return;
    const count = (this.byController.get(pod.controller) ?? 0) + sign;
    if (count === 0) this.byController.delete(pod.controller);
    else this.byController.set(pod.controller, count);
  }
}

function addAmounts(sum: Map<string, number>, amounts: Amounts, sign: 1 | -1): void {
  for (const [name, amount] of amounts) sum.set(name, (sum.get(name) ?? 0) + sign * amount);
}
