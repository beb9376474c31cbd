import { expect, test } from 'vitest';
import { mapBounded } from './bounded.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

test('keeps the order of the items and the limit', async () => {
  let running = 0;
  let most = 0;
  const results = await mapBounded([5, 1, 4, 2, 3], 2, async (item) => {
    most = Math.max(most, ++running);
    for (let i = 0; i < item; i++) await turn();
    running--;
    return item * 10;
  });
  expect([results, most]).toEqual([[50, 10, 40, 20, 30], 2]);
});

test('a failure ends it after the jobs under way, and starts no more', async () => {
  const done: number[] = [];
  const work = async (item: number) => {
    await turn();
    if (item === 1) throw new Error('no');
    await turn();
    done.push(item);
  };
  await expect(mapBounded([0, 1, 2, 3, 4, 5], 2, work)).rejects.toThrow('no');
  expect(done).toEqual([0]);
});

test('work that never waits still lets others in', async () => {
  let others = 0;
  const tick = setInterval(() => others++, 1);
  await mapBounded(Array.from({ length: 60 }), 4, async () => {
    const until = performance.now() + 1;
    while (performance.now() < until);
  });
  clearInterval(tick);
  expect(others).toBeGreaterThan(2);
});
