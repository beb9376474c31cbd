import { expect, test } from 'vitest';
import { InOrder } from './in-order.ts';

function recorder() {
  const seen: string[] = [];
  const queue = new InOrder((error) => seen.push(`error ${(error as Error).message}`));
  return { seen, queue, note: (text: string) => () => void seen.push(text) };
}

test('work that needs no waiting is done at once', () => {
  const { seen, queue, note } = recorder();
  queue.run(note('a'));
  queue.run(note('b'));
  expect(seen).toEqual(['a', 'b']);
});

test('what comes after work that waits is done after it, in order', async () => {
  const { seen, queue, note } = recorder();
  let finish = () => {};
  queue.run(() => new Promise<void>((resolve) => (finish = resolve)).then(note('slow')));
  queue.run(note('next'));
  const last = new Promise<void>((resolve) => queue.run(resolve));
  expect(seen).toEqual([]);
  finish();
  await last;
  expect(seen).toEqual(['slow', 'next']);
});

test('an error is reported, and what comes after it is still done', async () => {
  const { seen, queue, note } = recorder();
  queue.run(() => {
    throw new Error('at once');
  });
  queue.run(() => Promise.reject(new Error('later')));
  await new Promise<void>((resolve) => queue.run(resolve));
  await Promise.resolve();
  queue.run(note('after'));
  await new Promise<void>((resolve) => queue.run(resolve));
  expect(seen).toEqual(['error at once', 'error later', 'after']);
});
