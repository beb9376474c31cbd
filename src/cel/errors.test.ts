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

const words = "'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER";
const operand = `{'[', '{', '(', '.', '-', '!', ${words}}`;

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
  ['* 1', 1, `Syntax error: extraneous input '*' expecting ${operand}`],
  ['x x', 3, "Syntax error: extraneous input 'x' expecting <EOF>"],
];

describe('faults', () => {
  test.each(faults)('%s', (source, column, words) => {
    const mark = `${'.'.repeat(column - 1)}^`;
    expect(message(source)).toBe(`ERROR: <input>:1:${column}: ${words}\n | ${source}\n | ${mark}`);
  });
});

test('of an expression without a character no line is shown', () => {
  expect(message('')).toBe(`ERROR: <input>:1:0: Syntax error: mismatched input '<EOF>' expecting ${operand}`);
  expect(message(' ')).toBe(
    `ERROR: <input>:1:2: Syntax error: mismatched input '<EOF>' expecting ${operand}\n |  \n | .^`,
  );
});

/** Source, and where what is wrong, as the reference says it. */
const asReference: readonly (readonly [string, readonly string[]])[] = [
  ['true && 1', ["9: expected type 'bool' but found 'int'"]],
  ['items.all(i, i)', ["14: expected type 'bool' but found 'int'"]],
  ["1 || 'a'", ["1: expected type 'bool' but found 'int'", "6: expected type 'bool' but found 'string'"]],
  ['x.all(i.j, true)', ['8: argument must be a simple name']],
  ['x.map(i.j, i)', ['8: argument is not an identifier']],
  ['x.filter(1, true)', ['10: argument is not an identifier']],
  ['Gadget{a: y}', ["7: undeclared reference to 'Gadget' (in container '')"]],
  ['list{}', ["5: 'list' is not a message type"]],
  ['x true', ["3: Syntax error: extraneous input 'true' expecting <EOF>"]],
  ['x true true', ["3: Syntax error: mismatched input 'true' expecting <EOF>"]],
  ['(x', ["3: Syntax error: missing ')' at '<EOF>'"]],
  ['((x)', ["5: Syntax error: missing ')' at '<EOF>'"]],
  ['f(1 2)', ["5: Syntax error: extraneous input '2' expecting ')'"]],
  ['(1 2', ["4: Syntax error: mismatched input '2' expecting ')'"]],
  ['[1 2]', ["4: Syntax error: extraneous input '2' expecting {']', ','}"]],
  ['[1, 2', ["6: Syntax error: mismatched input '<EOF>' expecting {']', ','}"]],
  ['[1, +]', ["5: Syntax error: extraneous input '+' expecting ']'"]],
  ['[+]', [`2: Syntax error: extraneous input '+' expecting {'[', ']', '{', '(', '.', ',', '-', '!', '?', ${words}}`]],
  ['[,1]', ["3: Syntax error: extraneous input '1' expecting ']'"]],
  ['f(+)', [`3: Syntax error: extraneous input '+' expecting {'[', '{', '(', ')', '.', '-', '!', ${words}}`]],
  ['f(1,)', [`5: Syntax error: mismatched input ')' expecting ${operand}`]],
  ['f(', [`3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', ')', '.', '-', '!', ${words}}`]],
  ['{+}', [`2: Syntax error: extraneous input '+' expecting {'[', '{', '}', '(', '.', ',', '-', '!', '?', ${words}}`]],
  ["{'a' 1}", ["6: Syntax error: missing ':' at '1'"]],
  ["{'a': 1 2}", ["9: Syntax error: extraneous input '2' expecting {'}', ','}"]],
  ['x[1 2]', ["5: Syntax error: extraneous input '2' expecting ']'"]],
  ['x[%y]', [`3: Syntax error: extraneous input '%' expecting {'[', '{', '(', '.', '-', '!', '?', ${words}}`]],
  ['x[', [`3: Syntax error: mismatched input '<EOF>' expecting {'[', '{', '(', '.', '-', '!', '?', ${words}}`]],
  ['x.', ["3: Syntax error: no viable alternative at input '.'"]],
  ['..', ["2: Syntax error: no viable alternative at input '..'"]],
  ['x..y', ["3: Syntax error: no viable alternative at input '..'"]],
  ["x.'y'", ["3: Syntax error: no viable alternative at input '.'y''"]],
  [
    'x.+',
    [
      "3: Syntax error: no viable alternative at input '.+'",
      `4: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    'x.in',
    [
      "3: Syntax error: no viable alternative at input '.in'",
      `5: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    'x.?1',
    ["4: Syntax error: mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}", '4: unsupported ident kind'],
  ],
  ['true ? 1 2', ["10: Syntax error: missing ':' at '2'"]],
  [
    'true ? + : 1',
    [
      `8: Syntax error: mismatched input '+' expecting ${operand}`,
      `10: Syntax error: extraneous input ':' expecting ${operand}`,
      "13: Syntax error: mismatched input '<EOF>' expecting ':'",
    ],
  ],
  [
    '(+)',
    [
      `2: Syntax error: mismatched input '+' expecting ${operand}`,
      `3: Syntax error: mismatched input ')' expecting ${operand}`,
    ],
  ],
  [
    '! +',
    [
      `3: Syntax error: extraneous input '+' expecting ${operand}`,
      `4: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  ['!', [`2: Syntax error: extraneous input '<EOF>' expecting ${operand}`]],
  [
    '- +',
    [
      "3: Syntax error: no viable alternative at input '- +'",
      `3: Syntax error: mismatched input '+' expecting ${operand}`,
      `4: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    '1 /* 2 */',
    [
      `4: Syntax error: extraneous input '*' expecting ${operand}`,
      `9: Syntax error: mismatched input '/' expecting ${operand}`,
      `10: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    '&& x ==',
    [
      `1: Syntax error: extraneous input '&&' expecting ${operand}`,
      `8: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    "x = 'b'",
    ["3: Syntax error: token recognition error at: '= '", "5: Syntax error: extraneous input ''b'' expecting <EOF>"],
  ],
  [
    'x & 1',
    ["3: Syntax error: token recognition error at: '& '", "5: Syntax error: extraneous input '1' expecting <EOF>"],
  ],
  [
    'x; true',
    ["2: Syntax error: token recognition error at: ';'", "4: Syntax error: extraneous input 'true' expecting <EOF>"],
  ],
  [
    'x # y',
    ["3: Syntax error: token recognition error at: '#'", "5: Syntax error: extraneous input 'y' expecting <EOF>"],
  ],
  [
    "'abc",
    [
      "1: Syntax error: token recognition error at: ''abc'",
      `5: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    'x == "b\' && true',
    [
      "6: Syntax error: token recognition error at: '\"b' && true'",
      `17: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    "'\\q'",
    [
      "1: Syntax error: token recognition error at: ''\\q'",
      "4: Syntax error: token recognition error at: '''",
      `5: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  [
    "'\\u12'",
    [
      "1: Syntax error: token recognition error at: ''\\u12''",
      `7: Syntax error: mismatched input '<EOF>' expecting ${operand}`,
    ],
  ],
  ["b'a", ["2: Syntax error: token recognition error at: ''a'"]],
  [
    'x == “b”',
    ["6: Syntax error: token recognition error at: '“'", "8: Syntax error: token recognition error at: '”'"],
  ],
  ['x.`a-b`', ["3: unsupported syntax: '`'"]],
  ['`a`', [`1: Syntax error: mismatched input '\`a\`' expecting ${operand}`]],
  ['if (true) 1', ['1: reserved identifier: if', "11: Syntax error: extraneous input '1' expecting <EOF>"]],
  ['9223372036854775808 1', ['1: invalid int literal', "21: Syntax error: extraneous input '1' expecting <EOF>"]],
  ["self{'a': 1}", ["6: Syntax error: mismatched input ''a'' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"]],
  ['1{}', ["2: Syntax error: mismatched input '{' expecting <EOF>"]],
];

describe('the words of the reference', () => {
  test.each(asReference)('%s', (source, expected) => {
    const lines = message(source).matchAll(/^ERROR: <input>:1:(.*)$/gm);
    expect([...lines].map(([, line]) => line)).toEqual(expected);
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
