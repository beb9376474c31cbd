// Evicting a pod: a delete that the disruption budgets covering the pod may refuse.

import { invalidValue } from '../../../../meta/field-errors.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import {
  ApiError,
  badRequest,
  disruptionRefused,
  forbidden,
  invalid,
  notFound,
  plainError,
  success,
} from '../../../../meta/status.ts';
import { formatTime } from '../../../../meta/time.ts';
import { checkPreconditions } from '../../../../meta/write-errors.ts';
import type { Action, ActionCall } from '../../../../schema/action.ts';
import type { ResourceOf } from '../../../../schema/object-access.ts';
import type { Infer } from '../../../../schema/types.ts';
import { selects } from '../../../meta/v1/label-selector.ts';
import { type DeleteOptions, status as statusType } from '../../../meta/v1/types.ts';
import { disruptionAllowed, verdictOf, withDisruptionAllowed } from '../../../policy/v1/disruption-allowed.ts';
import type { eviction } from '../../../policy/v1/eviction.ts';
import type { PodDisruptionBudget } from '../../../policy/v1/pod-disruption-budget.ts';
import { isReady, podStatusPart, withCondition } from './pod-status.ts';
import type { Pod } from './pod-type.ts';

type Eviction = ApiObject & Infer<typeof eviction>;

const pods: ResourceOf<Pod> = { group: '', version: 'v1', resource: 'pods' };
const budgets: ResourceOf<PodDisruptionBudget> = { group: 'policy', version: 'v1', resource: 'poddisruptionbudgets' };
/** More pods on their way out than this, and the disruption controller does not keep up. */
const maxUnconfirmed = 2000;
/** How often a lost race is tried again. */
const maxAttempts = 100;

const ignoreReadError = 'ignoreStoreReadErrorWithClusterBreakingPotential';

export const evictPod: Action<Eviction> = {
  answer: statusType,
  async prepare(input, call) {
    const { name = '' } = input.metadata;
    if (name !== call.ref.name) throw badRequest('name in URL does not match name in Eviction object');
    const options = optionsOf(input);
    if (options[ignoreReadError]) {
      const why = 'can not be set for pod eviction, try after removing the option';
      const error = invalidValue(`deleteOptions.${ignoreReadError}`, true, why);
      throw invalid({ group: budgets.group, kind: 'Eviction', name }, [error]);
    }
    return withDryRun(input, options, call);
  },
  async run(input, call) {
    const options = { ...optionsOf(input), ...(call.dryRun && { dryRun: ['All'] }) };
    // compat: any word for a dry run is one, until the deletion itself looks at it
    const dryRun = call.dryRun || (options.dryRun ?? []).length > 0;
    await evict(call, { options, dryRun });
    return { ...success(201) };
  },
};

const optionsOf = ({ deleteOptions }: Eviction) => (deleteOptions ?? {}) as DeleteOptions;

/** What the parameter of the request says is said by the options too, where there are any. */
function withDryRun(input: Eviction, { dryRun = [] }: DeleteOptions, call: ActionCall): Eviction {
  if (!call.dryRun || !input.deleteOptions) return input;
  if (dryRun.length > 0 && dryRun.join(' ') !== 'All')
    throw plainError(`Non-matching dry-run options in request and content: [All] and [${dryRun.join(' ')}]`);
  return { ...input, deleteOptions: { ...input.deleteOptions, dryRun: ['All'] } };
}

interface Wish {
  readonly options: DeleteOptions;
  readonly dryRun: boolean;
}

async function evict(call: ActionCall, wish: Wish): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const pod = await call.objects.get(pods, call.ref);
    if (pod === undefined) throw notFound({ ...pods, name: call.ref.name });
    if (!isDone(pod)) return evictRunning(pod, call, wish);
    const names = wish.options.preconditions?.resourceVersion !== undefined;
    const exactly = !isPending(pod) || names ? wish : atVersionOf(pod, wish);
    try {
      return await remove(call, exactly);
    } catch (error) {
      // the pod has changed since: it may run by now
      if (exactly === wish || !isConflict(error) || attempt === maxAttempts) throw error;
      if ((await call.objects.get(pods, call.ref))?.metadata.resourceVersion === pod.metadata.resourceVersion)
        throw error;
    }
  }
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.reason === 'Conflict';

/** The same for no other state of the pod. */
function atVersionOf({ metadata }: Pod, { options, dryRun }: Wish): Wish {
  const preconditions = { ...options.preconditions, resourceVersion: metadata.resourceVersion ?? '' };
  return { options: { ...options, preconditions }, dryRun };
}

/** Pods that do not run, or go already, are no disruption. */
const isDone = (pod: Pod): boolean =>
  isPending(pod) ||
  pod.metadata.deletionTimestamp !== undefined ||
  ['Succeeded', 'Failed'].includes(pod.status?.phase ?? '');

const isPending = ({ metadata, status }: Pod): boolean =>
  metadata.deletionTimestamp === undefined && status?.phase === 'Pending';

async function evictRunning(pod: Pod, call: ActionCall, wish: Wish): Promise<void> {
  const budget = await coveringBudget(pod, call);
  if (budget === undefined) return remove(call, wish);
  if (isReady(pod) || !allowsUnhealthy(budget)) {
    await spend(budget, call, wish.dryRun);
    return remove(call, wish);
  }
  try {
    // a pod that has become ready counts
    await remove(call, atVersionOf(pod, wish));
  } catch (error) {
    if (!isConflict(error) || wish.options.preconditions?.resourceVersion !== undefined) throw error;
    throw stillProcessed(budget);
  }
}

async function coveringBudget(pod: Pod, { objects, ref }: ActionCall): Promise<PodDisruptionBudget | undefined> {
  const all = await objects.list(budgets, ref.namespace);
  const covering = all.filter(({ spec }) => spec?.selector && selects(spec.selector, pod.metadata.labels));
  if (covering.length > 1) {
    throw plainError(
      'This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.',
    );
  }
  return covering[0];
}

/** Pods that are not ready count for nothing, unless the budget needs every one of them to recover. */
function allowsUnhealthy({ spec, status }: PodDisruptionBudget): boolean {
  if (spec?.unhealthyPodEvictionPolicy === 'AlwaysAllow') return true;
  const { currentHealthy = 0, desiredHealthy = 0 } = status ?? {};
  return desiredHealthy > 0 && currentHealthy >= desiredHealthy;
}

/** Takes one disruption from the budget; tried again on the newer budget when another writer was faster. */
async function spend(budget: PodDisruptionBudget, call: ActionCall, dryRun: boolean): Promise<void> {
  const { objects, ref, clock } = call;
  const { name = '' } = budget.metadata;
  let current = budget;
  for (let attempt = 1; ; attempt++) {
    const next = spent(current, ref.name, clock.now());
    if (dryRun) return;
    try {
      return await objects.requests.replacePart(budgets, 'status', next);
    } catch (error) {
      if (!isConflict(error) || attempt === maxAttempts) throw error;
      const newer = await objects.get(budgets, { namespace: ref.namespace, name });
      if (newer === undefined) throw notFound({ ...budgets, name });
      current = newer;
    }
  }
}

const stillProcessed = ({ metadata }: PodDisruptionBudget) =>
  disruptionRefused(`The disruption budget ${metadata.name} is still being processed by the server.`, 10);

function spent(budget: PodDisruptionBudget, podName: string, now: number): ApiObject {
  const { status = {}, metadata } = budget;
  const { disruptionsAllowed: allowed = 0, disruptedPods = {}, observedGeneration = 0 } = status;
  if (observedGeneration < (metadata.generation ?? 0)) throw stillProcessed(budget);
  // compat: the kind stands where other errors name the resource
  const subject = { group: budgets.group, resource: 'poddisruptionbudget', name: metadata.name ?? '' };
  if (allowed < 0) throw forbidden(subject, 'pdb disruptions allowed is negative');
  if (Object.keys(disruptedPods).length > maxUnconfirmed) {
    const why = 'DisruptedPods map too big - too many evictions not confirmed by PDB controller';
    throw forbidden(subject, why);
  }
  if (allowed === 0) throw disruptionRefused(neededBy(budget));
  const going = { ...disruptedPods, [podName]: formatTime(now) };
  const left = { ...status, disruptionsAllowed: allowed - 1, disruptedPods: going };
  return { ...budget, status: allowed === 1 ? withDisruptionAllowed(left, verdictOf(left), now) : left };
}

/** Why a budget that has nothing left has nothing left. */
function neededBy({ metadata, status = {} }: PodDisruptionBudget): string {
  const { desiredHealthy = 0, currentHealthy = 0, conditions = [] } = status;
  const condition = conditions.find(({ type }) => type === disruptionAllowed);
  const denied = condition?.status === 'False' && condition.message ? condition : undefined;
  const refusal = `The disruption budget ${metadata.name} does not allow evicting pods currently`;
  if (denied?.reason === 'SyncFailed') return `${refusal} because it failed sync: ${denied.message}`;
  if (currentHealthy > desiredHealthy)
    return denied === undefined ? refusal : `${refusal} (${denied.reason}): ${denied.message}`;
  return `The disruption budget ${metadata.name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
}

/** Says on the pod why it goes, then deletes it. */
async function remove(call: ActionCall, { options, dryRun }: Wish): Promise<void> {
  const { objects, ref } = call;
  const { preconditions } = options;
  if (dryRun) return objects.delete(pods, ref, options as unknown as ApiObject);
  const told = await objects.update(pods, ref, (current) => doomed(current, preconditions, call), {
    part: podStatusPart,
  });
  // the version that was wanted is older than what was just written
  const { resourceVersion = '' } = told.metadata;
  const left = preconditions?.resourceVersion === undefined ? preconditions : { ...preconditions, resourceVersion };
  await objects.delete(pods, ref, { ...options, ...(left && { preconditions: left }) } as unknown as ApiObject);
}

function doomed(pod: Pod, preconditions: DeleteOptions['preconditions'], { clock }: ActionCall): ApiObject {
  // compat: an empty precondition is none here; the deletion itself takes it as it is
  const { uid, resourceVersion } = preconditions ?? {};
  const given = { ...(uid ? { uid } : {}), ...(resourceVersion ? { resourceVersion } : {}) };
  checkPreconditions({ group: '', resource: 'Pod' }, pod, { preconditions: given });
  const condition = {
    type: 'DisruptionTarget',
    status: 'True',
    reason: 'EvictionByEvictionAPI',
    message: 'Eviction API: evicting',
  };
  return { ...pod, status: withCondition(pod.status ?? {}, condition, formatTime(clock.now())) };
}
