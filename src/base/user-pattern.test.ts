import { expect, test } from 'vitest';
import { patternProblem, userPattern } from './user-pattern.ts';

test.each(['', '^[a-z]+$', '(?i)a|b', '\\d{1,3}'])('%j is a pattern', (text) => {
  expect(patternProblem(text)).toBeUndefined();
});

test.each(['(', '[a', 'a{2,1}', '(?=a)', '\\1'])('%j is none', (text) => {
  expect(patternProblem(text)).toContain('error parsing regexp');
});

test.each([
  ['longer than ten thousand characters', 'a'.repeat(10_001), /longer than 10000 characters/],
  ['made of repeated repetitions', '(a{0,100}){0,10}'.repeat(30), /stands for more than 20000 characters/],
  ['made of classes of all languages', '\\pL'.repeat(1300), /stands for more than 20000 characters/],
])('an expression that is %s is refused before it is compiled', (_, text, problem) => {
  expect(patternProblem(text)).toMatch(problem);
  expect(() => userPattern(text)).toThrow(problem);
});
