// The allowance for frames that bring a client nothing.

import { expect, test } from 'vitest';
import { FakeClock } from '../../testing/fake-clock.ts';
import { FrameBudget } from './frame-budget.ts';

test('frame budget: 500 frames a second are free, however they are spread over milliseconds', () => {
  const clock = new FakeClock();
  const budget = new FrameBudget(clock);
  expect(budget.spend(4000)).toBe(true);
  const outcomes = Array.from({ length: 200 }, (_, at) => {
    clock.advance(at % 2 === 0 ? 3 : 1);
    return budget.spend(1);
  });
  expect(outcomes.every(Boolean)).toBe(true);
  expect(budget.spend(1)).toBe(false);
});
