import { expect, test } from 'vitest';
import { hasManyPatterns, patternSteps } from './pattern-rules.ts';

const schemaOf = (count: number) => ({
  type: 'object',
  properties: Object.fromEntries(
    Array.from({ length: count }, (_, i) => [`p${i}`, { type: 'string', pattern: `^[a-z]+(-[a-z]+)*\\.x${i}$` }]),
  ),
});

test('the patterns of many definitions that come at once are compiled a few at a time', () => {
  expect(hasManyPatterns(schemaOf(300))).toBe(true);
  expect(hasManyPatterns(schemaOf(100))).toBe(true);
  expect(hasManyPatterns(schemaOf(10))).toBe(false);
  expect([...patternSteps(schemaOf(300), 'schema')].length).toBeGreaterThan(300);
});
