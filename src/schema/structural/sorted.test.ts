import { expect, test } from 'vitest';
import { sortedKeys } from './sorted.ts';

test('keys are sorted, and integers that 64 bits do not hold are floating numbers', () => {
  const most = 9223372036854775807n;
  expect(sortedKeys({ b: [most, most + 1n], a: { c: -most - 2n } })).toEqual({
    a: { c: -(2 ** 63) },
    b: [most, 2 ** 63],
  });
});

test('a value in order that holds no such integer is the very same', () => {
  const value = { a: [9223372036854775807n], b: 1 };
  expect(sortedKeys(value)).toBe(value);
});
