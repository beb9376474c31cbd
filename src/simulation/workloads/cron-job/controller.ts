// Makes jobs when their time has come, follows them to their end, and deletes the oldest of those that have ended.

import { isConflict, isNotFound } from '../../../client/client.ts';
import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder, type Occurrence } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { CronJob } from '../../../groups/batch/v1/cron-job-type.ts';
import type { Job } from '../../../groups/batch/v1/job-type.ts';
import { partKey } from '../../../meta/dialect.ts';
import { formatTime } from '../../../meta/time.ts';
import { cacheOf, type ObjectCache } from '../../object-cache.ts';
import { jobKind } from '../job/job-pods.ts';
import {
  collectionPath,
  controllerReference,
  isControlledBy,
  type OwnerKind,
  pathOfOwner,
  watchDependents,
  watchOwners,
} from '../ownership.ts';
import { isNamespaceTerminating, reasonOf } from '../pod-control.ts';
import { untilReported, writeStatus } from '../status.ts';
import { dueTime, jobName, untilNext } from './reconcile.ts';
import { formatIn, parseSchedule, type Schedule } from './schedule.ts';

const cronJobKind: OwnerKind = { apiVersion: 'batch/v1', kind: 'CronJob', group: 'batch', plural: 'cronjobs' };

interface Parts {
  readonly context: ControllerContext;
  readonly events: EventRecorder;
  readonly cronJobs: ObjectCache<CronJob>;
  readonly jobs: ObjectCache<Job>;
}

export function cronJobController(context: ControllerContext): Controller {
  const parts: Parts = {
    context,
    events: new EventRecorder(context, 'cronjob-controller'),
    cronJobs: cacheOf<CronJob>(context, cronJobKind.group, cronJobKind.plural),
    jobs: cacheOf<Job>(context, jobKind.group, jobKind.plural),
  };
  const { cronJobs, jobs } = parts;
  const work = (key: string): Promise<WorkOutcome> => {
    const cronJob = cronJobs.get(key);
    return cronJob === undefined ? Promise.resolve('done') : new CronJobSync(parts, cronJob).run();
  };
  const queue = context.queue({ name: 'cronjob', workers: 5, work: (key) => untilReported(work(key)) });
  watchOwners(queue, cronJobs);
  watchDependents({ queue, owners: cronJobs, kind: cronJobKind.kind, dependents: jobs });
  return { close: () => queue.close() };
}

type Status = NonNullable<CronJob['status']>;
type Active = NonNullable<Status['active']>[number];

class CronJobSync {
  readonly #parts: Parts;
  readonly #cronJob: CronJob;
  readonly #jobs: readonly Job[];
  #status: Status;

  constructor(parts: Parts, cronJob: CronJob) {
    this.#parts = parts;
    this.#cronJob = cronJob;
    this.#status = cronJob.status ?? {};
    this.#jobs = [...parts.jobs.controlledBy(cronJob.metadata.uid ?? '')];
  }

  async run(): Promise<WorkOutcome> {
    const { context, cronJobs } = this.#parts;
    await this.#followJobs();
    const { suspend = false } = this.#cronJob.spec ?? {};
    const isIdle = this.#cronJob.metadata.deletionTimestamp !== undefined || suspend;
    const next = isIdle ? undefined : await this.#start();
    await this.#cleanUp();
    const path = pathOfOwner(cronJobKind, this.#cronJob);
    await writeStatus({ client: context.client, cache: cronJobs, path }, this.#cronJob, this.#status);
    return next ?? 'done';
  }

  get #now(): number {
    return this.#parts.context.clock.now();
  }

  get #active(): readonly Active[] {
    return this.#status.active ?? [];
  }

  #tell(type: Occurrence['type'], reason: string, message: string): Promise<void> {
    return this.#parts.events.tell(this.#cronJob, { type, reason, message });
  }

  #drop(uid: string | undefined): void {
    const left = this.#active.filter((one) => one.uid !== uid);
    const { active: _, ...status } = this.#status;
    this.#status = left.length === 0 ? status : { ...status, active: left };
  }

  /** Jobs that have ended or were deleted are no longer active. */
  async #followJobs(): Promise<void> {
    for (const job of this.#jobs) {
      const { uid, name } = job.metadata;
      const isListed = this.#active.some((one) => one.uid === uid);
      const ended = endOf(job);
      if (ended === undefined) {
        if (!isListed)
          await this.#tell(
            'Warning',
            'UnexpectedJob',
            `Saw a job that the controller did not create or forgot: ${name}`,
          );
        continue;
      }
      if (isListed) {
        this.#drop(uid);
        await this.#tell('Normal', 'SawCompletedJob', `Saw completed job: ${name}, condition: ${ended}`);
      }
      this.#noteSuccess(job, ended);
    }
    for (const { uid, name } of this.#active) {
      if (this.#jobs.some(({ metadata }) => metadata.uid === uid)) continue;
      this.#drop(uid);
      await this.#tell('Normal', 'MissingJob', `Active job went missing: ${name}`);
    }
  }

  #noteSuccess({ status }: Job, ended: string): void {
    const { completionTime } = status ?? {};
    const { lastSuccessfulTime = '' } = this.#status;
    if (ended === 'Complete' && completionTime !== undefined && completionTime > lastSuccessfulTime)
      this.#status = { ...this.#status, lastSuccessfulTime: completionTime };
  }

  /** Milliseconds until the next time. */
  async #start(): Promise<number | undefined> {
    const { schedule: text = '', timeZone, startingDeadlineSeconds } = this.#cronJob.spec ?? {};
    const schedule = parseSchedule(text, timeZone);
    const { due, missed } = dueTime(this.#cronJob, schedule, { now: this.#now, withDeadline: true });
    if (missed === 'many')
      await this.#tell(
        'Warning',
        'TooManyMissedTimes',
        'too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew',
      );
    const isLate = (time: number) =>
      startingDeadlineSeconds !== undefined && time + startingDeadlineSeconds * 1000 < this.#now;
    if (due !== undefined && isLate(due))
      await this.#tell('Warning', 'MissSchedule', `Missed scheduled time to start a job: ${formatLongTime(due)}`);
    else if (due !== undefined && !this.#isUsed(due)) await this.#startAt(due);
    return this.#untilNext(schedule);
  }

  #untilNext(schedule: Schedule): number | undefined {
    return untilNext({ ...this.#cronJob, status: this.#status }, schedule, this.#now);
  }

  #isUsed(time: number): boolean {
    const name = jobName(this.#cronJob, time);
    return this.#active.some((one) => one.name === name) || this.#status.lastScheduleTime === formatTime(time);
  }

  async #startAt(time: number): Promise<void> {
    const { concurrencyPolicy } = this.#cronJob.spec ?? {};
    if (concurrencyPolicy === 'Forbid' && this.#active.length > 0) {
      await this.#tell(
        'Normal',
        'JobAlreadyActive',
        'Not starting job because prior execution is running and concurrency policy is Forbid',
      );
      return;
    }
    if (concurrencyPolicy === 'Replace') for (const { name = '', uid } of this.#active) await this.#delete(name, uid);
    const job = await this.#create(time);
    if (job === undefined) return;
    const { name, namespace, uid, resourceVersion } = job.metadata;
    const reference = { kind: 'Job', namespace, name, uid, apiVersion: 'batch/v1', resourceVersion } as Active;
    this.#status = { ...this.#status, active: [...this.#active, reference], lastScheduleTime: formatTime(time) };
  }

  async #create(time: number): Promise<Job | undefined> {
    const { context, jobs } = this.#parts;
    const { jobTemplate = {}, timeZone } = this.#cronJob.spec ?? {};
    const { labels = {}, annotations = {} } = jobTemplate.metadata ?? {};
    const { namespace = '' } = this.#cronJob.metadata;
    const job = {
      kind: jobKind.kind,
      apiVersion: jobKind.apiVersion,
      metadata: {
        name: jobName(this.#cronJob, time),
        namespace,
        labels,
        annotations: {
          ...annotations,
          [partKey(context.dialect, 'batch', 'cronjob-scheduled-timestamp')]: formatIn(time, timeZone),
        },
        ownerReferences: [controllerReference(cronJobKind, this.#cronJob)],
      },
      spec: jobTemplate.spec,
    };
    try {
      const created = await context.client.create(collectionPath(jobKind.apiVersion, namespace, jobKind.plural), job);
      jobs.put(created);
      await this.#tell('Normal', 'SuccessfulCreate', `Created job ${job.metadata.name}`);
      return created as Job;
    } catch (error) {
      if (isConflict(error)) return this.#existing(job as Job);
      if (!isNamespaceTerminating(error))
        await this.#tell('Warning', 'FailedCreate', `Error creating job: ${reasonOf(error)}`);
      throw error;
    }
  }

  /** The job of this time was made before, and the status does not say so yet. */
  async #existing(job: Job): Promise<Job | undefined> {
    const existing = await this.#parts.context.client.find<Job>(pathOfOwner(jobKind, job));
    return existing !== undefined && isControlledBy(existing, this.#cronJob) ? existing : undefined;
  }

  async #delete(name: string, uid: string | undefined): Promise<void> {
    const { namespace = '' } = this.#cronJob.metadata;
    const path = `${collectionPath(jobKind.apiVersion, namespace, jobKind.plural)}/${name}`;
    try {
      await this.#parts.context.client.delete(path, { propagationPolicy: 'Background' });
    } catch (error) {
      if (!isNotFound(error)) {
        await this.#tell('Warning', 'FailedDelete', `Deleted job: ${reasonOf(error)}`);
        throw error;
      }
    }
    this.#drop(uid);
    await this.#tell('Normal', 'SuccessfulDelete', `Deleted job ${name}`);
  }

  /** Of jobs that have ended, only the last few are kept. */
  async #cleanUp(): Promise<void> {
    const { successfulJobsHistoryLimit, failedJobsHistoryLimit } = this.#cronJob.spec ?? {};
    await this.#keepLast('Complete', successfulJobsHistoryLimit);
    await this.#keepLast('Failed', failedJobsHistoryLimit);
  }

  async #keepLast(end: string, limit: number | undefined): Promise<void> {
    if (limit === undefined) return;
    const ended = this.#jobs.filter((job) => endOf(job) === end && job.metadata.deletionTimestamp === undefined);
    const excess = [...ended].sort(byStart).slice(0, Math.max(ended.length - limit, 0));
    for (const { metadata } of excess) await this.#delete(metadata.name ?? '', metadata.uid);
  }
}

/** `Complete` or `Failed`; undefined for a job that has not ended. */
function endOf({ status }: Job): string | undefined {
  const ended = status?.conditions?.find(
    ({ type, status: holds }) => (type === 'Complete' || type === 'Failed') && holds === 'True',
  );
  return ended?.type;
}

/** Jobs that were never started come last. */
function byStart({ metadata: a, status: first }: Job, { metadata: b, status: second }: Job): number {
  const [startA = '~', startB = '~'] = [first?.startTime, second?.startTime];
  if (startA !== startB) return startA < startB ? -1 : 1;
  return (a.name ?? '') < (b.name ?? '') ? -1 : 1;
}

/** `Tue, 01 Jan 2030 00:00:00 +0000`. */
const formatLongTime = (time: number): string => new Date(time).toUTCString().replace('GMT', '+0000');
