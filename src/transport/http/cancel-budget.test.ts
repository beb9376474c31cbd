// The allowance for requests that are taken back.

import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { CancelBudget } from './cancel-budget.ts';
import { defaultLimits } from './connection-limits.ts';

const spend = (budget: CancelBudget, count: number) => {
  for (let spent = 0; spent < count; spent++) budget.spend();
};

test('cancelled requests: 200 at once are free, and each further one is a delay of 10 ms', () => {
  const clock = new FakeClock();
  const budget = new CancelBudget(defaultLimits, clock);
  spend(budget, 200);
  expect(budget.delayMs()).toBe(0);
  spend(budget, 50);
  expect(budget.delayMs()).toBe(500);
  clock.advance(300);
  expect(budget.delayMs()).toBe(200);
  clock.advance(200);
  expect(budget.delayMs()).toBe(0);
});

test('cancelled requests: 100 a second are free for as long as they come', () => {
  const clock = new FakeClock();
  const budget = new CancelBudget(defaultLimits, clock);
  for (let second = 0; second < 100; second++) {
    spend(budget, 100);
    expect([budget.delayMs(), budget.isExhausted]).toEqual([0, false]);
    clock.advance(1000);
  }
});

test('cancelled requests: a client that continues for ten seconds while it is slowed down has used up its allowance', () => {
  const clock = new FakeClock();
  const budget = new CancelBudget(defaultLimits, clock);
  const start = clock.now();
  while (!budget.isExhausted) {
    spend(budget, 50);
    clock.advance(Math.max(1, budget.delayMs()));
  }
  expect(clock.now() - start).toBeGreaterThan(9000);
  expect(clock.now() - start).toBeLessThan(15_000);
});

test('cancelled requests: a pause makes good for what was taken back before', () => {
  const clock = new FakeClock();
  const budget = new CancelBudget(defaultLimits, clock);
  for (let round = 0; round < 20; round++) {
    spend(budget, 1000);
    expect(budget.isExhausted).toBe(false);
    clock.advance(10_000);
  }
});
