import { expect, test } from 'vitest';
import { loadedOnce } from './loaded-once.ts';

test('what is loaded is waited for once, and there at once afterwards', async () => {
  let loads = 0;
  const get = loadedOnce(async () => ({ load: ++loads }));
  const [first, second] = await Promise.all([get(), get()]);
  expect([first, second, get()]).toEqual([{ load: 1 }, { load: 1 }, { load: 1 }]);
  expect(get()).toBe(first);
  expect(loads).toBe(1);
});
