import { expect, test } from 'vitest';
import { patternProblem } from './user-pattern.ts';

test.each(['', '^[a-z]+$', '(?i)a|b', '\\d{1,3}'])('%j is a pattern', (text) => {
  expect(patternProblem(text)).toBeUndefined();
});

test.each(['(', '[a', 'a{2,1}', '(?=a)', '\\1'])('%j is none', (text) => {
  expect(patternProblem(text)).toContain('error parsing regexp');
});
