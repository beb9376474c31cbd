import { expect, test } from 'vitest';
import { memoized } from './memoized.ts';

test('memoized: computes a result once for each object, also when it is undefined', () => {
  const computed: object[] = [];
  const lengthOf = memoized((words: readonly string[]) => {
    computed.push(words);
    return words.length === 0 ? undefined : words.length;
  });
  const [two, empty] = [['a', 'b'], []];
  expect([lengthOf(two), lengthOf(two), lengthOf(empty), lengthOf(empty)]).toEqual([2, 2, undefined, undefined]);
  expect(computed).toEqual([two, empty]);
  expect(lengthOf(['a', 'b'])).toBe(2);
  expect(computed).toHaveLength(3);
});

test('memoized: an error is not kept', () => {
  let calls = 0;
  const fail = memoized((_: object) => {
    calls++;
    throw new Error('no');
  });
  const key = {};
  expect(() => fail(key)).toThrow('no');
  expect(() => fail(key)).toThrow('no');
  expect(calls).toBe(2);
});
