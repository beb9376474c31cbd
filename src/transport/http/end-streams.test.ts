import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { endStreams } from './end-streams.ts';
import type { LiveSinks } from './stream-sink.ts';

function openStreams(count: number): LiveSinks {
  const live: LiveSinks = new Set();
  for (let n = 0; n < count; n++) {
    const sink = { stop: () => void live.delete(sink) };
    live.add(sink);
  }
  return live;
}

/** How many are open after each step of the clock. */
async function openAfter(live: LiveSinks, clock: FakeClock, steps: readonly number[]): Promise<number[]> {
  const counts: number[] = [];
  for (const ms of steps) {
    clock.advance(ms);
    await new Promise((resolve) => setImmediate(resolve));
    counts.push(live.size);
  }
  return counts;
}

test('watches end evenly over the grace period where there are many', async () => {
  const clock = new FakeClock();
  const live = openStreams(1000);
  const ended = endStreams(live, clock, 1000);
  expect(live.size).toBe(990);
  expect(await openAfter(live, clock, [10, 10, 10])).toEqual([980, 970, 960]);
  await openAfter(
    live,
    clock,
    Array.from({ length: 96 }, () => 10),
  );
  expect(live.size).toBe(0);
  await ended;
});

test('few watches end at 200 a second, however long they might take', async () => {
  const clock = new FakeClock();
  const live = openStreams(6);
  const ended = endStreams(live, clock, 60_000);
  expect(await openAfter(live, clock, [10, 10])).toEqual([2, 0]);
  await ended;
});

test('watches that are left at the end of the grace period end together', async () => {
  const clock = new FakeClock();
  const live = openStreams(1000);
  const ended = endStreams(live, clock, 50);
  expect(await openAfter(live, clock, [50])).toEqual([0]);
  await ended;
});
