import { expect, test } from 'vitest';
import { formatIndexes, readIndexes } from './indexes.ts';

test.each([
  ['', []],
  ['0', [0]],
  ['0,1', [0, 1]],
  ['0-2', [0, 1, 2]],
  ['1,3-5,7,8', [1, 3, 4, 5, 7, 8]],
])('indexes %j are read and written', (text, indexes) => {
  expect([...readIndexes(text, 10)]).toEqual(indexes);
  expect(formatIndexes(new Set(indexes))).toBe(text);
});

test('indexes that a job does not have are ignored', () => {
  expect([...readIndexes('1,12', 10)]).toEqual([]);
});
