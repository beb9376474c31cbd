// Which time of a cron job is due, and when to look again.

import type { CronJob } from '../../../groups/batch/v1/cron-job-type.ts';
import type { Schedule } from './schedule.ts';

interface DueTime {
  /** The last scheduled time without a job; undefined if there is none. */
  readonly due: number | undefined;
  /** From where on times were looked for. */
  readonly earliest: number;
  readonly missed: 'none' | 'few' | 'many';
}

/** So many missed times are worth a warning. */
const manyTimes = 100;
/** A look comes a little later than its time, as clocks differ. */
const delayMs = 100;

/** With the deadline, times that are too old to be used are left out. */
export function dueTime(
  cronJob: CronJob,
  schedule: Schedule,
  { now, withDeadline }: { now: number; withDeadline: boolean },
): DueTime {
  const { spec, status, metadata } = cronJob;
  const { startingDeadlineSeconds } = spec ?? {};
  const since = Date.parse(status?.lastScheduleTime ?? metadata.creationTimestamp ?? '');
  const deadline = withDeadline && startingDeadlineSeconds !== undefined ? now - startingDeadlineSeconds * 1000 : since;
  const earliest = Math.max(since, deadline);
  const first = schedule.next(earliest);
  const second = first === undefined ? undefined : schedule.next(first);
  if (first === undefined || first > now) return { due: undefined, earliest, missed: 'none' };
  if (second === undefined || second > now) return { due: first, earliest, missed: 'none' };
  const interval = second - first;
  const count = Math.floor((now - first) / interval) + 1;
  let due: number | undefined;
  let time = schedule.next(first + (count - 2) * interval);
  for (; time !== undefined && time <= now; time = schedule.next(time)) due = time;
  return { due, earliest, missed: count > manyTimes ? 'many' : 'few' };
}

/** Milliseconds until the next time; undefined for a schedule that never comes. */
export function untilNext(cronJob: CronJob, schedule: Schedule, now: number): number | undefined {
  const { due, earliest, missed } = dueTime(cronJob, schedule, { now, withDeadline: false });
  const next = schedule.next(due ?? (missed === 'none' ? earliest : now));
  return next === undefined ? undefined : Math.max(next + delayMs - now, delayMs);
}

/** One job for each minute. */
export const jobName = ({ metadata }: CronJob, time: number): string => `${metadata.name}-${Math.floor(time / 60_000)}`;
