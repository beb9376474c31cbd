import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

/** Several turns: on a busy machine a worker gives way to others before it goes on. */
async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}

function queueOf(answers: ('done' | 'again' | Error)[]) {
  const clock = new FakeClock();
  const worked: string[] = [];
  const failed: string[] = [];
  const queue = new WorkQueue({
    clock,
    async work(key) {
      worked.push(key);
      const answer = answers.shift() ?? 'done';
      if (answer instanceof Error) throw answer;
      return answer;
    },
    onError: (key, error) => failed.push(`${key}: ${(error as Error).message}`),
  });
  return { clock, queue, worked, failed };
}

describe('work queue', () => {
  test('works on a key once, however often it was added', async () => {
    const { queue, worked } = queueOf([]);
    for (const key of ['a', 'b', 'a', 'a']) queue.add(key);
    await settle();
    expect(worked).toEqual(['a', 'b']);
  });

  test('tries again after a pause that grows, and starts over after success', async () => {
    const { clock, queue, worked, failed } = queueOf(['again', new Error('no'), 'done', 'again']);
    queue.add('a');
    await settle();
    clock.advance(49);
    await settle();
    expect(worked).toHaveLength(1);
    clock.advance(1);
    await settle();
    expect(worked).toHaveLength(2);
    expect(failed).toEqual(['a: no']);
    clock.advance(100);
    await settle();
    expect(worked).toHaveLength(3);
    queue.add('a');
    await settle();
    clock.advance(50);
    await settle();
    expect(worked).toHaveLength(5);
  });

  test.each([...Array(8).keys()])(
    'a key that is added %i microtasks after the last one is worked on',
    async (delay) => {
      const worked: string[] = [];
      const addLater = async () => {
        for (let count = 0; count < delay; count++) await Promise.resolve();
        queue.add('b');
      };
      const queue = new WorkQueue({
        clock: new FakeClock(),
        async work(key) {
          worked.push(key);
          if (key === 'a') void addLater();
          return 'done';
        },
        onError: () => undefined,
      });
      queue.add('a');
      await settle();
      expect(worked).toEqual(['a', 'b']);
    },
  );

  test('does nothing more once it is closed', async () => {
    const { clock, queue, worked } = queueOf(['again']);
    queue.add('a');
    await settle();
    await queue.close();
    queue.add('b');
    clock.advance(1000);
    await settle();
    expect(worked).toEqual(['a']);
  });

  test('tells how long keys wait and take, and which are not done', async () => {
    let now = 0;
    const open: (() => void)[] = [];
    const queue = new WorkQueue({
      clock: new FakeClock(),
      stopwatch: () => now,
      work: () => new Promise((resolve) => open.push(() => resolve('done'))),
      onError() {},
    });
    queue.add('a');
    queue.add('a');
    queue.add('b');
    expect(queue.counts.adds).toBe(2);
    await new Promise(setImmediate);
    now = 3000;
    expect(queue.unfinished).toEqual([3]);
    open.shift()?.();
    await new Promise(setImmediate);
    expect(queue.workDurations.sum).toBe(3);
    // b begins in its own turn where the one before took long
    await expect.poll(() => open).toHaveLength(1);
    now = 5000;
    open.shift()?.();
    await new Promise(setImmediate);
    // b waited while a was worked on
    expect([queue.queueDurations.count, queue.queueDurations.sum]).toEqual([2, 3]);
    expect([queue.workDurations.count, queue.workDurations.sum]).toEqual([2, 5]);
    expect(queue.unfinished).toEqual([]);
  });

  test('works on several keys at a time, never on one key twice', async () => {
    const clock = new FakeClock();
    const running = new Map<string, () => void>();
    let most = 0;
    const queue = new WorkQueue({
      clock,
      workers: 2,
      work: (key) =>
        new Promise((resolve) => {
          expect(running.has(key)).toBe(false);
          running.set(key, () => {
            running.delete(key);
            resolve('done');
          });
          most = Math.max(most, running.size);
        }),
      onError: () => {},
    });
    for (const key of ['a', 'b', 'c']) queue.add(key);
    await settle();
    queue.add('a');
    expect([[...running.keys()], queue.depth]).toEqual([['a', 'b'], 2]);
    running.get('b')?.();
    await settle();
    expect([...running.keys()]).toEqual(['a', 'c']);
    for (const key of ['a', 'c']) running.get(key)?.();
    await settle();
    expect([...running.keys()]).toEqual(['a']);
    running.get('a')?.();
    await queue.close();
    expect([most, queue.workDurations.count]).toEqual([2, 4]);
  });

  test('looks at a key again when it is told to', async () => {
    const { clock, queue, worked } = queueOf([]);
    queue.addAfter('a', 1000);
    clock.advance(999);
    await settle();
    expect(worked).toEqual([]);
    clock.advance(1);
    await settle();
    expect(worked).toEqual(['a']);
  });
});
