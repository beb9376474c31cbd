import { expect, test } from 'vitest';
import { KindCounts } from './kind-counts.ts';

test('requests to the store are counted however they end, and failures once more', async () => {
  const counts = new KindCounts();
  const broken = new Error('broken');
  expect(counts.asking('get', () => 1)).toBe(1);
  await expect(counts.asking('get', async () => 2)).resolves.toBe(2);
  await expect(counts.asking('list', async () => Promise.reject(broken))).rejects.toBe(broken);
  expect(() =>
    counts.asking('list', () => {
      throw broken;
    }),
  ).toThrow(broken);
  expect([...counts.requests].map(([operation, { count }]) => [operation, count])).toEqual([
    ['get', 2],
    ['list', 2],
  ]);
  expect([...counts.failures]).toEqual([['list', 2]]);
});
