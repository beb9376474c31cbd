import { expect, test } from 'vitest';
import { KeyedMutex, type Turn } from './keyed-mutex.ts';
import { isPromise } from './maybe-promise.ts';

test('a free turn is there at once, a taken one in the order of asking', async () => {
  const turns = new KeyedMutex();
  const order: string[] = [];
  const first = turns.take('a') as Turn;
  expect(isPromise(first)).toBe(false);
  const later = ['second', 'third'].map(async (name) => {
    const turn = await turns.take('a');
    order.push(name);
    turn.end();
  });
  expect(isPromise(turns.take('b'))).toBe(false);
  expect(order).toEqual([]);
  first.end();
  await Promise.all(later);
  expect(order).toEqual(['second', 'third']);
  expect(isPromise(turns.take('a'))).toBe(false);
});

test('a turn that ends twice lets only one begin', async () => {
  const turns = new KeyedMutex();
  const first = await turns.take('a');
  const begun: string[] = [];
  const second = Promise.resolve(turns.take('a')).then(() => begun.push('second'));
  void Promise.resolve(turns.take('a')).then(() => begun.push('third'));
  first.end();
  first.end();
  await second;
  await new Promise((resolve) => setImmediate(resolve));
  expect(begun).toEqual(['second']);
});
