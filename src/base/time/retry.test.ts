import { expect, test } from 'vitest';
import type { Clock } from './clock.ts';
import { retry } from './retry.ts';

/** Pauses pass at once and are remembered. */
function hasty(): Clock & { readonly pauses: number[] } {
  const pauses: number[] = [];
  const after = (ms: number, run: () => void) => {
    pauses.push(ms);
    queueMicrotask(run);
    return { cancel() {} };
  };
  return { now: () => 0, after, pauses };
}

const failing = (times: number) => {
  let count = 0;
  return async () => {
    count++;
    if (count <= times) throw new Error(`failure ${count}`);
    return count;
  };
};

const { signal } = new AbortController();
const mayPass = () => true;

test('what fails is tried again, after pauses that grow', async () => {
  const clock = hasty();
  expect(await retry(failing(3), { clock, firstPauseMs: 100, signal, mayPass })).toBe(4);
  expect(clock.pauses).toHaveLength(3);
  for (const [index, least] of [100, 150, 225].entries()) {
    expect(clock.pauses[index]).toBeGreaterThanOrEqual(least);
    expect(clock.pauses[index]).toBeLessThan(least * 1.2);
  }
});

test('after five attempts, or when it is of no use, the failure counts', async () => {
  const clock = hasty();
  await expect(retry(failing(9), { clock, firstPauseMs: 1, signal, mayPass })).rejects.toThrow('failure 5');
  await expect(retry(failing(9), { clock, firstPauseMs: 1, signal, mayPass: () => false })).rejects.toThrow(
    'failure 1',
  );
});

test('an abort ends a pause, and no attempt follows', async () => {
  const off = new AbortController();
  let attempts = 0;
  let waiting = () => {};
  const waits = new Promise<void>((resolve) => {
    waiting = resolve;
  });
  const after = () => {
    waiting();
    return { cancel() {} };
  };
  const clock: Clock = { now: () => 0, after };
  const result = retry(
    async () => {
      attempts++;
      throw new Error('no');
    },
    { clock, firstPauseMs: 1e9, signal: off.signal, mayPass },
  );
  await waits;
  off.abort();
  await expect(result).rejects.toThrow('no');
  expect(attempts).toBe(1);
});
