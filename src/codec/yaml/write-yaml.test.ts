import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readYamlText } from '../yaml-reader.ts';
import { writeYaml } from './write-yaml.ts';

const words = (count: number) => 'word '.repeat(count).trim();

// as a reference server wrote them
test.each([
  ['plain', 'a', 'a'],
  ['a dot', '.', '.'],
  ['what looks like a number', '1e3', '"1e3"'],
  ['an octal number', '0o17', '"0o17"'],
  ['what was a truth in version 1.1', 'y', '"y"'],
  ['a date', '2020-01-01', '"2020-01-01"'],
  ['nothing', '', '""'],
  ['a space at the end', 'a ', "'a '"],
  ['the mark of a document', '---', "'---'"],
  ['a colon and a space', 'a: b', "'a: b'"],
  ['a colon', 'a:b', 'a:b'],
  ['a single quote', "'", "''''"],
  ['a tab', 'a\tb', '"a\\tb"'],
  ['a letter of another plane', '😀', '"\\U0001F600"'],
  ['an escape', '\u0007', '"\\a"'],
  ['lines', 'a\nb', '|-\n  a\n  b'],
  ['lines that end', 'a\nb\n', '|\n  a\n  b'],
  ['empty lines at the end', 'a\n\n', '|+\n  a\n'],
  ['an indented line first', ' a\nb', '|2-\n   a\n  b'],
  ['a line that ends in a space', 'a \nb', '"a \\nb"'],
  ['a long text', words(20), `${words(16)}\n  ${words(4)}`],
  ['a long text in quotes', `- ${words(20)}`, `'- ${words(16)}\n  ${words(4)}'`],
  ['a long word', 'x'.repeat(200), 'x'.repeat(200)],
])('a text: %s', (_, text, written) => {
  expect(writeYaml({ k: text })).toBe(`k: ${written}\n`);
});

test('lists are not indented, and empty things are on the line', () => {
  const value = { a: [{ b: 1, c: [[], [1, [2]]] }, {}], d: {}, e: [], f: null };
  expect(writeYaml(value)).toBe('a:\n- b: 1\n  c:\n  - []\n  - - 1\n    - - 2\n- {}\nd: {}\ne: []\nf: null\n');
  expect(writeYaml([])).toBe('[]\n');
  expect(writeYaml('a')).toBe('a\n');
});

test('numbers in keys count as numbers, and letters come last', () => {
  const keys = ['a10', 'a2', 'a', 'A', 'a-1', 'a02', '1', '10', '2', '_'];
  expect(writeYaml(Object.fromEntries(keys.map((key) => [key, 0]))).match(/^"?[^":]+/gm)).toEqual([
    '_',
    '"1',
    '"2',
    '"10',
    'A',
    'a',
    'a-1',
    'a2',
    'a02',
    'a10',
  ]);
});

test('a key that is too long stands on its own line', () => {
  expect(writeYaml({ ['k'.repeat(129)]: { a: 1 } })).toBe(`? ${'k'.repeat(129)}\n:\n  a: 1\n`);
});

test('what is written is read as what it was', async () => {
  const text = fc.oneof(
    fc.string({ unit: 'grapheme' }),
    fc.string({ unit: 'binary' }),
    fc.stringMatching(/^[-+.0-9_exobn:yYnNaTtZ ]*$/),
  );
  const { value } = fc.letrec((tie) => ({
    value: fc.oneof(
      { depthSize: 'small' },
      text,
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(text, tie('value'), { maxKeys: 4, noNullPrototype: true }),
    ),
  }));
  await fc.assert(
    fc.asyncProperty(value, async (given) => {
      const read = await readYamlText(writeYaml(given), 10_000);
      expect(read.value).toEqual(JSON.parse(JSON.stringify(given)));
    }),
    { numRuns: 300, seed: 7 },
  );
});
