import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { ExpiringCache } from './expiring-cache.ts';

test('entries end when their time is over', () => {
  const clock = new FakeClock();
  const cache = new ExpiringCache<number>(clock, 10);
  cache.set('a', 1, 1000);
  cache.set('never', 2, 0);
  clock.advance(999);
  expect([cache.get('a'), cache.get('never')]).toEqual([1, undefined]);
  clock.advance(1);
  expect([cache.get('a'), cache.size]).toEqual([undefined, 0]);
});

test('the one that was used longest ago makes place', () => {
  const cache = new ExpiringCache<number>(new FakeClock(), 2);
  cache.set('a', 1, 1000);
  cache.set('b', 2, 1000);
  cache.get('a');
  cache.set('c', 3, 1000);
  expect([cache.get('a'), cache.get('b'), cache.get('c'), cache.size]).toEqual([1, undefined, 3, 2]);
});
