import { afterEach, beforeEach, expect, test } from 'vitest';
import { StandingTime } from '../testing/standing-time.ts';
import { forEachInTurns } from './each-in-turns.ts';

let time: StandingTime;
beforeEach(async () => {
  time = await StandingTime.begin();
});
afterEach(() => time.end());

const busy = (ms: number) => time.pass(ms);

test('a few that do not wait are done at once', () => {
  const seen: number[] = [];
  const result = forEachInTurns([1, 2, 3], (item) => {
    seen.push(item);
  });
  expect(result).toBeUndefined();
  expect(seen).toEqual([1, 2, 3]);
});

test('many let other work in between, and keep their order', async () => {
  const seen: number[] = [];
  let others = 0;
  const other = () => {
    others++;
    immediate = setImmediate(other);
  };
  let immediate = setImmediate(other);
  await forEachInTurns([1, 2, 3, 4, 5, 6], (item) => {
    busy(6);
    seen.push(item);
  });
  clearImmediate(immediate);
  expect(seen).toEqual([1, 2, 3, 4, 5, 6]);
  expect(others).toBeGreaterThan(1);
});

test('one that waits is waited for before the next', async () => {
  const seen: string[] = [];
  await forEachInTurns(['a', 'b'], async (item) => {
    seen.push(`${item} begins`);
    await new Promise((resolve) => setImmediate(resolve));
    seen.push(`${item} ends`);
  });
  expect(seen).toEqual(['a begins', 'a ends', 'b begins', 'b ends']);
});

test.each([
  ['at once', 0],
  ['later', 6],
])('the first failure ends it, %s', async (_, ms) => {
  const seen: number[] = [];
  const run = async () =>
    forEachInTurns([1, 2, 3], (item) => {
      busy(ms);
      seen.push(item);
      if (item === 2) throw new Error('two');
    });
  await expect(run()).rejects.toThrow('two');
  expect(seen).toEqual([1, 2]);
});

test('a hundred thousand that do not wait need no stack', async () => {
  let count = 0;
  await forEachInTurns(new Array(100_000).fill(0), () => {
    count++;
  });
  expect(count).toBe(100_000);
});
