import { expect, test } from 'vitest';
import { trimEnd, trimEnds } from './trim-ends.ts';

const isBlank = (character: string) => character === ' ';

test.each([
  ['', ''],
  ['   ', ''],
  ['a', 'a'],
  ['  a b  ', 'a b'],
  ['a\u00a0 ', 'a\u00a0'],
])('the ends of %j become %j', (text, expected) => {
  expect(trimEnds(text, isBlank)).toBe(expected);
});

test('only the last of the ends is looked at', () => {
  expect(trimEnd('  a  ', isBlank)).toBe('  a');
  expect(trimEnd('   ', isBlank)).toBe('');
});
