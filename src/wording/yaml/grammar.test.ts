// What is wrong with a YAML text, in words and lines that were recorded from the reference implementation.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { YamlFault } from './cursor.ts';
import { endOfFirstDocument } from './grammar.ts';

test.each([
  ['a: [\n', 'line 1: did not find expected node content'],
  ['a: b: c\n', 'mapping values are not allowed in this context'],
  ['\tx: 1\n', 'found character that cannot start any token'],
  ['a:\n\tb: 1\n', 'line 2: found character that cannot start any token'],
  ['a: "x\n', 'line 2: found unexpected end of stream'],
  ["a: 'x\n", 'line 2: found unexpected end of stream'],
  ['a: *x\n', "unknown anchor 'x' referenced"],
  ['a:\n - b\n c: d\n', "line 2: did not find expected '-' indicator"],
  ['{a: 1', "line 1: did not find expected ',' or '}'"],
  ['{a: 1]', "did not find expected ',' or '}'"],
  ['@a: 1', 'found character that cannot start any token'],
  ['`a', 'found character that cannot start any token'],
  ['a: |\n  x\n y\n', 'line 2: did not find expected key'],
  ['a: 1\nb\nc: 2\n', "line 3: could not find expected ':'"],
  ['a: 1\n b: 2\n', 'line 2: mapping values are not allowed in this context'],
  ['a: 1\n  b: 2\nc: 3\n', 'line 2: mapping values are not allowed in this context'],
  ['a:\n    b: 1\n  c: 2\n', 'line 2: did not find expected key'],
  ['a:\n  b: 1\n   c: 2\n', 'line 3: mapping values are not allowed in this context'],
  ['- a\nb: c\n', "line 1: did not find expected '-' indicator"],
  ['a: b\n- c\n', 'line 1: did not find expected key'],
  ['a: [1, 2\nb: 3\n', "line 1: did not find expected ',' or ']'"],
  ['a: {x: 1\nb: 3\n', "line 1: did not find expected ',' or '}'"],
  ['a: [1 2]]\n', 'did not find expected key'],
  ['a: }\n', 'did not find expected node content'],
  ['a: %x\n', 'found character that cannot start any token'],
  ['a: "\\q"\n', 'found unknown escape character'],
  ['a: "\\x4"\n', 'did not find expected hexdecimal number'],
  ['a: "\\uD800"\n', 'found invalid Unicode character escape code'],
  ['a: |0\n x\n', 'found an indentation indicator equal to 0'],
  ['a: | x\n', 'did not find expected comment or line break'],
  ['a: |\n\tx\n', 'line 2: found a tab character where an indentation space is expected'],
  ['a: &\n', 'did not find expected alphabetic or numeric character'],
  ['a: *\n', 'did not find expected alphabetic or numeric character'],
  ['a: !e!x 1\n', 'found undefined tag handle'],
  ['a: !<x 1\n', "did not find the expected '>'"],
  ['%YAML 1.2\n---\na: 1\n', 'found incompatible YAML document'],
  ['%YAML 9.9\n---\na: 1\n', 'found incompatible YAML document'],
  ['%FOO x\n---\na\n', 'found unknown directive name'],
  ['%YAML 1.1\na: 1\n', 'line 1: did not find expected <document start>'],
  ['%TAG x y\n---\na\n', "did not find expected '!'"],
  ['a: &x [*x]\n', "anchor 'x' value contains itself"],
  ['"a\n---\nb"\n', 'line 2: found unexpected document indicator'],
  ['a: - b\n', 'block sequence entries are not allowed in this context'],
  ['a: ? b\n', 'mapping keys are not allowed in this context'],
  ['a\nb: c\n', 'line 2: mapping values are not allowed in this context'],
  ['key: [a, b\n', "line 1: did not find expected ',' or ']'"],
  ['x: "a" b\n', 'did not find expected key'],
  ["x: 'a' 'b'\n", 'did not find expected key'],
  ['[a, b', "line 1: did not find expected ',' or ']'"],
  ['{"a": 1,, "b": 2}', 'did not find expected node content'],
  ['{"a" 1}', "did not find expected ',' or '}'"],
  ['[1, 2,, 3]', 'did not find expected node content'],
  ['- - a\n  b\n', "line 3: could not find expected ':'"],
  ['a:\n  - b\n - c\n', 'line 2: did not find expected key'],
  ['a: b\n\tc: d\n', 'line 2: found a tab character that violates indentation'],
  ['a: >\n\tb\n', 'line 2: found a tab character where an indentation space is expected'],
  ['<<: *d\n', "unknown anchor 'd' referenced"],
  ['x: &a 1\ny: &b *a\n', 'line 1: did not find expected key'],
])('%j', (text, expected) => {
  expect(() => endOfFirstDocument(text)).toThrow(new YamlFault(expected));
});

test.each([
  ['- a\n b\n- c\n', ''],
  ['? a\nb: c\n', ''],
  ['a: 1\n---\nb: [\n', '---\nb: [\n'],
  ['a: 1\n...\n: x\n', '...\n: x\n'],
  ['a: 1\n# end\n', ''],
  ['\ufeffa: 1', ''],
  ['', ''],
])('the first document of %j ends before %j', (text, rest) => {
  expect(text.slice(endOfFirstDocument(text))).toBe(rest);
});

test('a text of the marks of the language is read to an end, or refused', () => {
  const marks = fc.constantFrom(...'[]{},:?-&*!|>\'"%@`# \n\ta0', ': ', '- ', '---\n', '...\n', '? ');
  fc.assert(
    fc.property(fc.array(marks, { maxLength: 60 }), (parts) => {
      const text = parts.join('');
      try {
        expect(endOfFirstDocument(text)).toBeLessThanOrEqual(text.length);
      } catch (error) {
        expect(error).toBeInstanceOf(YamlFault);
      }
    }),
    fuzzRuns(500),
  );
});

test.each([
  ['brackets', '['.repeat(100_000)],
  ['braces that are keys', '{? '.repeat(30_000)],
  ['lists in one line', '- '.repeat(100_000)],
  ['anchors', '&a '.repeat(50_000)],
  ['levels of lines', Array.from({ length: 600 }, (_, depth) => `${' '.repeat(depth)}a:\n`).join('')],
])('many %s take time in proportion', (_, text) => {
  const began = performance.now();
  try {
    endOfFirstDocument(text);
  } catch (error) {
    expect(error).toBeInstanceOf(YamlFault);
  }
  expect(performance.now() - began).toBeLessThan(5000);
});
