import { afterEach, beforeEach, expect, test } from 'vitest';
import { required } from '../meta/field-errors.ts';
import { StandingTime } from '../testing/standing-time.ts';
import { findInPhases } from './validate-in-phases.ts';

let time: StandingTime;
beforeEach(async () => {
  time = await StandingTime.begin();
});
afterEach(() => time.end());

const busy = (ms: number) => time.pass(ms);

test('rules that are quick give their validation errors at once, in order', () => {
  const found = findInPhases([() => [required('a')], () => undefined, () => [required('b'), required('c')]]);
  expect(found).toEqual([required('a'), required('b'), required('c')]);
});

test('nothing found is an empty list', () => {
  expect(findInPhases([() => [], () => undefined])).toEqual([]);
});

test('other work has its turn between rules that are slow', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  const slow = (name: string) => () => {
    busy(6);
    order.push(name);
    return [required(name)];
  };
  expect(await findInPhases([slow('a'), slow('b')])).toEqual([required('a'), required('b')]);
  expect(order).toEqual(['a', 'other', 'b']);
});

test('other work has its turn inside of a rule that is made of steps', async () => {
  const order: string[] = [];
  setImmediate(() => order.push('other'));
  const steps = function* () {
    busy(6);
    order.push('first');
    yield;
    order.push('second');
    return [required('a')];
  };
  expect(await findInPhases([steps, () => [required('b')]])).toEqual([required('a'), required('b')]);
  expect(order).toEqual(['first', 'other', 'second']);
});
