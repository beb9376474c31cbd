// Which nodes can take a pod. Each filter gives reasons in the words of kube-scheduler, which users search for.

import { type AffinityCounts, type ClusterView, countAffinity, matchesAll } from './affinity-counts.ts';
import type { NodeEntry } from './node-entry.ts';
import type { Attempt } from './pending-pod.ts';
import type { HostPort } from './pod-entry.ts';
import { countDomains, type SpreadConstraint } from './spread-constraints.ts';
import { isTolerated, toleratesPlacement } from './taints.ts';

/** Why a node cannot take a pod. */
export interface Rejection {
  readonly reasons: readonly string[];
  /** Whether the removal of other pods could not change it. */
  readonly isFinal: boolean;
}

/** Counts over all nodes, made before the nodes are filtered one by one. */
interface Counts {
  readonly affinity: AffinityCounts;
  readonly spread: readonly CountedConstraint[];
}

interface CountedConstraint {
  readonly constraint: SpreadConstraint;
  readonly domains: ReadonlyMap<string, number>;
  readonly least: number;
}

export type NodeFilter = (node: NodeEntry) => Rejection | undefined;

/** A filter for all nodes of a view; it is to be made again when pods are placed or removed. */
export function filterFor(attempt: Attempt, view: ClusterView): NodeFilter {
  const { pod } = attempt;
  const required = pod.spread.filter(({ isRequired }) => isRequired);
  const domains = countDomains(view.nodes, pod, required);
  const counts: Counts = {
    affinity: countAffinity(pod.entry, view),
    spread: required.map((constraint, index) => countedConstraint(constraint, domains[index] as Map<string, number>)),
  };
  return (node) =>
    unschedulable(attempt, node, view) ??
    taints(attempt, node) ??
    nodeAffinity(attempt, node) ??
    ports(attempt, node) ??
    resources(attempt, node) ??
    attempt.volumes.problemOf(node.facts) ??
    spread(attempt, node, counts) ??
    podAffinity(attempt, node, counts, view);
}

function countedConstraint(constraint: SpreadConstraint, domains: ReadonlyMap<string, number>): CountedConstraint {
  const least = domains.size < constraint.minDomains || domains.size === 0 ? 0 : Math.min(...domains.values());
  return { constraint, domains, least };
}

const never = (reason: string): Rejection => ({ reasons: [reason], isFinal: true });
const notNow = (reason: string): Rejection => ({ reasons: [reason], isFinal: false });

function unschedulable({ pod }: Attempt, { facts }: NodeEntry, { keys }: ClusterView): Rejection | undefined {
  const taint = { key: keys.unschedulable, effect: 'NoSchedule' };
  if (!facts.isUnschedulable || isTolerated(taint, pod.tolerations)) return undefined;
  return never('node(s) were unschedulable');
}

function taints({ pod }: Attempt, { facts }: NodeEntry): Rejection | undefined {
  return toleratesPlacement(facts.taints, pod.tolerations) ? undefined : never('node(s) had untolerated taint(s)');
}

function nodeAffinity({ pod }: Attempt, { facts }: NodeEntry): Rejection | undefined {
  return pod.wishes.accepts(facts) ? undefined : never("node(s) didn't match Pod's node affinity/selector");
}

function ports({ pod }: Attempt, node: NodeEntry): Rejection | undefined {
  const { hostPorts } = pod.entry;
  if (hostPorts.length === 0) return undefined;
  for (const other of node.pods.values())
    if (other.hostPorts.some((used) => hostPorts.some((one) => areSame(one, used))))
      return notNow("node(s) didn't have free ports for the requested pod ports");
  return undefined;
}

const everywhere = '0.0.0.0';

const areSame = (a: HostPort, b: HostPort): boolean =>
  a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === everywhere || b.ip === everywhere);

function resources({ pod }: Attempt, { facts, requested, pods }: NodeEntry): Rejection | undefined {
  const reasons: string[] = [];
  let isFinal = false;
  if (pods.size + 1 > (facts.allocatable.get('pods') ?? 0)) reasons.push('Too many pods');
  for (const [name, amount] of pod.entry.requests) {
    const capacity = facts.allocatable.get(name) ?? 0;
    if (amount === 0 || amount <= capacity - (requested.get(name) ?? 0)) continue;
    reasons.push(`Insufficient ${name}`);
    isFinal ||= amount > capacity;
  }
  return reasons.length === 0 ? undefined : { reasons, isFinal };
}

const spreadReason = "node(s) didn't match pod topology spread constraints";

function spread({ pod }: Attempt, { facts }: NodeEntry, counts: Counts): Rejection | undefined {
  for (const { constraint, domains, least } of counts.spread) {
    const value = facts.labels[constraint.topologyKey];
    if (value === undefined) return never(`${spreadReason} (missing required label)`);
    const own = constraint.selects(pod.entry.labels) ? 1 : 0;
    if ((domains.get(value) ?? 0) + own - least > constraint.maxSkew) return notNow(spreadReason);
  }
  return undefined;
}

function podAffinity(
  { pod }: Attempt,
  node: NodeEntry,
  { affinity }: Counts,
  view: ClusterView,
): Rejection | undefined {
  const { required = [], requiredAnti = [] } = pod.entry.affinity ?? {};
  const { wanted, avoided, avoiding } = affinity;
  const hasLabels = required.every(({ topologyKey }) => node.facts.labels[topologyKey] !== undefined);
  const isNear = hasLabels && required.every(({ topologyKey }) => wanted.at(node, topologyKey) > 0);
  // the first of pods with affinity to themselves may go anywhere
  const isFirst = hasLabels && wanted.isEmpty && matchesAll(required, pod.entry, view);
  if (!isNear && !isFirst) return never("node(s) didn't match pod affinity rules");
  if (requiredAnti.some(({ topologyKey }) => avoided.at(node, topologyKey) > 0))
    return notNow("node(s) didn't match pod anti-affinity rules");
  return avoiding.sum(node) > 0 ? notNow("node(s) didn't satisfy existing pods anti-affinity rules") : undefined;
}
