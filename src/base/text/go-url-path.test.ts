import { describe, expect, test } from 'vitest';
import {
  basePathOf,
  brokenEscape,
  cleanedPath,
  decodedPath,
  encodedPath,
  escapedPath,
  pathOfUrl,
} from './go-url-path.ts';

test.each([
  ['', '/'],
  ['/', '/'],
  ['//', '/'],
  ['//a', '/a'],
  ['/a/', '/a'],
  ['/a//b/./c/../d/', '/a/b/d'],
  ['/../../a', '/a'],
  ['a', '/a'],
  ['/...', '/...'],
])('cleanedPath: %j becomes %j', (path, expected) => {
  expect(cleanedPath(path)).toBe(expected);
});

test.each([
  ['/a%2Fb', '/a/b'],
  ['/%41 b', '/A%20b'],
  ["/!'()*[]", '/%21%27%28%29%2A%5B%5D'],
  ['/$&+,:;=@-_.~', '/$&+,:;=@-_.~'],
  ['/%3F%25', '/%3F%25'],
  ['/é%ff', '/%C3%A9%FF'],
])('encodedPath: %j decoded and encoded is %j', (path, expected) => {
  expect(encodedPath(decodedPath(path))).toBe(expected);
});

test.each([
  ['/a%2Fb', '/a%2Fb'],
  ['/a(b)', '/a(b)'],
  ['/a b/c%2Fd', '/a%20b/c/d'],
  ['/é', '/%C3%A9'],
])('escapedPath: %j is sent as %j', (path, expected) => {
  expect(escapedPath(path)).toBe(expected);
});

test('brokenEscape: the two characters behind the sign belong to it', () => {
  expect(['/a%zzz', '/%4', '/%', '/%41'].map(brokenEscape)).toEqual(['%zz', '%4', '%', undefined]);
});

test('pathOfUrl: neither the authority nor the query belongs to the path', () => {
  expect(['https://h:1//a?b/c#d', 'https://h', 'https://h?a/b', 'https://h/a%2Fb/'].map(pathOfUrl)).toEqual([
    '//a',
    '',
    '',
    '/a%2Fb/',
  ]);
});

describe('basePathOf', () => {
  test.each([
    ['', '', '/'],
    ['/', '', '/'],
    ['//review/', '/review', '/review'],
    ['/a%2Fb', '/a/b', '/a%2Fb'],
    ['/a%2Fb/', '/a/b', '/a/b'],
    ['/a/../b c', '/b%20c', '/b%20c'],
  ])('%j is the prefix %j, and alone %j', (path, prefix, whole) => {
    expect(basePathOf(path)).toEqual({ prefix, whole });
  });
});
