import { expect, test } from 'vitest';
import { UserQueue, type Work } from './user-queue.ts';

const limits = { maxBytesPerUser: 1024 * 1024, maxWaitMs: 1000, maxRunning: 1, maxRunningPerUser: 1 };
const settled = () => new Promise((resolve) => setTimeout(resolve));
const work = (run: () => Promise<void>, bytes = 0): Work => ({ bytes, run });
const forever = () => new Promise<void>(() => {});

test('user queue: users take turns, however much one of them has waiting', async () => {
  const queue = new UserQueue(limits);
  const order: string[] = [];
  const named = (name: string) =>
    work(async () => {
      order.push(name);
      await settled();
    });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'c1', 'b2']) queue.add(name.charAt(0), named(name));
  await expect.poll(() => order).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
  await expect.poll(() => queue.isIdle).toBe(true);
});

test('user queue: a thousand small pieces of one user wait; bytes beyond the limit of a user are refused', async () => {
  const queue = new UserQueue({ ...limits, maxBytesPerUser: 64 * 1024 * 1024 });
  queue.add('a', work(forever));
  await settled();
  const small = Array.from({ length: 1000 }, () => queue.add('a', work(forever, 9000)));
  expect(new Set(small)).toEqual(new Set([true]));
  const large = Array.from({ length: 20 }, () => queue.add('a', work(forever, 3 * 1024 * 1024)));
  expect(large.filter(Boolean)).toHaveLength(16);
  expect(queue.add('b', work(forever, 3 * 1024 * 1024))).toBe(true);
  expect(queue.isIdle).toBe(false);
});

test('user queue: one piece may be larger than the limit, where no other piece of the user waits', async () => {
  const queue = new UserQueue(limits);
  expect(queue.add('a', work(forever, 2 ** 21))).toBe(true);
  await settled();
  expect(queue.add('a', work(forever, 2 ** 21))).toBe(true);
  expect(queue.add('a', work(forever))).toBe(false);
});

test('user queue: work is refused while an earlier piece of its user has waited too long', async () => {
  let now = 0;
  const queue = new UserQueue(limits, () => now);
  let end = () => {};
  queue.add(
    'a',
    work(() => new Promise((resolve) => (end = resolve))),
  );
  await settled();
  expect(
    queue.add(
      'a',
      work(async () => {}),
    ),
  ).toBe(true);
  now = 1001;
  expect(
    queue.add(
      'a',
      work(async () => {}),
    ),
  ).toBe(false);
  expect(
    queue.add(
      'b',
      work(async () => {}),
    ),
  ).toBe(true);
  end();
  await expect
    .poll(() =>
      queue.add(
        'a',
        work(async () => {}),
      ),
    )
    .toBe(true);
});

test('user queue: work of one user that waits for other servers leaves slots to other users', async () => {
  const queue = new UserQueue({ ...limits, maxRunning: 3, maxRunningPerUser: 2 });
  const begun: string[] = [];
  const hanging = (name: string) =>
    work(() => {
      begun.push(name);
      return forever();
    });
  for (const name of ['a1', 'a2', 'a3', 'b1', 'b2']) queue.add(name.charAt(0), hanging(name));
  await expect.poll(() => begun).toEqual(['a1', 'b1', 'a2']);
});

test('user queue: a limited number of pieces runs at once, and one that ends makes way for the next', async () => {
  const queue = new UserQueue({ ...limits, maxRunning: 2, maxRunningPerUser: 2 });
  let running = 0;
  let most = 0;
  let done = 0;
  const counted = work(async () => {
    most = Math.max(most, ++running);
    await settled();
    running--;
    done++;
  });
  for (let at = 0; at < 8; at++) queue.add(`user-${at % 3}`, counted);
  await expect.poll(() => done).toBe(8);
  expect(most).toBe(2);
});
