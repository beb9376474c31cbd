import { expect, test } from 'vitest';
import { patternsWeight, validatePatterns } from './pattern-rules.ts';

const schemaOf = (patterns: readonly string[]) => ({
  type: 'object',
  properties: Object.fromEntries(patterns.map((pattern, i) => [`p${i}`, { type: 'string', pattern }])),
});

test('a pattern that stands in many places weighs once', () => {
  const one = patternsWeight(schemaOf(['^a+$']));
  expect(one).toBeGreaterThan(0);
  expect(patternsWeight(schemaOf(['^a+$', '^a+$']))).toBe(one);
  expect(patternsWeight(schemaOf(['^a+$', '^b+$']))).toBe(2 * one);
});

test('each place of an invalid pattern is reported', () => {
  expect(validatePatterns(schemaOf(['(', 'a', '(']), 's').map(({ field }) => field)).toEqual([
    's.properties[p0].pattern',
    's.properties[p2].pattern',
  ]);
});
