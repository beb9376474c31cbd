import { expect, test } from 'vitest';
import { formatDuration, parseDuration } from './duration.ts';

test.each([
  ['0', 0, '0s'],
  ['90s', 90, '1m30s'],
  ['1h30m', 5400, '1h30m0s'],
  ['-1.5s', -1.5, '-1.5s'],
  ['+250ms', 0.25, '250ms'],
  ['10us', 1e-5, '10µs'],
  ['.5h', 1800, '30m0s'],
])('%s is %d seconds, written %s', (text, seconds, written) => {
  expect(parseDuration(text)).toBeCloseTo(seconds, 9);
  expect(formatDuration(seconds)).toBe(written);
});

test.each(['', '5', 's', '5 s', '1h-30m', '5d', 'soon'])('%j is none', (text) => {
  expect(parseDuration(text)).toBeUndefined();
});
