import { expect, test } from 'vitest';
import { firstShared, parseIndexes } from './job-indexes.ts';

test.each([
  ['', 5, 0],
  ['0', 5, 1],
  ['0,2-4', 5, 4],
  ['0-4', 5, 5],
])('%j of %i are %i indexes', (text, completions, count) => {
  expect(parseIndexes(text, completions)).toMatchObject({ count });
});

test.each([
  [
    '1-2-3',
    'the fragment "1-2-3" violates the requirement that an index interval can have at most two parts separated by \'-\'',
  ],
  ['x', 'cannot convert string to integer for index: "x"'],
  ['1,', 'cannot convert string to integer for index: ""'],
  ['1-', 'cannot convert string to integer for index: ""'],
  ['5', 'too large index: "5"'],
  ['1-9', 'too large index: "9"'],
  ['3-2', 'non-increasing order, previous: 3, current: 2'],
  ['2,1', 'non-increasing order, previous: 2, current: 1'],
  ['0-2,2', 'non-increasing order, previous: 2, current: 2'],
])('%j is no set of indexes below five: %s', (text, wrong) => {
  expect(parseIndexes(text, 5)).toEqual({ wrong });
});

test.each([
  ['0-2', '3-4', undefined],
  ['0-2,7', '3-5,7-8', 7],
  ['1-5', '2-3', 2],
  ['', '1', undefined],
  ['x', '1', undefined],
])('the first index of both %j and %j: %s', (a, b, expected) => {
  expect(firstShared(parseIndexes(a, 10), parseIndexes(b, 10))).toBe(expected);
});
