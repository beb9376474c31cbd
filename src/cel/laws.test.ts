// Laws that hold for every expression: arithmetic, printing, and garbage.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { toJson } from './adapt.ts';
import { compile } from './compile.ts';
import { print } from './conformance/print.ts';
import { Environment } from './environment.ts';
import { estimateCost } from './estimate.ts';
import { parse } from './parser.ts';
import { dyn, int, list, string, uint } from './types.ts';
import { UintValue } from './values.ts';

const environment = new Environment({
  variables: { a: int, b: int, u: uint, v: uint, x: dyn, s: string, l: list(int) },
});

function outcome(source: string, variables: Record<string, unknown>): unknown {
  const compiled = compile(source, environment);
  if ('errors' in compiled) return { issues: compiled.errors.message };
  const result = compiled.program.evaluate(variables);
  return 'error' in result ? { error: result.error } : toJson(result.value);
}

const int64 = fc.oneof(fc.bigInt(-(2n ** 63n), 2n ** 63n - 1n), fc.bigInt(-5n, 5n));
const uint64 = fc.oneof(fc.bigInt(0n, 2n ** 64n - 1n), fc.bigInt(0n, 5n));

const operations: Readonly<Record<string, (a: bigint, b: bigint) => bigint | undefined>> = {
  '+': (a, b) => a + b,
  '-': (a, b) => a - b,
  '*': (a, b) => a * b,
  '/': (a, b) => (b === 0n ? undefined : a / b),
  '%': (a, b) => (b === 0n ? undefined : a % b),
};

describe('arithmetic', () => {
  test.each(Object.entries(operations))('of integers is exact or an error: %s', (symbol, model) => {
    fc.assert(
      fc.property(int64, int64, (a, b) => {
        const expected = model(a, b);
        const fits = expected !== undefined && BigInt.asIntN(64, expected) === expected;
        const result = outcome(`a ${symbol} b`, { a, b });
        if (fits) expect(result).toBe(expected);
        else expect(result).toHaveProperty('error');
      }),
    );
  });

  test.each(Object.entries(operations))('of unsigned integers too: %s', (symbol, model) => {
    fc.assert(
      fc.property(uint64, uint64, (a, b) => {
        const expected = model(a, b);
        const fits = expected !== undefined && BigInt.asUintN(64, expected) === expected;
        const result = outcome(`u ${symbol} v`, { u: new UintValue(a), v: new UintValue(b) });
        if (fits) expect(result).toBe(expected);
        else expect(result).toHaveProperty('error');
      }),
    );
  });

  test('numbers of different types are in the order of what they are worth', () => {
    fc.assert(
      fc.property(int64, fc.double({ noNaN: true, noInteger: true }), (a, x) => {
        expect(outcome('a < dyn(x)', { a, x })).toBe(a < x);
        expect(outcome('a > dyn(x)', { a, x })).toBe(a > x);
        expect(outcome('a == dyn(x)', { a, x })).toBe(false);
      }),
    );
  });
});

describe('strings', () => {
  test('have as many characters as code points, and take apart what they put together', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (s) => {
        expect(outcome('s.size()', { s })).toBe(BigInt([...s].length));
        expect(outcome("s.split('').join('') == s", { s })).toBe(true);
        expect(outcome("s + 'x' > s", { s })).toBe(true);
      }),
    );
  });
});

/** Expressions by the grammar, not always well typed. */
const { expression } = fc.letrec<{ expression: string; leaf: string }>((tie) => ({
  leaf: fc.constantFrom(
    '1',
    '-1',
    '2u',
    '1.5',
    '-0.5',
    "'a\\n'",
    "b'x'",
    'true',
    'null',
    'a',
    's',
    'l',
    'x',
    '[]',
    '{}',
  ),
  expression: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    tie('leaf'),
    fc
      .tuple(
        tie('expression'),
        fc.constantFrom('+', '-', '*', '/', '%', '==', '<', '&&', '||', 'in'),
        tie('expression'),
      )
      .map(([left, symbol, right]) => `${left} ${symbol} ${right}`),
    tie('expression').map((inner) => `(${inner})`),
    tie('expression').map((inner) => `!(${inner})`),
    tie('expression').map((inner) => `-(${inner})`),
    fc.tuple(tie('expression'), tie('expression'), tie('expression')).map(([a, b, c]) => `(${a}) ? (${b}) : ${c}`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a})[${b}]`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `[${a}, ${b}]`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `{${a}: ${b}}`),
    tie('expression').map((inner) => `(${inner}).field`),
    tie('expression').map((inner) => `has((${inner}).field)`),
    tie('expression').map((inner) => `(${inner}).?field.orValue(1)`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}).all(i, ${b})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `(${a}).map(i, ${b})`),
    fc.tuple(tie('expression'), tie('expression')).map(([a, b]) => `size(${a}) + (${b}).size()`),
  ),
}));

describe('printing', () => {
  test('gives text that reads as the same expression', () => {
    fc.assert(
      fc.property(expression, (source) => {
        const printed = print(parse(source));
        expect(print(parse(printed))).toBe(printed);
        const variables = { a: 3, b: 4, x: { field: 1 }, s: 'abc', l: [1, 2] };
        const [first, second] = [outcome(source, variables), outcome(printed, variables)];
        if (!(typeof first === 'object' && first !== null && 'issues' in first)) expect(second).toEqual(first);
      }),
      { numRuns: 300 },
    );
  });
});

describe('estimates', () => {
  test('are never less than what a run costs', () => {
    fc.assert(
      fc.property(expression, (source) => {
        const compiled = compile(source, environment);
        // as in Kubernetes, selections from untyped values and the root of an index are not foreseen
        if ('errors' in compiled || /field|\)\[/.test(source)) return;
        const { cost } = compiled.program.evaluate({ a: 3, b: 4, x: { field: 1 }, s: 'abc', l: [1, 2] });
        expect(cost).toBeLessThanOrEqual(estimateCost(compiled.program.checked).max);
      }),
      { numRuns: 500 },
    );
  });
});

describe('garbage', () => {
  const noise = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 60 }),
    fc
      .array(
        fc.constantFrom(
          '(',
          ')',
          '[',
          ']',
          '{',
          '}',
          '.',
          '?',
          ':',
          ',',
          '!',
          '-',
          '+',
          '&&',
          '||',
          'in',
          'x',
          'has',
          "'",
          '"',
          "r'",
          '1',
          '0x',
          'u',
          'e9',
          '.all',
          '.map(i,',
          '\\',
          '\n',
          '//',
          '==',
          'null',
        ),
      )
      .map((parts) => parts.join(' ')),
    expression.map((text) => text.slice(0, -1)),
  );

  test('is refused with a place, or runs; nothing else happens', () => {
    fc.assert(
      fc.property(noise, (source) => {
        const compiled = compile(source, environment);
        if ('errors' in compiled) {
          expect(compiled.errors.message).toMatch(/^ERROR: <input>:\d+:\d+: ./);
          for (const { at } of compiled.errors.issues) expect(at).toBeLessThanOrEqual(source.length);
        } else compiled.program.evaluate({ a: 1, b: 2, x: null, s: '', l: [] });
      }),
      { numRuns: 1000 },
    );
  });
});
