import { expect, test } from 'vitest';
import { LogLines, rangeOf } from './log-lines.ts';

const start = 1_000_000;
const linesOf = (behaviour: object, finishedAt?: number) =>
  new LogLines(['a', 'b', 'c'], behaviour, { startedAt: start, finishedAt });
const textOf = (lines: LogLines, now: number, since = 0, tail?: number) => {
  const { from, to } = rangeOf(lines, now, since, tail);
  return Array.from({ length: to - from }, (_, index) => lines.text(from + index)).join('');
};

test.each([
  ['all lines at the start', {}, 0, 'abc'],
  ['one line after another', { logIntervalSeconds: 2 }, 3000, 'ab'],
  ['no more than there are', { logIntervalSeconds: 2 }, 60_000, 'abc'],
  ['again and again', { logIntervalSeconds: 1, repeatLogs: true }, 4000, 'abcab'],
])('%s', (_title, behaviour, afterMs, expected) => {
  expect(textOf(linesOf(behaviour), start + afterMs)).toBe(expected);
});

test('nothing is written after the end, nor before the start', () => {
  const lines = linesOf({ logIntervalSeconds: 1, repeatLogs: true }, start + 2000);
  expect([textOf(lines, start + 60_000), textOf(lines, start - 1)]).toEqual(['abc', '']);
});

test('the last lines, and those since a time', () => {
  const lines = linesOf({ logIntervalSeconds: 1, repeatLogs: true });
  const now = start + 100_000_000;
  expect(textOf(lines, now, 0, 2)).toHaveLength(2);
  expect(textOf(lines, now, now - 3000)).toHaveLength(4);
  expect(textOf(lines, now, now - 3000, 1)).toHaveLength(1);
});
