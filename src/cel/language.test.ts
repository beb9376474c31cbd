// The language: literals, operators, macros, errors. One row a case.

import { describe, expect, test } from 'vitest';
import { toJson } from './adapt.ts';
import { compile } from './compile.ts';
import { Environment } from './environment.ts';
import { bool, bytes, double, dyn, int, list, map, record, string } from './types.ts';
import type { Value } from './values.ts';

const environment = new Environment({
  bindings: true,
  variables: {
    x: dyn,
    m: map(string, dyn),
    items: list(int),
    words: list(string),
    flag: bool,
    n: int,
    d: double,
    text: string,
    raw: bytes,
    missing: dyn,
    thing: record('Thing', { size: int, name: string }),
  },
});
const variables = {
  x: { a: 1, b: [1, 2, { c: 'z' }], big: 9007199254740993n, nothing: null, half: 0.5 },
  m: { k: 'v', n: 3 },
  items: [1, 2, 3],
  words: ['a', 'bb', 'ccc'],
  flag: true,
  n: 5,
  d: 2,
  text: 'h😀llo',
  raw: 'YWJj',
  thing: { size: 3 },
};

function run(source: string): unknown {
  const compiled = compile(source, environment);
  if ('errors' in compiled) throw new Error(compiled.errors.message);
  const outcome = compiled.program.evaluate(variables);
  return 'error' in outcome ? { error: outcome.error } : plainValue(outcome.value);
}

const plainValue = (value: Value): unknown => toJson(value);

const values: readonly (readonly [string, unknown])[] = [
  // literals
  ['1', 1n],
  ['-1', -1n],
  ['- -1', 1n],
  ['dyn([1.5, 2.0]).sum()', 3.5],
  ["dyn([duration('1s'), duration('2s')]).sum() == duration('3s')", true],
  ['lists.range(-1)', []],
  ['has(x.nothing.a) || has(x.a.b) || has(x.half.b)', false],
  ['x.nothing.?a.hasValue() || x.nothing[?0].hasValue() || x.?nothing.b.hasValue()', false],
  ["optional.ofNonZeroValue(timestamp('0001-01-01T00:00:00Z')).hasValue()", false],
  ["optional.ofNonZeroValue(timestamp('1970-01-01T00:00:00Z')).hasValue()", true],
  ["isSemver('18446744073709551615.0.0') && !isSemver('18446744073709551616.0.0')", true],
  ["semver('9223372036854775808.0.0').isGreaterThan(semver('9223372036854775807.0.0'))", true],
  ['0xff', 255n],
  ['-9223372036854775808', -9223372036854775808n],
  ['18446744073709551615u', 18446744073709551615n],
  ['1.5', 1.5],
  ['.5e1', 5],
  ['true', true],
  ['null', null],
  [`'a' + "b" + '''c''' + """d"""`, 'abcd'],
  [String.raw`'\n\t\\\'\"\x41\u00e9\U0001F600\101'`, '\n\t\\\'"Aé😀A'],
  [String.raw`r'\n' + R"\d"`, '\\n\\d'],
  [String.raw`b'a\xff\377' == b'\x61\xff\xff'`, true],
  [`b'é'.size()`, 2n],
  [`'''a\nb'''`, 'a\nb'],
  ['[1, 2,]', [1n, 2n]],
  [`{'a': 1, 'b': 2}['b']`, 2n],
  ['1 // a remark\n + 2', 3n],
  // numbers
  ['7 / 2', 3n],
  ['-7 / 2', -3n],
  ['-7 % 3', -1n],
  ['7.0 / 2.0', 3.5],
  ['1.0 / 0.0 > 1e308', true],
  ['2u * 3u', 6n],
  ['1 + 2 * 3 - 4', 3n],
  ['(1 + 2) * 3', 9n],
  // equality and order
  ['1 == 1', true],
  ['dyn(1) == 1.0', true],
  ['dyn(1u) == 1', true],
  ['dyn(1) == "1"', false],
  ['dyn(9007199254740993) == 9007199254740992.0', true],
  ['dyn(9223372036854775807) < 9223372036854775808.0', false],
  ['dyn(9223372036854775808.0) <= 9223372036854775807', true],
  ['items[dyn(1u)] + items[dyn(2.0)]', 5n],
  [`{'a': 1, text: 2, 'h' + text.substring(1): 3}`, { a: 1n, 'h😀llo': 3n }],
  ["{'a': 1, ?'a': optional.none()}", {}],
  ["{1.5: 'a'}[1.5] + {null: 'b'}[null]", 'ab'],
  ["duration('123.321s').getMilliseconds()", 123321n],
  ['null == thing || thing == null', false],
  ['null in [thing]', false],
  ['[1, 2] == [1, 2]', true],
  [`{'a': 1} == {'a': 1}`, true],
  [`{'a': dyn(1)} == {'a': dyn(1.0)}`, true],
  ['1 < 1.5 && 2u > 1.5 && 1 <= 1u', true],
  [`'a' < 'b' && 'Z' < 'a' && '\uffff' < '😀'`, true],
  ['false < true', true],
  ['double("NaN") == double("NaN")', false],
  ['double("NaN") < 1.0', false],
  ['x.nothing == null', true],
  // logic absorbs errors
  ['true || 1 / 0 > 1', true],
  ['1 / 0 > 1 || true', true],
  ['false && missing', false],
  ['missing && false', false],
  ['flag ? 1 : 2', 1n],
  ['!flag', false],
  ['!!flag', true],
  // selection
  ['x.a', 1n],
  ['x.b[2].c', 'z'],
  ['x.big', 9007199254740993n],
  ['x.half', 0.5],
  [`x['a']`, 1n],
  ['m.k', 'v'],
  ['has(x.a)', true],
  ['has(x.q)', false],
  ['has(m.k) && !has(m.z)', true],
  ['has(x.nothing)', true],
  ['has({}.a)', false],
  [`'k' in m && !('z' in m)`, true],
  ['2 in items', true],
  ['1.0 in [dyn(1)]', true],
  ['{1: "a"}[dyn(1.0)]', 'a'],
  ['size(dyn(thing)) == 1 && dyn(thing).all(k, v, k == "size" && v == 3)', true],
  // macros
  ['items.all(i, i > 0)', true],
  ['items.exists(i, i > 2)', true],
  ['items.exists_one(i, i > 2)', true],
  ['items.map(i, i * i)', [1n, 4n, 9n]],
  ['items.map(i, i > 1, i * 10)', [20n, 30n]],
  ['items.filter(i, i != 2)', [1n, 3n]],
  [
    'items.map(i, items.map(j, i * j))',
    [
      [1n, 2n, 3n],
      [2n, 4n, 6n],
      [3n, 6n, 9n],
    ],
  ],
  ['m.map(k, k)', ['k', 'n']],
  ['items.all(i, 1 / (i - 2) != 5 || i == 2)', true],
  ['items.exists(i, 1 / (i - 1) >= 0)', true],
  ['[].all(i, false)', true],
  ['items.all(i, v, i == v - 1)', true],
  ['items.exists(i, v, i == 2 && v == 3)', true],
  ['m.existsOne(k, v, v == "v")', true],
  ['items.transformList(i, v, i > 0, i * v)', [2n, 6n]],
  [`{'a': 1, 'b': 2}.transformMap(k, v, v > 1, v * 2)`, { b: 4n }],
  ['words.transformMapEntry(i, v, {v: i})', { a: 0n, bb: 1n, ccc: 2n }],
  ['cel.bind(sum, n + n, sum * sum)', 100n],
  ['items.map(x, x + 1)', [2n, 3n, 4n]],
  // optionals
  ['x.?a.orValue(5)', 1n],
  ['x.?q.?r.orValue(5)', 5n],
  ['m[?"z"].hasValue()', false],
  ['items[?7].orValue(0)', 0n],
  ['optional.of(1).or(missing).value()', 1n],
  ['optional.none().orValue(3)', 3n],
  ['optional.ofNonZeroValue("").hasValue()', false],
  ['optional.of(2).optMap(v, v * 2).orValue(0)', 4n],
  ['m.?k.optFlatMap(v, m[?v]).hasValue()', false],
  ['[?m.?z, ?m.?k]', ['v']],
  [`{?'a': m.?z, ?'b': m.?k}`, { b: 'v' }],
  ['items.first().value() + items.last().value()', 4n],
  // types and conversions
  ['type(1) == int && type("") == string && type([]) == list && type({}) == map && type(null) == null_type', true],
  ['type(type(1)) == type', true],
  ['int("42") + int(3.9) + int(2u)', 47n],
  ['uint(7)', 7n],
  ['double("1e3")', 1000],
  ['string(1) + string(1.5) + string(true) + string(2u)', '11.5true2'],
  ['string(1e20)', '1e+20'],
  ['bool("true")', true],
  ['string(b"abc")', 'abc'],
  ['bytes("é").size()', 2n],
  ['raw == b"abc"', true],
  ['text.size()', 5n],
  ['d', 2],
  // times
  ['timestamp("2024-02-29T12:00:00Z").getDate()', 29n],
  ['timestamp("2024-02-29T12:00:00Z").getDayOfYear()', 59n],
  ['timestamp("2024-01-01T00:30:00Z").getHours("-01:00")', 23n],
  ['timestamp("2024-07-01T00:30:00Z").getHours("Europe/Berlin")', 2n],
  ['timestamp("2024-01-01T00:00:00Z") + duration("1h30m") > timestamp("2024-01-01T01:00:00Z")', true],
  ['timestamp("2024-01-02T00:00:00Z") - timestamp("2024-01-01T00:00:00Z") == duration("24h")', true],
  ['duration("90s").getMinutes()', 1n],
  ['string(duration("1.5s"))', '1.5s'],
  ['int(timestamp("1970-01-01T00:01:00Z"))', 60n],
  ['timestamp(60) == timestamp("1970-01-01T00:01:00Z")', true],
];

describe('expressions give', () => {
  test.each(values)('%s', (source, expected) => {
    expect(run(source)).toEqual(expected);
  });
});

const failures: readonly (readonly [string, string])[] = [
  ['9223372036854775807 + 1', 'integer overflow'],
  ['-9223372036854775808 - 1', 'integer overflow'],
  ['-(n - 9223372036854775807 - 6)', 'integer overflow'],
  ['n * 9223372036854775807', 'integer overflow'],
  ['0u - 1u', 'unsigned integer overflow'],
  ['n / 0', 'division by zero'],
  ['n % 0', 'modulus by zero'],
  ['items[3]', 'index out of bounds: 3'],
  ['x.q', 'no such key: q'],
  ['x.q.r', 'no such key: q'],
  [`m['z']`, 'no such key: z'],
  ['missing', 'no such attribute(s): missing'],
  ['x.a + x.half', 'no such overload'],
  ['x.a && true', 'no such overload'],
  ['x.a ? 1 : 2', 'no such overload'],
  ['items.all(i, 1 / (i - 2) < 5)', 'division by zero'],
  ['items.map(i, 1 / (i - 2))', 'division by zero'],
  ['int(d * 1e30)', 'integer overflow'],
  ['uint(-n)', 'unsigned integer overflow'],
  ['int(text)', "type conversion error from 'string' to 'int'"],
  ['int(text + "1" + "0")', "type conversion error from 'string' to 'int'"],
  ['int("9223372036854775807" + string(n))', "type conversion error from 'string' to 'int'"],
  ['uint(text)', "type conversion error from 'string' to 'uint'"],
  ['double(text)', "type conversion error from 'string' to 'double'"],
  ['bool(text)', "type conversion error from 'string' to 'bool'"],
  ['duration(text)', "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ['timestamp(text)', "type conversion error from 'string' to 'google.protobuf.Timestamp'"],
  [String.raw`string(raw + b'\xff')`, 'invalid UTF-8 in bytes, cannot convert to string'],
  ['dyn(["a"]).sum()', 'no such overload: sum(list)'],
  ['dyn([[1]]).sum()', 'no such overload: sum(list)'],
  ['dyn([dyn(1), dyn(2u)]).sum()', 'no such overload'],
  ['optional.none().value()', 'optional.none() dereference'],
  ['duration("2000000h") + duration("2000000h")', 'integer overflow'],
  ['timestamp("9999-12-31T23:59:59Z") + duration("1s")', 'timestamp overflow'],
  ['x.all(k, v, v > 0)', 'no such overload: _>_'],
  // what is neither a map nor a list has nothing in it
  ['x.nothing.a', 'no such key: a'],
  ['x.nothing.a.b', 'no such key: a'],
  ['x.a.b', 'no such key: b'],
  ["x.a['b']", 'no such key: b'],
  ['x.nothing[0]', 'no such key: 0'],
  ['has(x.nothing.a.b)', 'no such key: a'],
  ['x.b.c', "unsupported index type 'string' in list"],
  ['has(x.b.c)', "unsupported index type 'string' in list"],
  ['x.nothing < 1', 'no such overload: _<_'],
  ['size(x.a)', 'no such overload: size'],
  ["x.a.split(',')", 'no such overload: split(int, string)'],
  ['quantity(x.a)', 'no such overload: quantity(int)'],
  ['x.a.contains("a")', 'no such overload'],
  ['x.nothing.all(i, true)', "got 'types.Null', expected iterable type"],
  ['x.half.all(i, true)', "got 'types.Double', expected iterable type"],
  ['dyn(quantity("1")).exists(i, true)', "got 'cel.Quantity', expected iterable type"],
  ['x.a.all(i, v, true)', 'unsupported comprehension range type: types.Int'],
];

describe('expressions fail with', () => {
  test.each(failures)('%s', (source, error) => {
    expect(run(source)).toEqual({ error });
  });
});

/** Known without variables: such an expression is refused, though it is well-formed. */
const constantFailures: readonly (readonly [string, string])[] = [
  ['int(1e30)', 'integer overflow'],
  ['uint(-1)', 'unsigned integer overflow'],
  ['flag || int("z") == 1', "type conversion error from 'string' to 'int'"],
  [String.raw`string(b'\xff')`, 'invalid UTF-8 in bytes, cannot convert to string'],
  ['text.find(")")', 'error parsing regexp: unexpected ): `)`'],
  ['text.findAll("(", 1)', 'error parsing regexp: missing closing ): `(`'],
];

test.each(constantFailures)('%s fails before it runs', (source, message) => {
  expect(compile(source, environment)).toMatchObject({
    errors: {
      issues: [],
      message,
      type: expect.anything() as unknown,
      detail: `program instantiation failed: ${message}`,
    },
  });
});

describe('keys are data', () => {
  test.each(['__proto__', 'constructor', 'hasOwnProperty', 'toString'])('%s', (key) => {
    const object = JSON.parse(`{"x":{},"m":{"${key}":1}}`) as Record<string, unknown>;
    const outcome = (source: string) => {
      const compiled = compile(source, environment);
      return 'program' in compiled ? compiled.program.evaluate({ ...object }) : compiled.errors.message;
    };
    expect(outcome(`has(x.${key})`)).toMatchObject({ value: false });
    expect(outcome(`x.${key}`)).toMatchObject({ error: `no such key: ${key}` });
    expect(outcome(`m.${key} == 1 && m.exists(k, k == '${key}')`)).toMatchObject({ value: true });
    expect(outcome(`{'${key}': 2}['${key}'] == 2`)).toMatchObject({ value: true });
    expect(outcome(`${key}`)).toBe(
      `ERROR: <input>:1:1: undeclared reference to '${key}' (in container '')\n | ${key}\n | ^`,
    );
  });
});
