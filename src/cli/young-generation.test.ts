import { expect, test } from 'vitest';
import type { Clock } from '../base/clock.ts';
import { boundYoungGeneration } from './young-generation.ts';

const MiB = 1024 * 1024;

/** A clock whose one timer is fired by hand. */
function handClock() {
  let due: (() => void) | undefined;
  const clock: Clock = {
    now: () => 0,
    after(_, run) {
      due = run;
      return { cancel: () => (due = undefined) };
    },
  };
  return { clock, fire: () => due?.(), isSet: () => due !== undefined };
}

test('it grows up to a bound, and again after it was made smaller', () => {
  const { clock, fire } = handClock();
  const said: boolean[] = [];
  let size = 8 * MiB;
  boundYoungGeneration(clock, { size: () => size, setGrowing: (growing) => said.push(growing) });
  fire();
  fire();
  expect(said).toEqual([]);
  size = 16 * MiB;
  fire();
  fire();
  expect(said).toEqual([false]);
  size = 2 * MiB;
  fire();
  expect(said).toEqual([false, true]);
});

test('nothing is looked at after the end', () => {
  const { clock, fire, isSet } = handClock();
  const bound = boundYoungGeneration(clock, { size: () => 0, setGrowing: () => {} });
  fire();
  expect(isSet()).toBe(true);
  bound.cancel();
  expect(isSet()).toBe(false);
});
