import { expect, test } from 'vitest';
import { lines } from '../testing/error-lines.ts';
import { notMoreThanAll, sizeOf, validateAmount } from './amount.ts';

const advice =
  "a valid percent string must be a numeric string followed by an ending '%' (e.g. '1%',  or '93%', regex used for validation is '[0-9]+%')";

test.each<[number | string, readonly string[], number]>([
  [0, [], 0],
  [3, [], 3],
  ['25%', [], 25],
  ['100%', [], 100],
  ['101%', ['at: Invalid value: "101%": must not be greater than 100%'], 101],
  [-1, ['at: Invalid value: -1: must be greater than or equal to 0'], -1],
  ['3', [`at: Invalid value: "3": ${advice}`], 0],
  ['-5%', [`at: Invalid value: "-5%": ${advice}`], 0],
])('%j: %j', (amount, expected, size) => {
  expect(lines([...validateAmount('at', amount), ...notMoreThanAll('at', amount)])).toEqual(expected);
  expect(sizeOf(amount)).toBe(size);
});
