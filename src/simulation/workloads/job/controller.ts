// Watches jobs and their pods, and releases pods whose job has ended or was deleted.

import { isNotFound } from '../../../client/client.ts';
import type { Controller, ControllerContext } from '../../../controllers/controller.ts';
import { EventRecorder } from '../../../controllers/event-recorder.ts';
import type { WorkOutcome } from '../../../controllers/work-queue.ts';
import type { Job } from '../../../groups/batch/v1/job-type.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { selects } from '../../../groups/meta/v1/label-selector.ts';
import { labelKey } from '../../../meta/dialect.ts';
import { cacheOf } from '../../object-cache.ts';
import { claim, controllerOf, planClaims, watchDependents, watchOwners } from '../ownership.ts';
import { PodControl, podsPath } from '../pod-control.ts';
import { untilReported } from '../status.ts';
import { isOver } from './conditions.ts';
import { isTracked, jobKind, trackingFinalizer } from './job-pods.ts';
import { type JobParts, JobSync } from './job-sync.ts';

export function jobController(context: ControllerContext): Controller {
  const pods = cacheOf<Pod>(context, '', 'pods');
  const events = new EventRecorder(context, 'job-controller');
  const parts: JobParts = {
    ...{ context, events, pods, failures: new Map() },
    jobs: cacheOf<Job>(context, jobKind.group, jobKind.plural),
    control: new PodControl({ context, events, pods }),
  };
  const { jobs } = parts;
  const queue = context.queue({ name: 'job', workers: 5, work: (key) => untilReported(work(parts, key)) });
  const orphans = context.queue({
    name: 'job_orphan_pod',
    work: (key) => untilReported(releaseOrphan(parts, key)),
  });
  watchOwners(queue, jobs);
  watchDependents({
    ...{ queue, owners: jobs, dependents: pods, kind: jobKind.kind },
    selects: ({ spec }, labels) => spec?.selector !== undefined && selects(spec.selector, labels),
  });
  const checkOrphan = (pod: Pod) => {
    if (isTracked(pod, context.dialect) && !hasLivingJob(parts, pod))
      orphans.add(`${pod.metadata.namespace}/${pod.metadata.name}`);
  };
  const checkAll = () => {
    for (const pod of pods.all()) checkOrphan(pod);
  };
  pods.subscribe({ onChange: (current) => current && checkOrphan(current), onSynced: checkAll });
  jobs.subscribe({
    onChange(current, previous) {
      const job = current ?? previous;
      if (current !== undefined && !isOver(current.status ?? {})) return;
      for (const pod of pods.controlledBy(job?.metadata.uid ?? '')) checkOrphan(pod);
      if (current === undefined) parts.failures.delete(job?.metadata.uid ?? '');
    },
    onSynced: checkAll,
  });
  return {
    async close() {
      await Promise.all([queue.close(), orphans.close()]);
    },
  };
}

async function work(parts: JobParts, key: string): Promise<WorkOutcome> {
  const { context, jobs, pods } = parts;
  const job = jobs.get(key);
  if (job === undefined || isOver(job.status ?? {}) || isManagedElsewhere(parts, job)) return 'done';
  const { uid = '', namespace = '' } = job.metadata;
  const plan = planClaims(job, (labels) => selects(job.spec?.selector ?? {}, labels), [
    ...pods.controlledBy(uid),
    ...pods.orphansIn(namespace),
  ]);
  const claimed = await claim(
    {
      ...{ client: context.client, ownerKind: jobKind, collection: podsPath(namespace) },
      finalizer: trackingFinalizer(context.dialect),
    },
    job,
    plan,
  );
  return new JobSync(parts, job, claimed).run();
}

/** Another controller runs the job. */
function isManagedElsewhere({ context }: JobParts, { spec }: Job): boolean {
  const own = labelKey(context.dialect, 'job-controller');
  return spec?.managedBy !== undefined && spec.managedBy !== own;
}

/** A job that is there, and counts its pods yet. */
function hasLivingJob(parts: JobParts, pod: Pod): boolean {
  const owner = controllerOf(pod);
  if (owner === undefined) return false;
  if (owner.kind !== jobKind.kind || owner.apiVersion !== jobKind.apiVersion) return true;
  const job = parts.jobs.get(`${pod.metadata.namespace}/${owner.name}`);
  if (job === undefined || job.metadata.uid !== owner.uid) return false;
  return isManagedElsewhere(parts, job) || !isOver(job.status ?? {});
}

async function releaseOrphan(parts: JobParts, key: string): Promise<WorkOutcome> {
  const { context, pods } = parts;
  const pod = pods.get(key);
  if (pod === undefined || !isTracked(pod, context.dialect) || hasLivingJob(parts, pod)) return 'done';
  const finalizer = trackingFinalizer(context.dialect);
  const { name, namespace, uid, finalizers = [] } = pod.metadata;
  const left = finalizers.filter((one) => one !== finalizer);
  try {
    await context.client.merge(`${podsPath(namespace)}/${name}`, { metadata: { uid, finalizers: left } });
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  return 'done';
}
