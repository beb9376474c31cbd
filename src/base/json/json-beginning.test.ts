import { expect, test } from 'vitest';
import { stringifyJson } from './json.ts';
import { jsonBeginning } from './json-beginning.ts';

test.each([
  ['a text', 'x"y\u2028<'],
  ['a number', -1.5],
  ['nothing', undefined],
  ['null', null],
  ['a large integer', 9007199254740993n],
  ['an empty list', []],
  ['an empty object', {}],
  ['members without a value', { a: undefined, b: 1, c: undefined }],
  ['nesting', { 'k"': [1, [true, { z: 'é' }], null, { n: 9007199254740993n }], __proto__: null }],
])('%s is written in full where it fits', (_, value) => {
  expect(jsonBeginning(value, 1000)).toBe(stringifyJson(value) ?? 'null');
});

test.each([
  ['a text', 'abcdefghijk', '"abcdefghi...'],
  ['a list', ['abc', 'defghi', 'k'], '["abc","de...'],
  ['an object', { abcdefghi: 1 }, '{"abcdefgh...'],
])('%s that is too long ends in dots', (_, value, text) => {
  expect(jsonBeginning(value, 10)).toBe(text);
});

test('what does not fit is not looked at', () => {
  const list = ['abcdefghijkl', { toJSON: undefined }];
  Object.defineProperty(list[1], 'trap', {
    enumerable: true,
    get: () => {
      throw new Error('looked at');
    },
  });
  expect(jsonBeginning(list, 10)).toBe('["abcdefgh...');
});
