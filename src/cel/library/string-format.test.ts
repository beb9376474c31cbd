// Texts that `format` fills in, as cel-go's version 2 of the string library writes them.

import { describe, expect, test } from 'vitest';
import { compile } from '../compile.ts';
import { Environment } from '../environment.ts';
import { dyn } from '../types.ts';
import { fixedDigits, scientificDigits } from './double-digits.ts';

const environment = new Environment({ variables: { x: dyn, template: dyn } });

function run(source: string, variables: Readonly<Record<string, unknown>> = {}): unknown {
  const compiled = compile(source, environment);
  if ('errors' in compiled) return { issue: (compiled.errors.issues[0] as { message: string }).message };
  const outcome = compiled.program.evaluate(variables);
  return 'error' in outcome ? { error: outcome.error } : outcome.value;
}

describe('format writes', () => {
  test.each([
    ["'%s %s %s'.format(['a', 1, [true, 1.5]])", 'a 1 [true, 1.500000]'],
    ["'%d%% of %d'.format([5, 1234567u])", '5% of 1234567'],
    ["'%b %b %o %x %X %x %x'.format([5, true, -8, 255, 255, 'hi', b'hi'])", '101 1 -10 ff FF 6869 6869'],
    ["'%.3f|%f|%.0f|%.0f|%.2f'.format([1.2345, 2.71828, 2.5, 3.5, 1.005])", '1.234|2.718280|2|4|1.00'],
    ["'%.2f %.1f %.0f'.format([1234567.891, -999.96, 1e22])", '1,234,567.89 -1,000.0 10,000,000,000,000,000,000,000'],
    ["'%.1f %.1f'.format([-0.01, 0.0])", '-0.0 0.0'],
    ["'%f %f %f'.format(['NaN', 'Infinity', '-Infinity'])", 'NaN ∞ -∞'],
    ["'%.6e'.format([1052.032911275])", '1.052033×10⁰³'],
    ["'%e|%e|%e'.format([2.71828, -0.00012, 0.0])", '2.718280×10⁰⁰|-1.200000×10⁻⁰⁴|0.000000×10⁰⁰'],
    ["'%.20e|%e'.format([1e100, 'NaN'])", '      1.000000×10¹⁰⁰|   NaN'],
    ["'%s %s %s'.format([2.71, 0.000000002, double('Inf')])", '2.71 2e-09 +Inf'],
    ["'%s'.format([[2.71, 0.000000002, double('Inf'), double('NaN')]])", '[2.710000, 0.000000, "+Inf", "NaN"]'],
    ["'%s %s %s'.format([null, type('x'), b'xyz'])", 'null string xyz'],
    ["'%s %s'.format([timestamp('2023-02-03T23:31:20+00:00'), duration('1h45m47s')])", '2023-02-03T23:31:20Z 6347s'],
    [
      "'%s'.format([['a\"b\\n\\x07', null, [9], timestamp('2023-02-03T23:31:20Z'), b'x', 1u, true]])",
      '["a\\"b\\n\\a", null, [9], timestamp("2023-02-03T23:31:20Z"), b"x", 1, true]',
    ],
    [
      "'%s'.format([{'key2': duration('2h'), 'key1': b'xyz', 3: 2.71828, true: null}])",
      '{"key1":b"xyz", "key2":duration("7200s"), 3:2.718280, true:null}',
    ],
    ["'%.3s|%.1d'.format(['abcdef', 12])", 'abcdef|12'],
  ])('%s', (source, expected) => {
    expect(run(source)).toBe(expected);
  });
});

describe('format says, of literals before the first run,', () => {
  test.each([
    ["'%s'.format([])", 'index 0 out of range'],
    ["'%s'.format(['a', 'b'])", 'too many arguments supplied to string.format (expected 1, got 2)'],
    ["'%'.format([1])", 'unexpected end of string'],
    ["'%q'.format([1])", 'could not parse formatting clause: unrecognized formatting clause "q"'],
    ["'%ä'.format([1])", 'could not parse formatting clause: unrecognized formatting clause "Ã"'],
    [
      "'%.f'.format([1.0])",
      'could not parse formatting clause: error while parsing precision: error while converting precision to integer: ' +
        'strconv.Atoi: parsing "": invalid syntax',
    ],
    [
      "'%.5'.format([1.0])",
      'could not parse formatting clause: error while parsing precision: could not find end of precision specifier',
    ],
    [
      "'%d'.format([duration('1m')])",
      'error during formatting: decimal clause can only be used on integers, was given google.protobuf.Duration',
    ],
    ["'%f'.format([1])", 'error during formatting: fixed-point clause can only be used on doubles, was given int'],
    ["'%e'.format([1u])", 'error during formatting: scientific clause can only be used on doubles, was given uint'],
    [
      "'%b'.format(['a'])",
      'error during formatting: only integers and bools can be formatted as binary, was given string',
    ],
    ["'%o'.format([1.5])", 'error during formatting: octal clause can only be used on integers, was given double'],
    [
      "'%x'.format([[1]])",
      'error during formatting: only integers, byte buffers, and strings can be formatted as hex, was given list',
    ],
    [
      "'%s'.format([[1, optional.none()]])",
      'error during formatting: string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, ' +
        'types, durations, and timestamps, was given optional_type',
    ],
  ])('%s', (source, message) => {
    expect(run(source)).toEqual({ issue: message });
  });
});

test('what is no literal is checked when it runs', () => {
  expect(run("'%d'.format([x])", { x: 'a' })).toEqual({
    error: 'error during formatting: decimal clause can only be used on integers, was given string',
  });
  expect(run('template.format([x])', { template: '%f', x: 'text' })).toEqual({
    error: 'error during formatting: fixed-point clause can only be used on doubles, was given string',
  });
  expect(run('template.format([x])', { template: '%.101f', x: 0.5 })).toEqual({
    error: 'error during formatting: precision must be at most 100',
  });
  expect(run("'%s'.format([x])", { x: [{ a: null }] })).toBe('[{"a":null}]');
});

test.each([
  [0.5, 0, '0'],
  [1.5, 0, '2'],
  [0.125, 2, '0.12'],
  [0.375, 2, '0.38'],
  [5e-324, 3, '0.000'],
  [Number.MAX_VALUE, 1, `${BigInt(Number.MAX_VALUE)}.0`],
])('%d with %d digits after the point', (value, digits, expected) => {
  expect(fixedDigits(value, digits)).toBe(expected);
});

test.each([
  [1000000.5, { digits: '1.000000', power: 6 }],
  [1000001.5, { digits: '1.000002', power: 6 }],
  [9999999.5, { digits: '1.000000', power: 7 }],
  [1e23, { digits: '1.000000', power: 23 }],
  [5e-324, { digits: '4.940656', power: -324 }],
])('%d with a power of ten', (value, expected) => {
  expect(scientificDigits(value, 6)).toEqual(expected);
});
