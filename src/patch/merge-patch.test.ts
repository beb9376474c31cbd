import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { applyMergePatch } from './merge-patch.ts';

describe('RFC 7386, appendix A', () => {
  test.each<[JsonValue, JsonValue, JsonValue]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b' }, { a: null }, {}],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: 'c' }, { a: ['b'] }, { a: ['b'] }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'b' }, ['c'], ['c']],
    [{ a: 'foo' }, null, null],
    [{ a: 'foo' }, 'bar', 'bar'],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('%j patched by %j is %j', (target, patch, expected) => {
    expect(applyMergePatch(target, patch)).toEqual(expected);
  });
});

describe('besides', () => {
  test('null inside a list stays, in an object of a list it says that there is nothing', () => {
    expect(applyMergePatch({}, { a: [null, { b: null }] })).toEqual({ a: [null, {}] });
  });

  test('removing an absent field is no error', () => {
    expect(applyMergePatch({}, { a: null, b: { c: null } })).toEqual({ b: {} });
  });

  test('members keep their place, new ones come last', () => {
    expect(JSON.stringify(applyMergePatch({ b: 1, a: 2 }, { c: 3, b: 4 }))).toBe('{"b":4,"a":2,"c":3}');
  });

  test('neither target nor patch is changed', () => {
    const target = { a: { b: 1 }, c: [1] };
    const patch = { a: { b: null, d: { e: 1 } }, c: null };
    const before = JSON.stringify([target, patch]);
    applyMergePatch(target, patch);
    expect(JSON.stringify([target, patch])).toBe(before);
  });

  test('names that JavaScript knows are data', () => {
    const patch = JSON.parse('{"__proto__":{"polluted":true},"constructor":{"a":1}}') as JsonValue;
    const patched = applyMergePatch({}, patch);
    expect(JSON.stringify(patched)).toBe('{"__proto__":{"polluted":true},"constructor":{"a":1}}');
    expect(Object.getPrototypeOf(patched)).toBe(Object.prototype);
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
    expect(applyMergePatch(patched, JSON.parse('{"__proto__":null}') as JsonValue)).toEqual({ constructor: { a: 1 } });
  });
});

describe('laws', () => {
  const key = fc.constantFrom('a', 'b', 'c', '__proto__');
  const { value: json } = fc.letrec<{ value: JsonValue }>((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom(null, true, 0, 'x'),
      fc.array(tie('value'), { maxLength: 2 }),
      fc.dictionary(key, tie('value'), { maxKeys: 3 }),
    ),
  }));
  const same = (a: JsonValue, b: JsonValue): void => {
    expect(JSON.stringify(sorted(a))).toBe(JSON.stringify(sorted(b)));
  };

  test('applying twice changes nothing more', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = applyMergePatch(target, patch);
        same(applyMergePatch(once, patch), once);
      }),
      fuzzRuns(500),
    );
  });

  test('an empty patch changes no object', () => {
    fc.assert(fc.property(fc.dictionary(key, json), (target) => same(applyMergePatch(target, {}), target)));
  });

  test('what the patch does not mention is untouched', () => {
    fc.assert(
      fc.property(fc.dictionary(key, json), fc.dictionary(key, json), (target, patch) => {
        const result = applyMergePatch(target, patch) as Record<string, JsonValue>;
        for (const name of Object.keys(target)) {
          if (!Object.hasOwn(patch, name)) same(result[name] as JsonValue, target[name] as JsonValue);
        }
      }),
    );
  });
});

/** The value with every object's keys sorted. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([name, item]) => [name, sorted(item)]));
}
