// Waits until something is so: looks again whenever the store has changed, and from time to time.

import { checkGiven, number } from './given-options.ts';

export interface EventuallyOptions {
  /** How long to wait in real time; 5000 when not given. */
  readonly timeoutMs?: number;
  /** How long after a look the next one comes though nothing was stored; 50 when not given. */
  readonly intervalMs?: number;
}

const waitTypes = { timeoutMs: number, intervalMs: number } satisfies Record<keyof EventuallyOptions, unknown>;

interface Changes {
  /** Resolves at the next change, or after this time. */
  next(ms: number): Promise<void>;
  close(): void;
}

/** Returns the result of `check` once it neither throws nor returns false. */
export async function eventually<T>(
  check: () => T | Promise<T>,
  changes: Changes,
  options: EventuallyOptions,
): Promise<Exclude<T, false>> {
  checkGiven('options', options, waitTypes);
  const { timeoutMs = 5000, intervalMs = 50 } = options;
  const end = performance.now() + timeoutMs;
  try {
    for (;;) {
      const outcome = await tried(check);
      if (outcome.passed) return outcome.value as Exclude<T, false>;
      const left = end - performance.now();
      if (left <= 0) throw notInTime(timeoutMs, outcome.error);
      await changes.next(Math.min(intervalMs, left));
    }
  } finally {
    changes.close();
  }
}

type Outcome<T> = { readonly passed: true; readonly value: T } | { readonly passed: false; readonly error: unknown };

async function tried<T>(check: () => T | Promise<T>): Promise<Outcome<T>> {
  try {
    const value = await check();
    return value === false ? { passed: false, error: undefined } : { passed: true, value };
  } catch (error) {
    return { passed: false, error };
  }
}

function notInTime(timeoutMs: number, error: unknown): Error {
  const why = error === undefined ? 'it was still false' : error instanceof Error ? error.message : String(error);
  return new Error(`not within ${timeoutMs} ms: ${why}`, { cause: error });
}
