import { expect, test } from 'vitest';
import { parseMediaType } from './media-type.ts';

test.each([
  ['application/json', 'application/json'],
  ['Application/JSON', 'application/json'],
  [' application/yaml ;a=b', 'application/yaml'],
  ['application/json;', 'application/json'],
  ['application/json; charset=utf-8', 'application/json'],
  ['application/json;charset="utf-8";x=y', 'application/json'],
  ['application/json; a="b;c=\\"d"; e=f', 'application/json'],
  ['application/json; a=b; A=b', 'application/json'],
  ['json', 'json'],
])('the type of %j is %s', (header, expected) => {
  expect(parseMediaType(header)).toBe(expected);
});

test.each([
  'application/json; charset',
  'application/json; charset=',
  'application/json; charset="utf-8',
  'application/json; =utf-8',
  'application/json;;',
  'application/json; a=b; a=c',
  'application/json; a=b c',
  'application/json/x',
  'application/',
  '/json',
  ';',
  '',
  'application/json x',
])('%j is none', (header) => {
  expect(parseMediaType(header)).toBeUndefined();
});

test('a header that is too long is none', () => {
  expect(parseMediaType(`application/json${';a=b'.repeat(100)}`)).toBe('application/json');
  expect(parseMediaType(`application/json${';a=b'.repeat(1000)}`)).toBeUndefined();
});
