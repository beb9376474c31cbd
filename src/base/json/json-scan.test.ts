import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { stringifyJson } from './json.ts';
import { JsonSyntaxError, parseJsonText, scanJson, showPath } from './json-scan.ts';
import { weighJson } from './json-weight.ts';

function outcome(read: () => unknown): { value: unknown } | 'refused' {
  try {
    return { value: read() };
  } catch {
    return 'refused';
  }
}

const position = (text: string): number => {
  try {
    scanJson(text);
  } catch (error) {
    if (error instanceof JsonSyntaxError) return error.position;
    throw error;
  }
  throw new Error('was read');
};

describe('the scanner', () => {
  test('reads what JSON.parse reads', () => {
    fc.assert(
      fc.property(fc.json({ maxDepth: 4 }), fc.integer({ min: 0, max: 2 }), (text, indent) => {
        const spaced = JSON.stringify(JSON.parse(text), undefined, indent);
        expect(stringifyJson(scanJson(spaced))).toBe(JSON.stringify(JSON.parse(text)));
      }),
    );
  });

  test('refuses what JSON.parse refuses, and nothing else', () => {
    const broken = fc
      .tuple(
        fc.json(),
        fc.nat(),
        fc.constantFrom('', '"', '{', '}', ',', '\\', '0', 'e', '-', '.', ' ', '\n', '\u0001', 't'),
        fc.nat(3),
      )
      .map(
        ([text, at, insert, cut]) =>
          text.slice(0, at % (text.length + 1)) + insert + text.slice((at % (text.length + 1)) + cut),
      );
    fc.assert(
      fc.property(broken, (text) => {
        const expected = outcome(() => JSON.parse(text) as unknown);
        const found = outcome(() => scanJson(text));
        expect(found === 'refused').toBe(expected === 'refused');
        if (found !== 'refused' && expected !== 'refused' && !/\d{16}/.test(text))
          expect(found.value).toEqual(expected.value);
      }),
      fuzzRuns(1000),
    );
  });

  test('never fails in another way', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        try {
          scanJson(text);
        } catch (error) {
          expect(error).toBeInstanceOf(JsonSyntaxError);
        }
      }),
      fuzzRuns(100),
    );
  });

  test.each([
    ['', 0, 'unexpected end of JSON input'],
    ['{"a":}', 5, "invalid character '}' looking for beginning of value"],
    ['{"a" 1}', 5, "invalid character '1' after object key"],
    ['{a:1}', 1, "invalid character 'a' looking for beginning of object key string"],
    ['[1 2]', 3, "invalid character '2' after array element"],
    ['{"a":1 "b"}', 7, 'after object key:value pair'],
    ['{} x', 3, "invalid character 'x' after top-level value"],
    ['"abc', 4, 'unexpected end of JSON input'],
    ['"a\\x"', 3, "invalid character 'x' in string escape code"],
    ['"a\\u12x4"', 6, "invalid character 'x' in string \\u hexadecimal character escape"],
    ['"a\u0001"', 2, "invalid character '\\x01' in string literal"],
    ['nulx', 3, "invalid character 'x' in literal null (expecting 'l')"],
    ['tru', 3, 'unexpected end of JSON input'],
    ["{'a':1}", 1, "invalid character '\\'' looking for beginning of object key string"],
    ['\ufeff{}', 0, "invalid character 'ï' looking for beginning of value"],
    ['01', 1, 'after top-level value'],
  ])('says where %j breaks', (text, at, message) => {
    expect(position(text)).toBe(at);
    expect(() => scanJson(text)).toThrow(message);
  });

  test('tells every number as it is written', () => {
    const numbers: unknown[] = [];
    scanJson('{"a":[1.0,-2],"b":{"c":1e3},"d":"4.0"}', {
      number: (literal, path) => numbers.push([literal, showPath(path)]),
    });
    expect(numbers).toEqual([
      ['1.0', 'a[0]'],
      ['-2', 'a[1]'],
      ['1e3', 'b.c'],
    ]);
  });

  test('is not exhausted by depth', () => {
    expect(() => scanJson('['.repeat(100_000))).toThrow(JsonSyntaxError);
  });

  test('tells every key with its path, and whether it was there before', () => {
    const keys: unknown[] = [];
    scanJson('{"a":{"b":1,"b":2},"l":[{"c":1},{"c":2,"c":3}],"a":1}', {
      key: (key, path, repeats) => keys.push([key, showPath(path), repeats]),
    });
    expect(keys).toEqual([
      ['a', 'a', false],
      ['b', 'a.b', false],
      ['b', 'a.b', true],
      ['l', 'l', false],
      ['c', 'l[0].c', false],
      ['c', 'l[1].c', false],
      ['c', 'l[1].c', true],
      ['a', 'a', true],
    ]);
  });

  test('__proto__ is data', () => {
    const value = scanJson('{"__proto__":{"polluted":1}}') as object;
    expect(Object.keys(value)).toEqual(['__proto__']);
    expect(Object.getPrototypeOf(value)).toBe(Object.prototype);
  });
});

describe('integers', () => {
  const integer = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n });

  test('survive a round trip, however large', () => {
    fc.assert(
      fc.property(integer, integer, (a, b) => {
        const text = `{"a":${a},"list":[${b},{"c":${a}}]}`;
        expect(stringifyJson(parseJsonText(text))).toBe(text);
      }),
    );
  });

  test('that fit are numbers', () => {
    expect(scanJson('[9007199254740991,-9007199254740991,9007199254740993]')).toEqual([
      9007199254740991,
      -9007199254740991,
      9007199254740993n,
    ]);
  });

  test('too long for any type are kept, up to a length', () => {
    expect(scanJson('123456789012345678901234567890')).toBe(123456789012345678901234567890n);
    expect(scanJson('1'.repeat(300))).toBe(BigInt('1'.repeat(300)));
    expect(scanJson('1'.repeat(301))).toBe(Number('1'.repeat(301)));
  });

  test('are written indented too', () => {
    const value = { a: [1n, { b: 2n }], c: {}, d: [] };
    expect(stringifyJson(value, 2)).toBe(JSON.stringify({ a: [1, { b: 2 }], c: {}, d: [] }, undefined, 2));
  });
});

describe('the weight of a text', () => {
  test('is not less than its values', () => {
    expect(weighJson('{"a":[1,2,3],"b":"[,,,{"}').values).toBe(6);
    expect(weighJson('{"a":"\\\\",{,').values).toBe(5);
    expect(weighJson('"{[')).toEqual({ values: 1, isTooDeep: false });
    expect(weighJson('['.repeat(2000)).isTooDeep).toBe(true);
    fc.assert(
      fc.property(fc.json(), (source) => {
        let values = 0;
        JSON.parse(source, () => values++);
        expect(weighJson(source).values).toBeGreaterThanOrEqual(values);
      }),
      fuzzRuns(200),
    );
  });
});
