// What is wrong with an expression, where, and in which words.

import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { Environment } from './environment.ts';
import { dyn, int, list, record, string } from './types.ts';

const environment = new Environment({
  variables: { x: dyn, self: record('Widget', { size: int, names: list(string) }), items: list(int) },
});

function message(source: string): string {
  const compiled = compile(source, environment);
  return 'errors' in compiled ? compiled.errors.message : '';
}

const operand =
  "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}";

/** Source, column, message. */
const faults: readonly (readonly [string, number, string])[] = [
  ['y', 1, "undeclared reference to 'y' (in container '')"],
  ['x + y', 5, "undeclared reference to 'y' (in container '')"],
  ['f(1)', 2, "undeclared reference to 'f' (in container '')"],
  ["'a'.f(1)", 6, "undeclared reference to 'f' (in container '')"],
  ["1 + 'a'", 3, "found no matching overload for '_+_' applied to '(int, string)'"],
  ["'a'.startsWith(1)", 15, "found no matching overload for 'startsWith' applied to 'string.(int)'"],
  ['size(1)', 5, "found no matching overload for 'size' applied to '(int)'"],
  ['self.size == "a"', 11, "found no matching overload for '_==_' applied to '(int, string)'"],
  ['self.width', 5, "undefined field 'width'"],
  ['self.size.a', 10, "type 'int' does not support field selection"],
  ['self.names[0].a', 14, "type 'string' does not support field selection"],
  ['items.all(i, i)', 10, "found no matching overload for '_&&_' applied to '(bool, int)'"],
  [
    'self.size.all(i, true)',
    5,
    "expression of type 'int' cannot be range of a comprehension (must be list, map, or dynamic)",
  ],
  ['items.all(i, j > 1)', 14, "undeclared reference to 'j' (in container '')"],
  ["true ? 1 : 'a'", 6, "found no matching overload for '_?_:_' applied to '(bool, int, string)'"],
  ["[1, 'a']", 5, "expected type 'int' but found 'string'"],
  ['[1, dyn(2)]', 8, "expected type 'int' but found 'dyn'"],
  ["[timestamp('2020-01-01T00:00:00Z'), null]", 37, "expected type 'timestamp' but found 'null'"],
  ["{'a': 1, 2: 3}", 10, "expected type 'string' but found 'int'"],
  ['type(x) == dyn', 12, "undeclared reference to 'dyn' (in container '')"],
  ['Gadget{}', 7, "undeclared reference to 'Gadget' (in container '')"],
  ['int{}', 4, "'int' is not a message type"],
  ['has(x)', 5, 'invalid argument to has() macro'],
  ['items.all(a.b, true)', 12, 'argument must be a simple name'],
  ['namespace', 1, 'reserved identifier: namespace'],
  ['9223372036854775808', 1, 'invalid int literal'],
  ['1e999', 1, 'invalid double literal'],
  ["timestamp('today')", 11, 'invalid timestamp argument'],
  ["duration('1 day')", 10, 'invalid duration argument'],
  ["'a'.matches('(')", 13, 'invalid matches argument'],
  ['1 +', 4, `Syntax error: mismatched input '<EOF>' expecting ${operand}`],
  ['', 1, `Syntax error: mismatched input '<EOF>' expecting ${operand}`],
  ['* 1', 1, `Syntax error: extraneous input '*' expecting ${operand}`],
  ['x x', 3, "Syntax error: extraneous input 'x' expecting <EOF>"],
  ['(x', 3, "Syntax error: mismatched input '<EOF>' expecting ')'"],
  ['x.in', 3, "Syntax error: mismatched input 'in' expecting IDENTIFIER"],
  ['x # y', 3, "Syntax error: token recognition error at: '#'"],
  ["'abc", 1, "Syntax error: token recognition error at: ''abc'"],
];

describe('faults', () => {
  test.each(faults)('%s', (source, column, words) => {
    const mark = `${'.'.repeat(column - 1)}^`;
    expect(message(source)).toBe(`ERROR: <input>:1:${column}: ${words}\n | ${source}\n | ${mark}`);
  });
});

describe('several faults', () => {
  test('are listed in the order of their places', () => {
    expect(message('b + a.c')).toBe(
      [
        "ERROR: <input>:1:1: undeclared reference to 'b' (in container '')",
        ' | b + a.c',
        ' | ^',
        "ERROR: <input>:1:5: undeclared reference to 'a' (in container '')",
        ' | b + a.c',
        ' | ....^',
      ].join('\n'),
    );
  });

  test('of a macro that an environment does not have', () => {
    expect(message('cel.bind(y, 1, x)')).toContain("undeclared reference to 'bind' (in container '')");
  });

  test('count lines, and show wide characters as wide marks', () => {
    expect(message("'é' +\n\t'é' + y")).toBe(
      "ERROR: <input>:2:8: undeclared reference to 'y' (in container '')\n |  'é' + y\n | ..．....^",
    );
  });
});

describe('limits', () => {
  test.each([
    ['brackets', `${'('.repeat(5000)}1${')'.repeat(5000)}`],
    ['lists', '['.repeat(5000) + ']'.repeat(5000)],
    ['signs and sums', `1${' + 1'.repeat(5000)}`],
    ['selections', `x${'.a'.repeat(5000)}`],
    ['indexes', `x${'[0]'.repeat(5000)}`],
    ['conditions', `${'true ? 1 : '.repeat(5000)}1`],
    ['macros that double', `x${'.optMap(v, v)'.repeat(40)}`],
    ['not', `${'!('.repeat(5000)}true${')'.repeat(5000)}`],
  ])('%s', (_, source) => {
    expect(message(source)).toContain('expression recursion limit exceeded: 250');
  });

  test('length', () => {
    expect(message(`'${'a'.repeat(100_000)}'`)).toContain(
      'expression code point size exceeds limit: size: 100002, limit 100000',
    );
  });

  test('long chains of || are no nesting', () => {
    expect(message(`true${' || true'.repeat(5000)}`)).toBe('');
  });
});
