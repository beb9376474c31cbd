import { expect, test } from 'vitest';
import { PoolSize } from './pool-size.ts';

const auto = () => new PoolSize({ atStart: 1, most: 3 });
const idleSeconds = 300;

test('pool size: a thread is added when all were above 70 percent for two seconds in a row', () => {
  const size = auto();
  expect([0.71, 0.7, 0.9, 0.9].map((load) => size.look([load]))).toEqual([undefined, undefined, undefined, 'grow']);
  expect(size.threads).toBe(2);
  // the second thread does not serve yet
  expect([size.look([1]), size.look([1]), size.look([1])]).toEqual([undefined, undefined, undefined]);
  expect([size.look([1, 0.5]), size.look([1, 0.5])]).toEqual([undefined, undefined]);
  expect([size.look([1, 1]), size.look([1, 1])]).toEqual([undefined, 'grow']);
  expect([size.look([1, 1, 1]), size.look([1, 1, 1]), size.threads]).toEqual([undefined, undefined, 3]);
});

test('pool size: the last thread ends after five minutes below 10 percent, one after the other', () => {
  const size = auto();
  for (const loads of [[1], [1], [1, 1], [1, 1]]) size.look(loads);
  expect(size.threads).toBe(3);
  const look = (loads: readonly number[], times: number) => Array.from({ length: times }, () => size.look(loads));
  expect(new Set(look([0.8, 0.5, 0.05], idleSeconds - 1))).toEqual(new Set([undefined]));
  expect(size.look([0.8, 0.5, 0.2])).toBe(undefined);
  expect(look([0.8, 0.5, 0.05], idleSeconds).at(-1)).toBe('shrink');
  expect(look([0, 0], idleSeconds).at(-1)).toBe('shrink');
  expect(size.threads).toBe(1);
  expect(new Set(look([0], 2 * idleSeconds))).toEqual(new Set([undefined]));
});

test('pool size: a number of threads never changes', () => {
  const size = new PoolSize({ atStart: 2, most: 2 });
  for (let at = 0; at < 2 * idleSeconds; at++) expect(size.look(at % 2 === 0 ? [1, 1] : [0, 0])).toBe(undefined);
});

test('pool size: a thread that could not be started is tried again while the others are busy', () => {
  const size = auto();
  expect([size.look([1]), size.look([1])]).toEqual([undefined, 'grow']);
  size.lose();
  expect([size.look([1]), size.look([1])]).toEqual([undefined, 'grow']);
});
