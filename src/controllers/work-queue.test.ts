import { describe, expect, test } from 'vitest';
import { FakeClock } from '../testing/fake-clock.ts';
import { WorkQueue } from './work-queue.ts';

const settle = () => new Promise((resolve) => setImmediate(resolve));

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
});
