import { describe, expect, test } from 'vitest';
import { getOwn, isJsonObject, isSameJson, setOwn } from './json.ts';

const risky = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype'];

describe('setOwn', () => {
  test.each(risky)('makes %s ordinary data', (key) => {
    const target: Record<string, unknown> = {};
    setOwn(target, key, { polluted: true });
    expect(Object.keys(target)).toEqual([key]);
    expect(getOwn(target, key)).toEqual({ polluted: true });
    expect(Object.getPrototypeOf(target)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  });

  test('replaces a value, also that of __proto__', () => {
    const target: Record<string, number> = {};
    for (const value of [1, 2]) for (const key of ['a', '__proto__']) setOwn(target, key, value);
    expect(Object.entries(target)).toEqual([
      ['a', 2],
      ['__proto__', 2],
    ]);
  });

  test('a key set this way survives JSON in both directions', () => {
    const target: Record<string, string> = {};
    setOwn(target, '__proto__', 'x');
    expect(JSON.stringify(target)).toBe('{"__proto__":"x"}');
    expect(getOwn(JSON.parse(JSON.stringify(target)) as Record<string, string>, '__proto__')).toBe('x');
  });

  test('a key set this way can be deleted', () => {
    const target: Record<string, string> = {};
    setOwn(target, '__proto__', 'x');
    Reflect.deleteProperty(target, '__proto__');
    expect(Object.keys(target)).toEqual([]);
  });
});

describe('getOwn', () => {
  test.each(risky)('does not see an inherited %s', (key) => {
    expect(getOwn({}, key)).toBeUndefined();
  });

  test('reads what is there, also when it is falsy', () => {
    expect(getOwn({ a: 0 }, 'a')).toBe(0);
    expect(getOwn({ a: '' }, 'a')).toBe('');
    expect(getOwn(Object.create(null) as Record<string, unknown>, 'a')).toBeUndefined();
  });
});

test.each([
  [{}, true],
  [{ a: 1 }, true],
  [[], false],
  [null, false],
  [undefined, false],
  ['{}', false],
  [1, false],
])('%j is a JSON object: %s', (value, expected) => {
  expect(isJsonObject(value)).toBe(expected);
});

describe('isSameJson', () => {
  test.each([
    [1, 1],
    [2n ** 60n, 2n ** 60n],
    [null, null],
    [
      [1, { a: [] }],
      [1, { a: [] }],
    ],
    [
      { a: 1, b: { c: 2 } },
      { b: { c: 2 }, a: 1 },
    ],
    [JSON.parse('{"__proto__":{"a":1}}'), JSON.parse('{"__proto__":{"a":1}}')],
  ])('%o and %o are the same', (a, b) => {
    expect(isSameJson(a, b)).toBe(true);
  });

  test.each([
    [1, '1'],
    [1, 1n],
    [null, undefined],
    [null, {}],
    [{}, []],
    [[1], [1, 2]],
    [
      [1, 2],
      [2, 1],
    ],
    [{ a: 1 }, { b: 1 }],
    [{ a: undefined }, {}],
    [{ a: undefined }, { b: undefined }],
    [{ toString: 1 }, { a: 1 }],
    [JSON.parse('{"__proto__":{}}'), { a: {} }],
  ])('%o and %o differ, from either side', (a, b) => {
    expect([isSameJson(a, b), isSameJson(b, a)]).toEqual([false, false]);
  });
});
