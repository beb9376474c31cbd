// Waits for what a controller does: turn after turn of the event loop, without touching any clock.

import { expect } from 'vitest';

const patienceMs = 15_000;

/** Runs the expectations until they hold. */
export async function eventually<T>(check: () => Promise<T>): Promise<T> {
  const end = performance.now() + patienceMs;
  for (;;) {
    try {
      return await check();
    } catch (error) {
      if (performance.now() > end) throw error;
      await turns();
    }
  }
}

/** Long enough for everything that is under way and needs no clock to come to rest. */
export async function turns(count = 50): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Waits until nothing is found at a path. */
export function gone(api: { get(path: string): Promise<{ readonly status: number }> }, path: string): Promise<void> {
  return eventually(async () => expect((await api.get(path)).status).toBe(404));
}
