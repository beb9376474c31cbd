// Which pods of lower priority have to leave so that a pod can be placed.

import { type PlacementView, type Refusal, replacing } from './choose-node.ts';
import { filterFor, type Rejection } from './filters.ts';
import type { NodeEntry } from './node-entry.ts';
import type { Attempt } from './pending-pod.ts';
import type { PodEntry } from './pod-entry.ts';

/** A disruption budget with the number of allowed disruptions. */
export interface DisruptionBudget {
  covers(pod: PodEntry): boolean;
  readonly allowed: number;
}

export interface Preemption {
  readonly node: string;
  /** The most important first. */
  readonly victims: readonly PodEntry[];
}

export interface NoPreemption {
  /** As users see it behind the reasons for which nodes were rejected. */
  readonly reason: string;
}

interface Candidate extends Preemption {
  readonly violations: number;
}

/** So many nodes are enough to choose from, or a tenth of all if that is more. */
const enoughCandidates = 100;

export function findVictims(
  attempt: Attempt,
  view: PlacementView,
  { rejections }: Refusal,
  budgets: readonly DisruptionBudget[],
): Preemption | NoPreemption {
  const ineligible = problemOf(attempt, view, rejections);
  if (ineligible !== undefined) return { reason: ineligible };
  const hopeful = view.nodes.filter(({ name }) => rejections.get(name)?.isFinal === false);
  const enough = Math.max(enoughCandidates, Math.floor(hopeful.length / 10));
  const candidates: Candidate[] = [];
  const failures = new Map<string, Rejection>();
  for (const node of hopeful) {
    const outcome = victimsOn(node, attempt, view, budgets);
    if ('victims' in outcome) candidates.push(outcome);
    else failures.set(node.name, outcome);
    if (candidates.length >= enough) break;
  }
  const [first, ...others] = candidates;
  if (first === undefined) return { reason: explain(view.nodes, failures) };
  return others.reduce((best, one) => (compareCandidates(one, best) < 0 ? one : best), first);
}

function problemOf({ pod }: Attempt, view: PlacementView, rejections: Refusal['rejections']): string | undefined {
  if (!pod.mayPreempt) return 'not eligible due to preemptionPolicy=Never.';
  const nominated = view.node(pod.nominatedNode);
  if (nominated === undefined || rejections.get(nominated.name)?.isFinal === true) return undefined;
  const isLeaving = [...nominated.pods.values()].some(
    ({ isEnding, priority }) => isEnding && priority < pod.entry.priority,
  );
  return isLeaving ? 'not eligible due to a terminating pod on the nominated node.' : undefined;
}

const noVictims: Rejection = { reasons: ['No preemption victims found for incoming pod'], isFinal: true };

/** Removes all that may go, then lets as many as possible stay, the most important first. */
function victimsOn(
  node: NodeEntry,
  attempt: Attempt,
  view: PlacementView,
  budgets: readonly DisruptionBudget[],
): Candidate | Rejection {
  const { entry } = attempt.pod;
  const lower = [...node.pods.values()].filter(({ priority }) => priority < entry.priority).sort(byImportance);
  if (lower.length === 0) return noVictims;
  const trial = node.copy();
  for (const { uid } of lower) trial.remove(uid);
  const rejectionNow = () => filterFor(attempt, replacing(view, trial))(trial);
  const rejection = rejectionNow();
  if (rejection !== undefined) return rejection;
  const { violating, harmless } = splitByBudgets(lower, budgets);
  const mustGo = (pod: PodEntry) => {
    trial.add(pod);
    const fits = rejectionNow() === undefined;
    if (!fits) trial.remove(pod.uid);
    return !fits;
  };
  const violated = violating.filter(mustGo);
  const victims = [...violated, ...harmless.filter(mustGo)].sort(byImportance);
  return { node: node.name, victims, violations: violated.length };
}

/** Higher priority first, then the pod that runs longer. */
const byImportance = (a: PodEntry, b: PodEntry): number => b.priority - a.priority || a.startedAt - b.startedAt;

function splitByBudgets(pods: readonly PodEntry[], budgets: readonly DisruptionBudget[]) {
  const left = budgets.map(({ allowed }) => allowed);
  const violating: PodEntry[] = [];
  const harmless: PodEntry[] = [];
  for (const pod of pods) {
    let isViolation = false;
    for (const [index, budget] of budgets.entries()) {
      if (!budget.covers(pod)) continue;
      (left[index] as number)--;
      isViolation ||= (left[index] as number) < 0;
    }
    (isViolation ? violating : harmless).push(pod);
  }
  return { violating, harmless };
}

const sumOf = (victims: readonly PodEntry[]) => victims.reduce((sum, { priority }) => sum + priority + 2 ** 31, 0);

/** When the longest running of the most important victims was started; the later, the better. */
function startOf(victims: readonly PodEntry[]): number {
  const highest = victims[0]?.priority ?? 0;
  return Math.min(...victims.filter(({ priority }) => priority === highest).map(({ startedAt }) => startedAt));
}

/** Negative where `a` does less harm. */
function compareCandidates(a: Candidate, b: Candidate): number {
  return (
    a.violations - b.violations ||
    (a.victims[0]?.priority ?? 0) - (b.victims[0]?.priority ?? 0) ||
    sumOf(a.victims) - sumOf(b.victims) ||
    a.victims.length - b.victims.length ||
    startOf(b.victims) - startOf(a.victims)
  );
}

const notHelpful = 'Preemption is not helpful for scheduling';

function explain(nodes: readonly NodeEntry[], failures: ReadonlyMap<string, Rejection>): string {
  const others = nodes.length - failures.size;
  const reasons = [...failures.values()].map((failure) => failure.reasons);
  return unavailable(nodes.length, [...reasons, ...Array<readonly string[]>(others).fill([notHelpful])]);
}

/** The sentence of kube-scheduler for unavailable nodes: reasons with the number of nodes. */
export function unavailable(total: number, reasons: readonly (readonly string[])[]): string {
  const counts = new Map<string, number>();
  for (const reason of reasons.flat()) counts.set(reason, (counts.get(reason) ?? 0) + 1);
  const texts = [...counts].map(([reason, count]) => `${count} ${reason}`).sort((a, b) => (a < b ? -1 : 1));
  return `0/${total} nodes are available:${texts.length === 0 ? '' : ` ${texts.join(', ')}.`}`;
}
