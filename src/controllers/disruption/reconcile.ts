// How many of the pods that a budget covers are healthy, how many have to be, and how many may go.

import { isDeepStrictEqual } from 'node:util';
import type { Pod } from '../../groups/core/v1/pod.ts';
import { isReady } from '../../groups/core/v1/pod-status.ts';
import { formatLabelSelector, type LabelSelector, selecting } from '../../groups/meta/v1/label-selector.ts';
import { verdictOf, withDisruptionAllowed } from '../../groups/policy/v1/disruption-allowed.ts';
import type { PodDisruptionBudget } from '../../groups/policy/v1/pod-disruption-budget.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ControllerContext } from '../controller.ts';
import { pathOf } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

/** A pod that was evicted and is still there after this time is not on its way out. */
const evictionMs = 2 * 60_000;

export async function reconcileBudget(context: ControllerContext, path: string): Promise<WorkOutcome> {
  const budget = await context.client.find<PodDisruptionBudget>(path);
  if (budget === undefined) return 'done';
  const pods = await coveredPods(context, budget);
  const now = context.clock.now();
  const { disruptedPods, nextLook } = stillGoing(budget, pods, now);
  const status = await statusOf(context, budget, () => count(context, budget, pods, disruptedPods));
  if (!isDeepStrictEqual(budget.status, status)) await context.client.replace(`${path}/status`, { ...budget, status });
  return nextLook === undefined ? 'done' : nextLook - now;
}

/** A budget that cannot be counted allows nothing. */
async function statusOf(
  { clock }: ControllerContext,
  budget: PodDisruptionBudget,
  counted: () => Promise<Counted>,
): Promise<Status> {
  const { metadata, status = {} } = budget;
  try {
    const counts = await counted();
    const { conditions = [] } = status;
    const next = { observedGeneration: metadata.generation ?? 0, ...counts, conditions };
    return withDisruptionAllowed(next, verdictOf(next), clock.now());
  } catch (error) {
    if (!(error instanceof UnknownOwner)) throw error;
    const verdict = { isAllowed: false, reason: 'SyncFailed', message: error.message };
    return withDisruptionAllowed({ ...status, disruptionsAllowed: 0 }, verdict, clock.now());
  }
}

async function coveredPods({ client }: ControllerContext, { metadata, spec }: PodDisruptionBudget) {
  const pods: Pod[] = [];
  const selector = spec?.selector;
  if (!selector) return pods;
  const isCovered = selecting(selector);
  for await (const { items } of client.pages(`/api/v1/namespaces/${metadata.namespace}/pods${preselection(selector)}`))
    for (const pod of items as Pod[]) if (isCovered(pod.metadata.labels)) pods.push(pod);
  return pods;
}

/** So much of a selector sorts out most pods, which then need not be read. */
const mostPreselected = 10;

const plainText = /^[\w./-]+$/;

/** The beginning of a selector as a query: what it does not select, the whole selector does not select either. */
function preselection({ matchLabels = {}, matchExpressions = [] }: LabelSelector): string {
  const labels = Object.keys(matchLabels)
    .slice(0, mostPreselected)
    .map((key) => ({ key, operator: 'In', values: [matchLabels[key] as string] }));
  const plain = [...labels, ...matchExpressions.slice(0, mostPreselected)].filter(
    ({ key = '', operator = '', values = [] }) =>
      plainText.test(key) && (operator === 'Exists' || (operator === 'In' && isFew(values) && values.every(isPlain))),
  );
  if (plain.length === 0) return '';
  return `?labelSelector=${encodeURIComponent(formatLabelSelector({ matchExpressions: plain }))}`;
}

const isFew = (values: readonly string[]) => values.length > 0 && values.length <= mostPreselected;
const isPlain = (text: string) => plainText.test(text);

/** Pods that were evicted a short time ago and do not go yet, and when to look again. */
function stillGoing({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number) {
  const disruptedPods: Record<string, string> = {};
  let nextLook: number | undefined;
  for (const { metadata } of pods) {
    const since = status?.disruptedPods?.[metadata.name ?? ''];
    if (since === undefined || since === null || metadata.deletionTimestamp !== undefined) continue;
    const until = Date.parse(since) + evictionMs;
    if (until <= now) continue;
    disruptedPods[metadata.name ?? ''] = since;
    nextLook = Math.min(nextLook ?? until, until);
  }
  return { disruptedPods, nextLook };
}

type Counted = Pick<
  Status,
  'disruptedPods' | 'disruptionsAllowed' | 'currentHealthy' | 'desiredHealthy' | 'expectedPods'
>;

async function count(
  context: ControllerContext,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  disruptedPods: Readonly<Record<string, string>>,
): Promise<Counted> {
  const counts = (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined &&
    disruptedPods[pod.metadata.name ?? ''] === undefined &&
    isReady(pod);
  const currentHealthy = pods.filter(counts).length;
  const { expectedPods, desiredHealthy } = await wanted(context, budget, pods);
  // a budget without pods is on the safe side when its first ones appear
  const disruptionsAllowed = expectedPods > 0 ? Math.max(currentHealthy - desiredHealthy, 0) : 0;
  const going = Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {};
  return { ...going, disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } as Counted;
}

/** How many pods there should be, and how many of them have to be healthy. */
async function wanted(context: ControllerContext, { spec = {} }: PodDisruptionBudget, pods: readonly Pod[]) {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined && maxUnavailable !== null) {
    const expectedPods = await expectedScale(context, pods);
    return { expectedPods, desiredHealthy: Math.max(expectedPods - partOf(maxUnavailable, expectedPods), 0) };
  }
  if (typeof minAvailable === 'number') return { expectedPods: pods.length, desiredHealthy: minAvailable };
  if (typeof minAvailable !== 'string') return { expectedPods: 0, desiredHealthy: 0 };
  const expectedPods = await expectedScale(context, pods);
  return { expectedPods, desiredHealthy: partOf(minAvailable, expectedPods) };
}

/** A share is rounded up. */
const partOf = (amount: number | string, all: number): number =>
  typeof amount === 'number' ? amount : Math.ceil((Number.parseInt(amount, 10) * all) / 100);

class UnknownOwner extends Error {}

/** The pods that the owners of these want; pods without an owner do not count. */
async function expectedScale(context: ControllerContext, pods: readonly Pod[]): Promise<number> {
  const scales = new Map<string, number>();
  const seen = new Set<string>();
  for (const pod of pods) {
    const owner = controllerOf(pod);
    if (owner === undefined || seen.has(owner.uid)) continue;
    seen.add(owner.uid);
    const found = await scaleOf(context, owner, pod.metadata.namespace ?? '');
    if (found === undefined)
      throw new UnknownOwner(`found no controllers for pod ${JSON.stringify(pod.metadata.name)}`);
    scales.set(found.uid, found.replicas);
  }
  return [...scales.values()].reduce((sum, replicas) => sum + replicas, 0);
}

type Owner = NonNullable<ApiObject['metadata']['ownerReferences']>[number];

const controllerOf = ({ metadata }: ApiObject): Owner | undefined =>
  metadata.ownerReferences?.find(({ controller }) => controller === true);

interface Scaled extends ApiObject {
  readonly spec?: { readonly replicas?: number };
}

/** What an owner wants, or the owner of that one: a Deployment moves its pods from one ReplicaSet to another. */
async function scaleOf(
  { client, kinds }: ControllerContext,
  { apiVersion, kind, name, uid }: Owner,
  namespace: string,
): Promise<{ readonly uid: string; readonly replicas: number } | undefined> {
  const resource = kinds.byKind(apiVersion, kind);
  if (resource === undefined) return undefined;
  const owner = await client.find<Scaled>(pathOf(resource, { namespace, name }));
  if (owner === undefined || owner.metadata.uid !== uid) return undefined;
  const above = controllerOf(owner);
  const higher = above && kinds.byKind(above.apiVersion, above.kind);
  if (above === undefined || higher === undefined) return { uid, replicas: owner.spec?.replicas ?? 0 };
  const top = await client.find<Scaled>(pathOf(higher, { namespace, name: above.name }));
  return top?.metadata.uid === above.uid ? { uid: above.uid, replicas: top.spec?.replicas ?? 0 } : undefined;
}
