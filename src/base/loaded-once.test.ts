import { expect, test } from 'vitest';
import { loadedOnce } from './loaded-once.ts';

test('a module is loaded on first use, and there from then on', async () => {
  let loads = 0;
  const get = loadedOnce(async () => ({ load: ++loads }));
  expect(loads).toBe(0);
  const [first, second] = await Promise.all([get(), get()]);
  expect(first).toEqual({ load: 1 });
  expect(second).toBe(first);
  expect(get()).toBe(first);
  expect(loads).toBe(1);
});
