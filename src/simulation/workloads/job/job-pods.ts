// Pods as a job sees them: their index, whether they have ended, when, and whether they are counted yet.

import type { Job } from '../../../groups/batch/v1/job-type.ts';
import type { PodTemplateSpec } from '../../../groups/core/v1/pod/pod-spec.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { type Dialect, partKey } from '../../../meta/dialect.ts';
import type { ObjectMeta } from '../../../meta/object.ts';
import type { OwnerKind } from '../ownership.ts';
import { type NewPod, podFromTemplate } from '../pod-control.ts';

export const jobKind: OwnerKind = { apiVersion: 'batch/v1', kind: 'Job', group: 'batch', plural: 'jobs' };

export type JobStatus = NonNullable<Job['status']>;
export type JobCondition = NonNullable<JobStatus['conditions']>[number];

/** Pods have it until the job has counted them. */
export const trackingFinalizer = (dialect: Dialect): string => partKey(dialect, 'batch', 'job-tracking');
const indexKey = (dialect: Dialect): string => partKey(dialect, 'batch', 'job-completion-index');
const failureCountKey = (dialect: Dialect): string => partKey(dialect, 'batch', 'job-index-failure-count');

export const isIndexed = ({ spec }: Job): boolean => spec?.completionMode === 'Indexed';
export const isSuspended = ({ spec }: Job): boolean => spec?.suspend === true;
export const waitsForFailed = ({ spec }: Job): boolean => spec?.podReplacementPolicy === 'Failed';

export const isTracked = ({ metadata }: Pod, dialect: Dialect): boolean =>
  metadata.finalizers?.includes(trackingFinalizer(dialect)) ?? false;

/** Undefined for a pod without an index that the job has. */
export function indexOf(job: Job, { metadata }: Pod, dialect: Dialect): number | undefined {
  const text = metadata.annotations?.[indexKey(dialect)] ?? '';
  const index = /^\d{1,10}$/.test(text) ? Number(text) : undefined;
  return index !== undefined && index < (job.spec?.completions ?? 0) ? index : undefined;
}

/** A pod that is deleted before it ends has failed, unless only pods that have ended are replaced. */
export function isFailed(job: Job, { metadata, status }: Pod): boolean {
  if (status?.phase === 'Failed') return true;
  if (waitsForFailed(job)) return false;
  return metadata.deletionTimestamp !== undefined && status?.phase !== 'Succeeded';
}

/** Failures of the index of a pod, with that of the pod itself. */
export function failuresWith({ metadata }: Pod, dialect: Dialect): number {
  const before = Number(metadata.annotations?.[failureCountKey(dialect)] ?? 0);
  return (Number.isInteger(before) ? before : 0) + 1;
}

/** When the containers of a pod ended, in milliseconds since the epoch, as far as known. */
export function finishedAt({ metadata, spec, status }: Pod): number {
  const sidecars = new Set(
    (spec?.initContainers ?? []).filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name),
  );
  const ran = [
    ...(status?.containerStatuses ?? []),
    ...(status?.initContainerStatuses ?? []).filter(({ name }) => sidecars.has(name)),
  ];
  const ends = ran.map(({ state }) => Date.parse(state?.terminated?.finishedAt ?? ''));
  if (ends.length > 0 && ends.every((end) => !Number.isNaN(end))) return Math.max(...ends);
  const notReady = status?.conditions?.find((one) => one.type === 'Ready' && one.status === 'False');
  if (notReady?.lastTransitionTime !== undefined) return Date.parse(notReady.lastTransitionTime);
  const { deletionTimestamp, deletionGracePeriodSeconds = 0, creationTimestamp = '' } = metadata;
  if (deletionTimestamp !== undefined) return Date.parse(deletionTimestamp) - deletionGracePeriodSeconds * 1000;
  return Date.parse(creationTimestamp);
}

interface IndexedPod {
  readonly index: number;
  /** How often the index has failed, where that is limited. */
  readonly failures: number | undefined;
}

/** The pod that a job makes, for an index where it has indexes. */
export function newJobPod(job: Job, dialect: Dialect, indexed?: IndexedPod): NewPod {
  const template = job.spec?.template ?? {};
  const pod = podFromTemplate(template, jobKind, job);
  const { finalizers = [] } = pod.metadata;
  const finalizer = trackingFinalizer(dialect);
  const tracked = { ...pod.metadata, finalizers: [...finalizers.filter((one) => one !== finalizer), finalizer] };
  if (indexed === undefined) return { ...pod, metadata: tracked };
  const { index, failures } = indexed;
  const key = indexKey(dialect);
  return {
    metadata: {
      ...tracked,
      generateName: indexedPrefix(job.metadata, index),
      labels: { ...tracked.labels, [key]: String(index) },
      annotations: {
        ...tracked.annotations,
        [key]: String(index),
        ...(failures === undefined ? {} : { [failureCountKey(dialect)]: String(failures) }),
      },
    },
    spec: { ...withIndexVariable(template, key), hostname: `${job.metadata.name}-${index}` },
  };
}

const maxPrefixLength = 58;

function indexedPrefix({ name = '' }: ObjectMeta, index: number): string {
  const end = `-${index}-`;
  return `${name.slice(0, maxPrefixLength - end.length)}${end}`;
}

function withIndexVariable({ spec = {} }: PodTemplateSpec, key: string): NonNullable<PodTemplateSpec['spec']> {
  const name = 'JOB_COMPLETION_INDEX';
  const variable = { name, valueFrom: { fieldRef: { fieldPath: `metadata.labels['${key}']` } } };
  const extended = (containers: NonNullable<typeof spec.containers>) =>
    containers.map((container) => {
      const { env = [] } = container;
      return env.some((one) => one.name === name) ? container : { ...container, env: [...env, variable] };
    });
  return {
    ...spec,
    containers: extended(spec.containers ?? []),
    ...(spec.initContainers === undefined ? {} : { initContainers: extended(spec.initContainers) }),
  };
}
