// How many of the pods that a budget covers are healthy, how many have to be, and how many may go.

import { isDeepStrictEqual } from 'node:util';
import { isReady } from '../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../groups/core/v1/pod/pod-type.ts';
import { formatLabelSelector, type LabelSelector, selecting } from '../../groups/meta/v1/label-selector.ts';
import { verdictOf, withDisruptionAllowed } from '../../groups/policy/v1/disruption-allowed.ts';
import type { PodDisruptionBudget } from '../../groups/policy/v1/pod-disruption-budget.ts';
import type { ApiObject } from '../../meta/object.ts';
import type { ControllerContext } from '../controller.ts';
import type { EventRecorder, Occurrence } from '../event-recorder.ts';
import { pathOf } from '../object-feed.ts';
import type { WorkOutcome } from '../work-queue.ts';

type Status = NonNullable<PodDisruptionBudget['status']>;

/** A pod that was evicted and is still there after this time is not on its way out. */
const evictionMs = 2 * 60_000;

export async function reconcileBudget(
  context: ControllerContext,
  events: EventRecorder,
  path: string,
): Promise<WorkOutcome> {
  const budget = await context.client.find<PodDisruptionBudget>(path);
  if (budget === undefined) return 'done';
  const pods = await coveredPods(context, budget);
  const now = context.clock.now();
  const { disruptedPods, left, nextLook } = stillGoing(budget, pods, now);
  const { status, remark } = await statusOf(context, budget, () => count(context, budget, pods, disruptedPods));
  if (!isDeepStrictEqual(budget.status, status)) await context.client.replace(`${path}/status`, { ...budget, status });
  if (pods.length === 0) await events.tell(budget, noPods);
  if (remark !== undefined) await events.tell(budget, remark);
  for (const pod of left) await events.tell(pod, notDeleted(budget));
  return nextLook === undefined ? 'done' : nextLook - now;
}

const noPods: Occurrence = { type: 'Normal', reason: 'NoPods', message: 'No matching pods found' };

function notDeleted({ metadata }: PodDisruptionBudget): Occurrence {
  const message = `Pod was expected by PDB ${metadata.namespace}/${metadata.name} to be deleted but it wasn't`;
  return { type: 'Warning', reason: 'NotDeleted', message };
}

function unmanaged({ spec }: PodDisruptionBudget): Occurrence {
  const selector = formatLabelSelector(spec?.selector ?? {});
  const message =
    `Some of the pods that this budget selects (selector: ${selector}) have no controller, and do not count. ` +
    'To count them, give spec.minAvailable a whole number.';
  return { type: 'Warning', reason: 'UnmanagedPods', message };
}

function uncounted(why: string): Occurrence {
  const message = `Failed to calculate the number of expected pods: ${why}`;
  return { type: 'Warning', reason: 'CalculateExpectedPodCountFailed', message };
}

interface Verdict {
  readonly status: Status;
  /** What users should know about how it was counted. */
  readonly remark?: Occurrence | undefined;
}

/** A budget that cannot be counted allows nothing. */
async function statusOf(
  { clock }: ControllerContext,
  budget: PodDisruptionBudget,
  counted: () => Promise<Counted>,
): Promise<Verdict> {
  const { metadata, status = {} } = budget;
  try {
    const { counts, hasUnmanaged } = await counted();
    const { conditions = [] } = status;
    const next = { observedGeneration: metadata.generation ?? 0, ...counts, conditions };
    const remark = hasUnmanaged ? unmanaged(budget) : undefined;
    return { status: withDisruptionAllowed(next, verdictOf(next), clock.now()), remark };
  } catch (error) {
    if (!(error instanceof UnknownOwner)) throw error;
    const verdict = { isAllowed: false, reason: 'SyncFailed', message: error.message };
    const refused = withDisruptionAllowed({ ...status, disruptionsAllowed: 0 }, verdict, clock.now());
    return { status: refused, remark: uncounted(error.message) };
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

/** Pods that were evicted a short time ago and do not go yet, when to look again, and those that should have gone. */
function stillGoing({ status }: PodDisruptionBudget, pods: readonly Pod[], now: number) {
  const disruptedPods: Record<string, string> = {};
  const left: Pod[] = [];
  let nextLook: number | undefined;
  for (const pod of pods) {
    const { metadata } = pod;
    const since = status?.disruptedPods?.[metadata.name ?? ''];
    if (since === undefined || since === null || metadata.deletionTimestamp !== undefined) continue;
    const until = Date.parse(since) + evictionMs;
    if (until <= now) {
      left.push(pod);
      continue;
    }
    disruptedPods[metadata.name ?? ''] = since;
    nextLook = Math.min(nextLook ?? until, until);
  }
  return { disruptedPods, left, nextLook };
}

interface Counted {
  readonly counts: Pick<
    Status,
    'disruptedPods' | 'disruptionsAllowed' | 'currentHealthy' | 'desiredHealthy' | 'expectedPods'
  >;
  /** Whether pods have no controller where only controllers tell how many there should be. */
  readonly hasUnmanaged: boolean;
}

async function count(
  context: ControllerContext,
  budget: PodDisruptionBudget,
  pods: readonly Pod[],
  disruptedPods: Readonly<Record<string, string>>,
): Promise<Counted> {
  const isHealthy = (pod: Pod) =>
    pod.metadata.deletionTimestamp === undefined &&
    disruptedPods[pod.metadata.name ?? ''] === undefined &&
    isReady(pod);
  const currentHealthy = pods.filter(isHealthy).length;
  const { expectedPods, desiredHealthy, hasUnmanaged } = await wanted(context, budget, pods);
  // a budget without pods is on the safe side when its first ones appear
  const disruptionsAllowed = expectedPods > 0 ? Math.max(currentHealthy - desiredHealthy, 0) : 0;
  const going = Object.keys(disruptedPods).length > 0 ? { disruptedPods } : {};
  const counts = { ...going, disruptionsAllowed, currentHealthy, desiredHealthy, expectedPods } as Counted['counts'];
  return { counts, hasUnmanaged };
}

interface Wanted {
  readonly expectedPods: number;
  readonly desiredHealthy: number;
  readonly hasUnmanaged: boolean;
}

/** How many pods there should be, and how many of them have to be healthy. */
async function wanted(
  context: ControllerContext,
  { spec = {} }: PodDisruptionBudget,
  pods: readonly Pod[],
): Promise<Wanted> {
  const { minAvailable, maxUnavailable } = spec;
  const hasUnmanaged = pods.some((pod) => controllerOf(pod) === undefined);
  if (maxUnavailable !== undefined && maxUnavailable !== null) {
    const expectedPods = await expectedScale(context, pods);
    const desiredHealthy = Math.max(expectedPods - partOf(maxUnavailable, expectedPods), 0);
    return { expectedPods, desiredHealthy, hasUnmanaged };
  }
  if (typeof minAvailable === 'number')
    return { expectedPods: pods.length, desiredHealthy: minAvailable, hasUnmanaged: false };
  if (typeof minAvailable !== 'string') return { expectedPods: 0, desiredHealthy: 0, hasUnmanaged: false };
  const expectedPods = await expectedScale(context, pods);
  return { expectedPods, desiredHealthy: partOf(minAvailable, expectedPods), hasUnmanaged };
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
