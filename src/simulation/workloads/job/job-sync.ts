// One look at a job: counts pods that have ended, decides whether the job is over, and makes or deletes pods.

import { isNotFound } from '../../../client/client.ts';
import type { ControllerContext } from '../../../controllers/controller.ts';
import type { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { Job } from '../../../groups/batch/v1/job-type.ts';
import { isReady } from '../../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { formatTime } from '../../../meta/time.ts';
import type { ObjectCache } from '../../object-cache.ts';
import { pathOfOwner } from '../ownership.ts';
import { isNamespaceTerminating, type PodControl, podsPath, slowStart } from '../pod-control.ts';
import { compareForDeletion, isActive, isTerminating } from '../pods.ts';
import { isEqualStatus, unlessZero, writeStatus } from '../status.ts';
import { type Failures, failuresAfter, noFailures, remainingPause } from './backoff.ts';
import { condition, earlierVerdict, type Verdict, withInterim, withSuspended } from './conditions.ts';
import { formatIndexes, readIndexes } from './indexes.ts';
import {
  failuresWith,
  finishedAt,
  indexOf,
  isFailed,
  isIndexed,
  isSuspended,
  isTracked,
  type JobStatus,
  jobKind,
  newJobPod,
  trackingFinalizer,
  waitsForFailed,
} from './job-pods.ts';
import { failureVerdict, metSuccessRule } from './policies.ts';

export interface JobParts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly jobs: ObjectCache<Job>;
  readonly pods: ObjectCache<Pod>;
  readonly control: PodControl;
  /** Failures since the last success, by the uid of the job. */
  readonly failures: Map<string, Failures>;
}

/** At most so many pods are made or deleted, and counted, in one go. */
const burst = 500;

export class JobSync {
  readonly #parts: JobParts;
  #job: Job;
  #pods: readonly Pod[];
  /** Milliseconds until the next look. */
  #nextMs: number | undefined;

  constructor(parts: JobParts, job: Job, pods: readonly Pod[]) {
    this.#parts = parts;
    this.#job = job;
    this.#pods = pods;
  }

  async run(): Promise<WorkOutcome> {
    const now = this.#now;
    const { status = {} } = this.#job;
    if (status.startTime === undefined && !isSuspended(this.#job))
      this.#setStatus({ ...status, startTime: formatTime(now) });
    this.#observeFailures();
    const verdict = this.#verdict() ?? (await this.#manage());
    if (verdict !== undefined) await this.#deleteActive();
    await this.#count(verdict);
    return this.#nextMs ?? 'done';
  }

  get #now(): number {
    return this.#parts.context.clock.now();
  }

  get #status(): JobStatus {
    return this.#job.status ?? {};
  }

  #setStatus(status: JobStatus): void {
    this.#job = { ...this.#job, status };
  }

  get #active(): readonly Pod[] {
    return this.#pods.filter(isActive);
  }

  /** Pods that have ended, and are neither counted nor about to be. */
  #uncounted(isEnded: (pod: Pod) => boolean, listed: readonly string[] = []): readonly Pod[] {
    const { dialect } = this.#parts.context;
    return this.#pods.filter(
      (pod) =>
        isTracked(pod, dialect) &&
        !listed.includes(pod.metadata.uid ?? '') &&
        (!isIndexed(this.#job) || indexOf(this.#job, pod, dialect) !== undefined) &&
        isEnded(pod),
    );
  }

  get #newSucceeded(): readonly Pod[] {
    return this.#uncounted(
      ({ status }) => status?.phase === 'Succeeded',
      this.#status.uncountedTerminatedPods?.succeeded,
    );
  }

  get #newFailed(): readonly Pod[] {
    return this.#uncounted((pod) => isFailed(this.#job, pod), this.#status.uncountedTerminatedPods?.failed);
  }

  #observeFailures(): void {
    const { failures } = this.#parts;
    const uid = this.#job.metadata.uid ?? '';
    const next = failuresAfter(failures.get(uid) ?? noFailures, this.#newSucceeded, this.#newFailed);
    failures.set(uid, next);
  }

  #succeededIndexes(): Set<number> {
    const { dialect } = this.#parts.context;
    const indexes = readIndexes(this.#status.completedIndexes, this.#job.spec?.completions ?? 0);
    for (const pod of this.#newSucceeded) indexes.add(indexOf(this.#job, pod, dialect) as number);
    return indexes;
  }

  /** How often each index has failed. */
  #indexFailures(): ReadonlyMap<number, { readonly count: number; readonly last: number; readonly isFinal: boolean }> {
    const { dialect } = this.#parts.context;
    const result = new Map<number, { count: number; last: number; isFinal: boolean }>();
    for (const pod of this.#pods) {
      const index = isFailed(this.#job, pod) ? indexOf(this.#job, pod, dialect) : undefined;
      if (index === undefined) continue;
      const { action } = failureVerdict(this.#job, pod) ?? {};
      const before = result.get(index);
      const count = action === 'Ignore' ? failuresWith(pod, dialect) - 1 : failuresWith(pod, dialect);
      result.set(index, {
        count: Math.max(count, before?.count ?? 0),
        last: Math.max(finishedAt(pod), before?.last ?? 0),
        isFinal: action === 'FailIndex' || before?.isFinal === true,
      });
    }
    return result;
  }

  #failedIndexes(): Set<number> {
    const { completions = 0, backoffLimitPerIndex = 0 } = this.#job.spec ?? {};
    const indexes = readIndexes(this.#status.failedIndexes, completions);
    for (const [index, { count, isFinal }] of this.#indexFailures())
      if (isFinal || count > backoffLimitPerIndex) indexes.add(index);
    return indexes;
  }

  #succeededCount(): number {
    if (isIndexed(this.#job)) return this.#succeededIndexes().size;
    const { succeeded = 0, uncountedTerminatedPods } = this.#status;
    return succeeded + this.#newSucceeded.length + (uncountedTerminatedPods?.succeeded ?? []).length;
  }

  #failedCount(): number {
    const { failed = 0, uncountedTerminatedPods } = this.#status;
    const counted = this.#newFailed.filter((pod) => failureVerdict(this.#job, pod)?.action !== 'Ignore');
    return failed + counted.length + (uncountedTerminatedPods?.failed ?? []).length;
  }

  #verdict(): Verdict | undefined {
    const earlier = earlierVerdict(this.#status);
    if (earlier !== undefined) return earlier;
    return this.#policyFailure() ?? this.#limitFailure() ?? this.#indexVerdict();
  }

  #policyFailure(): Verdict | undefined {
    for (const pod of this.#pods) {
      const verdict = isFailed(this.#job, pod) ? failureVerdict(this.#job, pod) : undefined;
      if (verdict?.action === 'FailJob')
        return { type: 'Failed', reason: 'PodFailurePolicy', message: verdict.message };
    }
    return undefined;
  }

  #limitFailure(): Verdict | undefined {
    const { backoffLimit = 0, activeDeadlineSeconds } = this.#job.spec ?? {};
    if (this.#failedCount() > backoffLimit || this.#hasTooManyRestarts(backoffLimit))
      return {
        type: 'Failed',
        reason: 'BackoffLimitExceeded',
        message: 'Job has reached the specified backoff limit',
      };
    const { startTime } = this.#status;
    if (activeDeadlineSeconds === undefined || startTime === undefined || isSuspended(this.#job)) return undefined;
    const left = Date.parse(startTime) + activeDeadlineSeconds * 1000 - this.#now;
    if (left <= 0)
      return { type: 'Failed', reason: 'DeadlineExceeded', message: 'Job was active longer than specified deadline' };
    this.#lookAfter(left);
    return undefined;
  }

  /** Where containers are started again in their pod, each start counts. */
  #hasTooManyRestarts(backoffLimit: number): boolean {
    if (this.#job.spec?.template?.spec?.restartPolicy !== 'OnFailure') return false;
    const restarts = this.#pods
      .filter(({ status }) => status?.phase === 'Running' || status?.phase === 'Pending')
      .flatMap(({ status }) => [...(status?.initContainerStatuses ?? []), ...(status?.containerStatuses ?? [])])
      .reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);
    return backoffLimit === 0 ? restarts > 0 : restarts >= backoffLimit;
  }

  #indexVerdict(): Verdict | undefined {
    const { completions = 0, backoffLimitPerIndex, maxFailedIndexes } = this.#job.spec ?? {};
    if (!isIndexed(this.#job)) return undefined;
    const succeeded = this.#succeededIndexes();
    if (backoffLimitPerIndex !== undefined) {
      const failed = this.#failedIndexes().size;
      if (maxFailedIndexes !== undefined && failed > maxFailedIndexes)
        return {
          type: 'Failed',
          reason: 'MaxFailedIndexesExceeded',
          message: 'Job has exceeded the specified maximal number of failed indexes',
        };
      if (failed > 0 && failed + succeeded.size >= completions)
        return { type: 'Failed', reason: 'FailedIndexes', message: 'Job has failed indexes' };
    }
    const rule = metSuccessRule(this.#job, succeeded);
    return rule === undefined
      ? undefined
      : { type: 'Complete', reason: 'SuccessPolicy', message: `Matched rules at index ${rule}` };
  }

  #lookAfter(ms: number): void {
    this.#nextMs = Math.min(this.#nextMs ?? ms, ms);
  }

  /** Makes and deletes pods; a verdict where enough pods succeeded. */
  async #manage(): Promise<Verdict | undefined> {
    if (this.#job.metadata.deletionTimestamp === undefined) await this.#adjust();
    const { completions } = this.#job.spec ?? {};
    const succeeded = this.#succeededCount();
    const isReached = completions === undefined ? succeeded > 0 : succeeded >= completions;
    if (isReached && this.#active.length === 0)
      return {
        type: 'Complete',
        reason: 'CompletionsReached',
        message: 'Reached expected number of succeeded pods',
      };
    await this.#reportSuspension();
    return undefined;
  }

  async #reportSuspension(): Promise<void> {
    const conditions = withSuspended(this.#status.conditions, isSuspended(this.#job), this.#now);
    if (conditions === undefined) return;
    const { startTime: _, ...status } = this.#status;
    const began = isSuspended(this.#job) ? {} : { startTime: formatTime(this.#now) };
    this.#setStatus({ ...status, ...began, conditions });
    const [reason, message] = isSuspended(this.#job) ? ['Suspended', 'Job suspended'] : ['Resumed', 'Job resumed'];
    await this.#parts.events.tell(this.#job, { type: 'Normal', reason: reason as string, message: message as string });
  }

  async #adjust(): Promise<void> {
    const active = this.#active;
    const desiredActive = isSuspended(this.#job) ? 0 : this.#wantedActive();
    const excess = this.#excess(active, Math.max(active.length - desiredActive, 0)).slice(0, burst);
    if (excess.length > 0) {
      await Promise.all(excess.map((pod) => this.#dismiss(pod)));
      return;
    }
    const terminating = waitsForFailed(this.#job) ? this.#pods.filter(isTerminating).length : 0;
    const missing = Math.min(desiredActive - terminating - active.length, burst);
    if (missing > 0) await this.#create(missing);
  }

  #wantedActive(): number {
    const { completions, parallelism = 1 } = this.#job.spec ?? {};
    const succeeded = this.#succeededCount();
    if (completions === undefined) return succeeded > 0 ? this.#active.length : parallelism;
    return Math.max(Math.min(completions - succeeded, parallelism), 0);
  }

  /** Deletes one of two pods with one index, and those whose index is too high. */
  #excess(active: readonly Pod[], atLeast: number): readonly Pod[] {
    const { dialect, clock } = this.#parts.context;
    const order = { podsOnNode: new Map<string, number>(), costAnnotation: '', now: clock.now() };
    const sorted = [...active].sort((a, b) => compareForDeletion(a, b, order));
    if (!isIndexed(this.#job)) return sorted.slice(0, atLeast);
    const keptIndexes = new Set<number>();
    const duplicates = [...sorted].reverse().filter((pod) => {
      const index = indexOf(this.#job, pod, dialect);
      const isSpare = index === undefined || keptIndexes.has(index);
      if (index !== undefined) keptIndexes.add(index);
      return isSpare;
    });
    const others = sorted.filter((pod) => !duplicates.includes(pod));
    return [...duplicates, ...others.slice(0, Math.max(atLeast - duplicates.length, 0))];
  }

  /** A pod that is not needed counts neither as succeeded nor as failed. */
  async #dismiss(pod: Pod): Promise<void> {
    await this.#release(pod);
    await this.#parts.control.delete(this.#job, pod);
    this.#refresh();
  }

  async #release(pod: Pod): Promise<void> {
    const { context, pods } = this.#parts;
    const finalizer = trackingFinalizer(context.dialect);
    if (!isTracked(pod, context.dialect)) return;
    const finalizers = (pod.metadata.finalizers ?? []).filter((one) => one !== finalizer);
    const { name, namespace, uid } = pod.metadata;
    try {
      await context.client.merge(`${podsPath(namespace)}/${name}`, { metadata: { uid, finalizers } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
    pods.amend(pod, { finalizers });
  }

  /** Reads the pods again after writes. */
  #refresh(): void {
    const { pods } = this.#parts;
    this.#pods = this.#pods.flatMap((pod) => {
      const current = pods.get(`${pod.metadata.namespace}/${pod.metadata.name}`);
      return current?.metadata.uid === pod.metadata.uid ? [current as Pod] : [];
    });
  }

  async #create(missing: number): Promise<void> {
    const { context, control, failures } = this.#parts;
    const { backoffLimitPerIndex } = this.#job.spec ?? {};
    const pause = remainingPause(failures.get(this.#job.metadata.uid ?? '') ?? noFailures, this.#now);
    if (backoffLimitPerIndex === undefined && pause > 0) return this.#lookAfter(pause);
    const created: Pod[] = [];
    const add = async (pod: Parameters<PodControl['create']>[1]) => {
      created.push(await control.create(this.#job, pod));
    };
    try {
      if (isIndexed(this.#job)) {
        const indexes = this.#pendingIndexes(missing);
        const failuresByIndex = this.#indexFailures();
        await slowStart(indexes.length, (at) => {
          const index = indexes[at] as number;
          const count = backoffLimitPerIndex === undefined ? undefined : (failuresByIndex.get(index)?.count ?? 0);
          return add(newJobPod(this.#job, context.dialect, { index, failures: count }));
        });
      } else await slowStart(missing, () => add(newJobPod(this.#job, context.dialect)));
    } catch (error) {
      if (!isNamespaceTerminating(error)) this.#lookAfter(1000);
    }
    this.#pods = [...this.#pods, ...created];
  }

  /** Indexes without a pod, lowest first; with a limit per index those whose pause is over. */
  #pendingIndexes(count: number): readonly number[] {
    const { dialect } = this.#parts.context;
    const { completions = 0, backoffLimitPerIndex } = this.#job.spec ?? {};
    const isLimited = backoffLimitPerIndex !== undefined;
    const taken = this.#succeededIndexes();
    if (isLimited) for (const index of this.#failedIndexes()) taken.add(index);
    for (const pod of this.#pods) {
      const holds = isActive(pod) || (waitsForFailed(this.#job) && isTerminating(pod));
      const index = holds ? indexOf(this.#job, pod, dialect) : undefined;
      if (index !== undefined) taken.add(index);
    }
    const failures = isLimited ? this.#indexFailures() : new Map<number, Failures>();
    const pending: number[] = [];
    for (let index = 0; index < completions && pending.length < count; index++) {
      if (taken.has(index)) continue;
      const pause = remainingPause(failures.get(index) ?? noFailures, this.#now);
      if (pause > 0) this.#lookAfter(pause);
      else pending.push(index);
    }
    return pending;
  }

  async #deleteActive(): Promise<void> {
    await Promise.all(this.#active.map((pod) => this.#parts.control.delete(this.#job, pod)));
    this.#refresh();
  }

  /** Lists ended pods in the status, then lets them go, then counts them: none is counted twice or forgotten. */
  async #count(verdict: Verdict | undefined): Promise<void> {
    const { dialect } = this.#parts.context;
    const isOver = verdict !== undefined || this.#job.metadata.deletionTimestamp !== undefined;
    const leaving = this.#pods
      .filter((pod) => isTracked(pod, dialect))
      .filter((pod) => isOver || pod.status?.phase === 'Succeeded' || isFailed(this.#job, pod))
      .slice(0, burst);
    const listed = this.#listed(leaving, verdict);
    await this.#write(this.#withCounts({ ...listed, ...this.#withIndexes(leaving) }, verdict));
    await Promise.all(leaving.map((pod) => this.#release(pod)));
    this.#refresh();
    const { uncountedTerminatedPods: uncounted, succeeded = 0, failed = 0 } = this.#status;
    const counted = this.#withCounts(
      {
        ...this.#status,
        succeeded: unlessZero(succeeded + (uncounted?.succeeded ?? []).length),
        failed: unlessZero(failed + (uncounted?.failed ?? []).length),
        uncountedTerminatedPods: {},
      } as JobStatus,
      verdict,
    );
    await this.#finish(counted, verdict);
  }

  #listed(leaving: readonly Pod[], verdict: Verdict | undefined): JobStatus {
    const { uncountedTerminatedPods: before = {} } = this.#status;
    const succeeded = new Set(before.succeeded ?? []);
    const failed = new Set(before.failed ?? []);
    // a pod that is deleted because the job succeeded has not failed
    const hasFailed = (pod: Pod) =>
      verdict === undefined ? isFailed(this.#job, pod) : verdict.type === 'Failed' || pod.status?.phase === 'Failed';
    for (const pod of leaving) {
      const { uid = '' } = pod.metadata;
      const hasIndex = !isIndexed(this.#job) || indexOf(this.#job, pod, this.#parts.context.dialect) !== undefined;
      if (pod.status?.phase === 'Succeeded') {
        if (!isIndexed(this.#job)) succeeded.add(uid);
      } else if (hasIndex && hasFailed(pod)) {
        if (failureVerdict(this.#job, pod)?.action !== 'Ignore') failed.add(uid);
      }
    }
    const list = (name: string, uids: ReadonlySet<string>) => (uids.size === 0 ? {} : { [name]: [...uids] });
    return {
      ...this.#status,
      uncountedTerminatedPods: { ...list('succeeded', succeeded), ...list('failed', failed) },
    } as JobStatus;
  }

  #withIndexes(leaving: readonly Pod[]): Partial<JobStatus> {
    const { dialect } = this.#parts.context;
    const { completions = 0, backoffLimitPerIndex } = this.#job.spec ?? {};
    if (!isIndexed(this.#job)) return {};
    const indexes = readIndexes(this.#status.completedIndexes, completions);
    for (const pod of leaving) {
      const index = pod.status?.phase === 'Succeeded' ? indexOf(this.#job, pod, dialect) : undefined;
      if (index !== undefined) indexes.add(index);
    }
    const failed = backoffLimitPerIndex === undefined ? {} : { failedIndexes: formatIndexes(this.#failedIndexes()) };
    const completedIndexes = formatIndexes(indexes);
    return {
      ...(indexes.size === 0 ? {} : { succeeded: indexes.size, completedIndexes }),
      ...failed,
    };
  }

  #withCounts(status: JobStatus, verdict: Verdict | undefined): JobStatus {
    const active = this.#active;
    const conditions = verdict === undefined ? status.conditions : withInterim(status.conditions, verdict, this.#now);
    return {
      ...status,
      active: unlessZero(active.length),
      ready: active.filter(isReady).length,
      terminating: this.#pods.filter(isTerminating).length,
      conditions,
    } as JobStatus;
  }

  async #finish(status: JobStatus, verdict: Verdict | undefined): Promise<void> {
    const { dialect } = this.#parts.context;
    const isWaiting = (status.terminating ?? 0) > 0 || this.#pods.some((pod) => isTracked(pod, dialect));
    if (verdict === undefined || isWaiting) {
      await this.#write(status);
      return;
    }
    const last = condition(verdict.type, 'True', verdict, this.#now);
    const completionTime = verdict.type === 'Complete' ? { completionTime: last.lastTransitionTime } : {};
    await this.#write({
      ...status,
      ...completionTime,
      conditions: [...(status.conditions ?? []), last],
    } as JobStatus);
    this.#parts.failures.delete(this.#job.metadata.uid ?? '');
    const eventFields =
      verdict.type === 'Complete'
        ? ({ type: 'Normal', reason: 'Completed', message: 'Job completed' } as const)
        : ({ type: 'Warning', reason: verdict.reason, message: verdict.message } as const);
    await this.#parts.events.tell(this.#job, eventFields);
  }

  async #write(status: JobStatus): Promise<void> {
    const { context, jobs } = this.#parts;
    const before = jobs.get(`${this.#job.metadata.namespace}/${this.#job.metadata.name}`);
    if (before !== undefined && isEqualStatus(before.status, status)) {
      this.#job = { ...this.#job, status };
      return;
    }
    const path = pathOfOwner(jobKind, this.#job);
    this.#job = await writeStatus({ client: context.client, cache: jobs, path }, { ...this.#job, status: {} }, status);
  }
}
