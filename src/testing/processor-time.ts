// Limits in tests are about the processor time of the test's own thread, or of the ticks of its event loop: other load of the
// machine does, and how long it lets the thread stand in line for a processor, must not fail a test.

import { readFileSync } from 'node:fs';
import { expect } from 'vitest';

/** A garbage collection, or a process on the same core, may make one attempt slow; the time of the code itself is in each. */
const attempts = 6;

/** Where the system does not tell about threads: of the process. */
function ofProcess(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

/** Times of this thread from Linux, in milliseconds: how long it ran, and how long it was ready to run and waited. */
function ofThread(): readonly [ran: number, inLine: number] | undefined {
  try {
    const [ran, inLine] = readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ');
    return [Number(ran) / 1e6, Number(inLine) / 1e6];
  } catch {
    return undefined;
  }
}

/** Milliseconds for which this thread has had a processor. */
export function processorMs(): number {
  return ofThread()?.[0] ?? ofProcess();
}

/** Milliseconds of the clock, without those in which this thread stood in line for a processor. */
export function unhinderedMs(): number {
  return performance.now() - (ofThread()?.[1] ?? 0);
}

/** Runs the work, again where it took longer than it may; the test fails when it did so each time. */
export async function expectProcessorTime(limitMs: number, work: () => unknown): Promise<void> {
  await expectLess(limitMs, async () => {
    const begun = processorMs();
    await work();
    return processorMs() - begun;
  });
}

/** Limits the time from the start of the work to its end, for work that must not wait. */
export async function expectNoWait(limitMs: number, work: () => unknown): Promise<void> {
  const begun = unhinderedMs();
  await work();
  expect(unhinderedMs() - begun, 'milliseconds').toBeLessThan(limitMs);
}

/** Limits each tick of the event loop. */
export async function expectShortTurns(limitMs: number, work: () => unknown): Promise<void> {
  await expectLess(limitMs, () => longestTurn(work));
}

/** The longest time for which the event loop was held up at once, in milliseconds of processor time. */
export async function longestTurn(work: () => unknown): Promise<number> {
  let [longest, since, isOver] = [0, processorMs(), false];
  const look = () => {
    const now = processorMs();
    longest = Math.max(longest, now - since);
    since = now;
    if (!isOver) setImmediate(look);
  };
  setImmediate(look);
  try {
    await work();
  } finally {
    isOver = true;
    look();
  }
  return longest;
}

/** Measures again where it is more than it may be; the test fails when it is so each time. */
export async function expectLess(limit: number, measure: () => Promise<number>): Promise<void> {
  let least = Number.POSITIVE_INFINITY;
  for (let attempt = 0; attempt < attempts && least >= limit; attempt++) least = Math.min(least, await measure());
  expect(least, 'the least of all attempts').toBeLessThan(limit);
}
