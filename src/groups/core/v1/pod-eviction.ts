// Evicting a pod: a delete that the disruption budgets covering the pod may refuse.

import type { ApiObject, ObjectRef } from '../../../meta/object.ts';
import { badRequest, disruptionRefused, forbidden, notFound, plainError, success } from '../../../meta/status.ts';
import { formatTime } from '../../../meta/time.ts';
import { checkPreconditions } from '../../../meta/write-errors.ts';
import type { Action, ActionCall } from '../../../schema/action.ts';
import type { ResourceOf } from '../../../schema/object-access.ts';
import type { Infer } from '../../../schema/types.ts';
import { selects } from '../../meta/v1/label-selector.ts';
import { type DeleteOptions, status as statusType } from '../../meta/v1/types.ts';
import type { eviction } from '../../policy/v1/eviction.ts';
import type { PodDisruptionBudget } from '../../policy/v1/pod-disruption-budget.ts';
import { statusOnly } from '../../subresources.ts';
import type { Pod } from './pod.ts';
import { isReady, podStatusPart, withCondition } from './pod-status.ts';

type Eviction = ApiObject & Infer<typeof eviction>;

const pods: ResourceOf<Pod> = { group: '', version: 'v1', resource: 'pods' };
const budgets: ResourceOf<PodDisruptionBudget> = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
/** More pods on their way out than this, and the disruption controller does not keep up. */
const maxUnconfirmed = 2000;

export const evictPod: Action<Eviction> = {
  answer: statusType,
  async run(input, call) {
    const { metadata, deleteOptions } = input;
    if ((metadata.name ?? '') !== call.ref.name) throw badRequest('name in URL does not match name in Eviction object');
    const options = (deleteOptions ?? {}) as DeleteOptions;
    const dryRun = call.dryRun || (options.dryRun?.includes('All') ?? false);
    const pod = await call.objects.get(pods, call.ref);
    if (pod === undefined) throw notFound({ ...pods, name: call.ref.name });
    checkPreconditions({ group: '', resource: 'Pod' }, pod, options);
    if (!isDone(pod)) await spend(pod, call, dryRun);
    await remove(pod, call, options, dryRun);
    return { ...success(201) };
  },
};

/** Pods that do not run, or go already, are no disruption. */
function isDone({ metadata, status }: Pod): boolean {
  const phase = status?.phase ?? '';
  return metadata.deletionTimestamp !== undefined || ['Pending', 'Succeeded', 'Failed'].includes(phase);
}

/** Takes one disruption from the budget that covers the pod, if there is one. */
async function spend(pod: Pod, { objects, ref, clock }: ActionCall, dryRun: boolean): Promise<void> {
  const all = await objects.list(budgets, ref.namespace);
  const covering = all.filter(({ spec }) => spec?.selector && selects(spec.selector, pod.metadata.labels));
  const [budget] = covering;
  if (budget === undefined) return;
  if (covering.length > 1) {
    throw plainError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  if (!isReady(pod) && allowsUnhealthy(budget)) return;
  const budgetRef: ObjectRef = { namespace: ref.namespace, name: budget.metadata.name ?? '' };
  const now = formatTime(clock.now());
  await objects.update(budgets, budgetRef, (current) => spent(current, ref.name, now), { dryRun, part: statusOnly });
}

/** Pods that are not ready count for nothing, unless the budget needs every one of them to recover. */
function allowsUnhealthy({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

function spent(budget: PodDisruptionBudget, podName: string, now: string): ApiObject {
  const { status = {}, metadata } = budget;
  const name = metadata.name ?? '';
  const { disruptionsAllowed: allowed = 0, disruptedPods = {}, observedGeneration = 0 } = status;
  if (observedGeneration < (metadata.generation ?? 0))
    throw disruptionRefused(`The disruption budget ${name} is still being processed by the server.`, 10);
  if (allowed < 0) throw forbidden({ ...budgets, name }, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > maxUnconfirmed) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden({ ...budgets, name }, why);
  }
  if (allowed === 0) throw disruptionRefused(neededBy(budget));
  const left = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: { ...disruptedPods, [podName]: now } };
  return { ...budget, status: allowed === 1 ? withoutAllowance(left, metadata.generation ?? 0, now) : left };
}

/** Why a budget that has nothing left has nothing left. */
function neededBy({ metadata, status = {} }: PodDisruptionBudget): string {
  const { desiredHealthy = 0, currentHealthy = 0, conditions = [] } = status;
  const denied = conditions.find((one) => one.type === 'DisruptionAllowed' && one.status === 'False' && one.message);
  const refusal = `The disruption budget ${metadata.name} does not allow evicting pods currently`;
  if (denied?.reason === 'SyncFailed') return `${refusal} because it failed sync: ${denied.message}`;
  if (currentHealthy > desiredHealthy)
    return denied === undefined ? refusal : `${refusal} (${denied.reason}): ${denied.message}`;
  return `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

/** The condition that says whether another pod may go. */
function withoutAllowance(
  status: NonNullable<PodDisruptionBudget['status']>,
  observedGeneration: number,
  now: string,
): PodDisruptionBudget['status'] {
  const { conditions = [] } = status;
  const type = 'DisruptionAllowed';
  const denied = {
    type,
    status: 'False',
    observedGeneration,
    lastTransitionTime: now,
    reason: 'InsufficientPods',
    message: '',
  };
  return { ...status, conditions: [...conditions.filter((one) => one.type !== type), denied] };
}

/** Says on the pod why it goes, then deletes exactly that pod. */
async function remove(pod: Pod, { objects, ref, clock }: ActionCall, options: DeleteOptions, dryRun: boolean) {
  const now = formatTime(clock.now());
  const told = dryRun
    ? pod
    : await objects.update(pods, ref, (current) => doomed(current, now), { part: podStatusPart });
  const { uid, resourceVersion } = told.metadata;
  const preconditions = {
    ...(uid ? { uid } : {}),
    ...options.preconditions,
    ...(dryRun || !resourceVersion ? {} : { resourceVersion }),
  };
  await objects.delete(pods, ref, {
    ...options,
    preconditions,
    ...(dryRun ? { dryRun: ['All'] } : {}),
  } as unknown as ApiObject);
}

function doomed(pod: Pod, now: string): ApiObject {
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return { ...pod, status: withCondition(pod.status ?? {}, condition, now) };
}
