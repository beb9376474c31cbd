// How long a job waits before it replaces pods that failed: longer with each failure since the last success.

import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { finishedAt } from './job-pods.ts';

export interface Failures {
  readonly count: number;
  /** Milliseconds since the epoch. */
  readonly last: number;
}

const firstPauseMs = 10_000;
const longestPauseMs = 10 * 60_000;

export const noFailures: Failures = { count: 0, last: 0 };

/** With pods that ended since the last look. */
export function failuresAfter(before: Failures, succeeded: readonly Pod[], failed: readonly Pod[]): Failures {
  const failures = failed.map(finishedAt);
  if (succeeded.length === 0)
    return failures.length === 0 ? before : { count: before.count + failures.length, last: Math.max(...failures) };
  const success = Math.max(...succeeded.map(finishedAt));
  const later = failures.filter((time) => time > success);
  return later.length === 0 ? noFailures : { count: later.length, last: Math.max(...later) };
}

/** Milliseconds that are left of the pause. */
export function remainingPause({ count, last }: Failures, now: number): number {
  if (count === 0) return 0;
  const pause = Math.min(firstPauseMs * 2 ** (count - 1), longestPauseMs);
  return Math.max(last + pause - now, 0);
}
