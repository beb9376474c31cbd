import { expect, test } from 'vitest';
import { goNumber, metricText } from './metric-text.ts';

test.each([
  [0, '0'],
  [1, '1'],
  [-1.5, '-1.5'],
  [1e-8, '1e-08'],
  [9.999999999999999e-6, '9.999999999999999e-06'],
  [0.0001, '0.0001'],
  [0.00064, '0.00064'],
  [999_999, '999999'],
  [1e6, '1e+06'],
  [2_592_000, '2.592e+06'],
  [1_048_576, '1.048576e+06'],
  [-12_345_678, '-1.2345678e+07'],
  [1.5e300, '1.5e+300'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [Number.NaN, 'NaN'],
])('metric text: writes %d as Go does: %s', (value, text) => {
  expect(goNumber(value)).toBe(text);
});

test('metric text: every number keeps its value', () => {
  for (let exponent = -300; exponent <= 300; exponent++) {
    const value = Math.PI * 10 ** exponent;
    expect(Number(goNumber(value))).toBe(value);
  }
});

test('metric text: help, type, and one line for each value', () => {
  const values = [
    { metricName: 'a_bucket', labels: { le: 1e-8 }, value: 1 },
    { metricName: 'a_bucket', labels: { le: '+Inf' }, value: 2 },
    { labels: { path: 'a"b\\c\nd' }, value: 3 },
    { labels: {}, value: 4e9 },
  ];
  const text = metricText([{ name: 'a', help: 'One\nline.', type: 'histogram', aggregator: 'sum', values }]);
  expect(text.split('\n')).toEqual([
    '# HELP a One\\nline.',
    '# TYPE a histogram',
    'a_bucket{le="1e-08"} 1',
    'a_bucket{le="+Inf"} 2',
    'a{path="a\\"b\\\\c\\nd"} 3',
    'a 4e+09',
    '',
  ]);
});
