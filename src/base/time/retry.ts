// Trying again: a few times, with pauses that grow, while that may help and the caller still wants it.

import type { Clock } from './clock.ts';

const attempts = 5;
const growth = 1.5;
/** Pauses differ by this much, so that those who failed together do not come back together. */
const spread = 0.2;

interface RetryOptions {
  readonly clock: Clock;
  readonly firstPauseMs: number;
  /** Ends everything: no attempt begins after it. */
  readonly signal: AbortSignal;
  /** Whether another attempt may end differently. */
  mayPass(error: unknown): boolean;
}

/** What the first attempt that succeeds gives; otherwise fails as the last one did. */
export async function retry<T>(attempt: () => Promise<T>, how: RetryOptions): Promise<T> {
  for (let count = 1, pauseMs = how.firstPauseMs; ; count++, pauseMs *= growth) {
    try {
      return await attempt();
    } catch (error) {
      if (count === attempts || !how.mayPass(error)) throw error;
      await pause(how, pauseMs * (1 + Math.random() * spread));
      if (how.signal.aborted) throw error;
    }
  }
}

/** Over at once when it is called off. */
function pause({ clock, signal }: RetryOptions, ms: number): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = () => {
      timer.cancel();
      signal.removeEventListener('abort', stop);
      resolve();
    };
    const timer = clock.after(ms, stop);
    signal.addEventListener('abort', stop);
  });
}
