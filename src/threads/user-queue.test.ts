import { expect, test } from 'vitest';
import { UserQueue } from './user-queue.ts';

const settled = () => new Promise((resolve) => setTimeout(resolve));

test('users take turns, however much one of them has waiting', async () => {
  const queue = new UserQueue({ maxPerUser: 10, maxRunning: 1 });
  const order: string[] = [];
  const work = (name: string) => async () => {
    order.push(name);
    await settled();
  };
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(name.charAt(0), work(name));
  await expect.poll(() => order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  await expect.poll(() => queue.isIdle).toBe(true);
});

test('work beyond the limit of a user is refused, and that of other users is not', async () => {
  const queue = new UserQueue({ maxPerUser: 2, maxRunning: 1 });
  let end = () => {};
  const hang = () => new Promise<void>((resolve) => (end = resolve));
  queue.add('a', hang);
  await settled();
  expect([1, 2, 3].map(() => queue.add('a', hang))).toEqual([true, true, false]);
  expect(queue.add('b', hang)).toBe(true);
  expect(queue.isIdle).toBe(false);
  end();
});

test('at most so many run at once, and one that fails makes way for the next', async () => {
  const queue = new UserQueue({ maxPerUser: 10, maxRunning: 2 });
  let running = 0;
  let most = 0;
  let done = 0;
  for (let at = 0; at < 8; at++)
    queue.add(`user-${at % 3}`, async () => {
      most = Math.max(most, ++running);
      await settled();
      running--;
      done++;
    });
  await expect.poll(() => done).toBe(8);
  expect(most).toBe(2);
});
