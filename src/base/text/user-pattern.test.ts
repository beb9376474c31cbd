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

test('groups of the same name match like any other', () => {
  expect(patternProblem('(?P<n>a)(?<n>b)(?P<n>c)')).toBeUndefined();
  expect(userPattern('^(?P<n>a)(?P<n>b)$').matches('ab')).toBe(true);
  // what looks like a group, but is an escape, a class or a quotation
  expect(userPattern('^(?P<n>a)\\(?P<n>$').matches('aP<n>')).toBe(true);
  expect(userPattern('^(?P<n>a)[(?P<n>]$').matches('a<')).toBe(true);
  expect(userPattern('^(?P<n>a)\\Q(?P<n>\\E$').matches('a(?P<n>')).toBe(true);
});

test('an expression that ends in a backslash', () => {
  expect(patternProblem('a\\')).toBe('error parsing regexp: trailing backslash at end of expression: ``');
});
