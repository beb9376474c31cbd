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

test('loading shares its turn with no work before it, and none after it', async () => {
  const order: string[] = [];
  const mark = (what: string) => setImmediate(() => order.push(what));
  const get = loadedOnce(async () => {
    order.push('loaded');
    mark('others after it');
  });
  mark('others before it');
  const use = Promise.resolve(get()).then(() => order.push('used'));
  order.push('asked');
  await use;
  expect(order).toEqual(['asked', 'others before it', 'loaded', 'others after it', 'used']);
});
