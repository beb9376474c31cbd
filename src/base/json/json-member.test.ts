import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { findValue, UnexpectedJsonError, withoutMember } from './json-member.ts';

function find(value: unknown, ...path: string[]): unknown {
  const bytes = findValue(Buffer.from(JSON.stringify(value)), path);
  return bytes && JSON.parse(Buffer.from(bytes).toString());
}

describe('finding a member in JSON', () => {
  test.each([
    [{ a: 1, b: { c: 'x' } }, ['b', 'c'], 'x'],
    [{ text: '"b":{"c":"no"}', b: { c: 'yes' } }, ['b', 'c'], 'yes'],
    [{ list: [{ b: 1 }, '}', '\\'], b: 2 }, ['b'], 2],
    [{ a: { b: 1 } }, ['b'], undefined],
    [{ a: null, b: true }, ['a'], null],
    [{}, ['a'], undefined],
    [{ a: 'text' }, ['a', 'b'], undefined],
    [{ 'é\\"': 1, b: [] }, ['b'], []],
  ])('%j at %j', (value, path, expected) => {
    expect(find(value, ...path)).toEqual(expected);
  });

  test('says so when the text has spaces, rather than missing something', () => {
    expect(() => findValue(Buffer.from('{ "a": 1 }'), ['a'])).toThrow(UnexpectedJsonError);
    expect(() => findValue(Buffer.from('{"b":1, "a": 1}'), ['a'])).toThrow(UnexpectedJsonError);
    expect(() => findValue(Buffer.from('{"a'), ['b'])).toThrow(UnexpectedJsonError);
  });

  test('finds what follows a long string, wherever that has quotes and backslashes', () => {
    for (let length = 40; length < 120; length++)
      for (const part of ['"', '\\', '\\"', '"\\', '\\\\', '""', '\n', 'é'])
        for (const at of [0, 30, length - 1, length]) {
          const text = `${'x'.repeat(at)}${part}${'x'.repeat(length - at)}`;
          expect(find({ text, [text]: 1, a: { b: length } }, 'a', 'b')).toBe(length);
        }
    expect(() => findValue(Buffer.from(`{"a":"${'x'.repeat(100)}\\"}`), ['b'])).toThrow(UnexpectedJsonError);
  });

  test('agrees with a parser on any object', () => {
    const key = fc.constantFrom('a', 'b', 'labels', 'x"y');
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof({ depthSize: 'small' }, fc.string(), fc.integer(), fc.boolean(), tie('list'), tie('object')),
      list: fc.array(tie('value'), { maxLength: 3 }),
      object: fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    }));
    fc.assert(
      fc.property(fc.dictionary(key, value), (object) => {
        for (const path of [['a'], ['labels'], ['a', 'b']]) {
          const plain = path.reduce<unknown>(
            (found, name) =>
              typeof found === 'object' && found !== null && !Array.isArray(found) && Object.hasOwn(found, name)
                ? (found as Record<string, unknown>)[name]
                : undefined,
            object,
          );
          expect(find(object, ...path)).toEqual(plain);
        }
      }),
    );
  });

  test('takes a member out of any object, and nothing else', () => {
    const inner = fc.dictionary(fc.constantFrom('a', 'b', 'c', 'd'), fc.jsonValue(), { maxKeys: 4 });
    fc.assert(
      fc.property(fc.record({ a: inner, b: fc.jsonValue() }, { requiredKeys: [] }), (object) => {
        const json = Buffer.from(JSON.stringify(object));
        const { b: _, ...others } = object.a ?? {};
        const expected = object.a === undefined ? object : { ...object, a: others };
        expect(String(withoutMember(json, ['a', 'b']))).toBe(JSON.stringify(expected));
        if (expected.a === object.a) expect(withoutMember(json, ['a', 'none'])).toBe(json);
      }),
    );
  });
});
