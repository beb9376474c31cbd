// Waits for what a controller does: turn after turn of the event loop, without touching any clock that a test has.

import { expect } from 'vitest';

const patienceMs = 30_000;

/** Runs the expectations until they hold. */
export async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const end = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt++) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await (attempt < eagerAttempts ? turns() : pause());
    }
  }
}

/** What takes longer than this waits for a thread, a disk or a real clock, which need the processor more than we do. */
const eagerAttempts = 20;
const pause = () => new Promise((resolve) => setTimeout(resolve, 5));

/** Long enough for everything that is under way and needs no clock to come to rest. */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until nothing is found at a path. */
export function gone(api: { get(path: string): Promise<{ readonly status: number }> }, path: string): Promise<void> {
  return eventually(async () => expect((await api.get(path)).status).toBe(404));
}
