import { expect, test } from 'vitest';
import { Histogram } from './histogram.ts';

test('counts values by the first bound they do not exceed', () => {
  const histogram = new Histogram([1, 10, 100]);
  for (const value of [0, 1, 1.5, 10, 99, 1000]) histogram.observe(value);
  expect(histogram.cumulative()).toEqual([2, 4, 5]);
  expect([histogram.count, histogram.sum]).toEqual([6, 1111.5]);
});
