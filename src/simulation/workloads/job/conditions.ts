// Conditions of jobs, and what makes a job end.

import { formatTime } from '../../../meta/time.ts';
import type { JobCondition, JobStatus } from './job-pods.ts';

type Conditions = NonNullable<JobStatus['conditions']>;

export interface Verdict {
  readonly type: 'Complete' | 'Failed';
  readonly reason: string;
  readonly message: string;
}

export function condition(
  type: string,
  status: string,
  { reason, message }: Omit<Verdict, 'type'>,
  now: number,
): JobCondition {
  const time = formatTime(now);
  return { type, status, lastProbeTime: time, lastTransitionTime: time, reason, message };
}

const holds = (conditions: Conditions | undefined, type: string): JobCondition | undefined =>
  conditions?.find((one) => one.type === type && one.status === 'True');

export const isOver = ({ conditions }: JobStatus): boolean =>
  holds(conditions, 'Complete') !== undefined || holds(conditions, 'Failed') !== undefined;

const interim = { Complete: 'SuccessCriteriaMet', Failed: 'FailureTarget' } as const;

/** What an earlier look has decided. */
export function earlierVerdict({ conditions }: JobStatus): Verdict | undefined {
  for (const type of ['Complete', 'Failed'] as const) {
    const met = holds(conditions, interim[type]);
    if (met !== undefined) return { type, reason: met.reason ?? '', message: met.message ?? '' };
  }
  return undefined;
}

/** Adds the interim condition for the coming end of the job, before its pods are counted. */
export function withInterim(conditions: Conditions = [], verdict: Verdict, now: number): Conditions {
  const type = interim[verdict.type];
  if (holds(conditions, type) !== undefined) return conditions;
  return [...conditions, condition(type, 'True', verdict, now)];
}

/** A condition that is not there is not added as False; undefined where nothing changes. */
export function withSuspended(conditions: Conditions = [], isSuspended: boolean, now: number): Conditions | undefined {
  const before = conditions.find(({ type }) => type === 'Suspended');
  const status = isSuspended ? 'True' : 'False';
  if ((before?.status ?? 'False') === status) return undefined;
  const explanation = isSuspended
    ? { reason: 'JobSuspended', message: 'Job suspended' }
    : { reason: 'JobResumed', message: 'Job resumed' };
  return [...conditions.filter((one) => one !== before), condition('Suspended', status, explanation, now)];
}
