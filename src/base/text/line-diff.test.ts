import fc from 'fast-check';
import { expect, test } from 'vitest';
import { lineDiff } from './line-diff.ts';

const text = (...lines: (string | number)[]) => lines.join('\n');

test('shows a change with the lines around it', () => {
  const lines = Array.from({ length: 20 }, (_, i) => `l${i}`);
  const changed = lines.map((line, i) => (i === 9 ? 'new' : line));
  expect(lineDiff(text(...lines), text(...changed))).toBe(
    text('@@ -7,7 +7,7 @@', ' l6', ' l7', ' l8', '-l9', '+new', ' l10', ' l11', ' l12', ''),
  );
});

test('shows changes that are far apart one after the other', () => {
  const lines = Array.from({ length: 30 }, (_, i) => `l${i}`);
  const changed = ['first', ...lines.filter((_, i) => i !== 25)];
  expect(lineDiff(text(...lines), text(...changed))).toBe(
    text(
      ...['@@ -1,3 +1,4 @@', '+first', ' l0', ' l1', ' l2'],
      ...['@@ -23,7 +24,6 @@', ' l22', ' l23', ' l24', '-l25', ' l26', ' l27', ' l28', ''],
    ),
  );
});

test('is empty where nothing changed', () => {
  expect(lineDiff('a\nb', 'a\nb')).toBe('');
});

test('the longest run of equal lines stays, wherever it stands', () => {
  expect(lineDiff(text('a', 'b'), text('a', 'c', 'a', 'b'))).toBe(text('@@ -1,2 +1,4 @@', '+a', '+c', ' a', ' b', ''));
});

test('a single line is counted by its place alone, and none by the line before it', () => {
  expect(lineDiff('a', 'b')).toBe(text('@@ -1 +1 @@', '-a', '+b', ''));
});

test('in long texts a run begins with a line that is seldom there', () => {
  const block = (name: string) => [`"name": "${name}"`, ...Array.from({ length: 6 }, () => 'null')];
  const before = Array.from({ length: 30 }, (_, i) => block(`n${i}`)).flat();
  const after = [...block('n1'), ...before.slice(14)].with(6, 'other');
  expect(lineDiff(text(...before), text(...after))).toBe(
    text(
      ...['@@ -1,17 +1,10 @@', '-"name": "n0"', ...Array.from({ length: 6 }, () => '-null'), ' "name": "n1"'],
      ...Array.from({ length: 5 }, () => ' null'),
      ...['-null', '+other', ' "name": "n2"', ' null', ' null', ''],
    ),
  );
});

test('texts that need too many comparisons still show how they begin and end', () => {
  const lines = Array.from({ length: 4000 }, (_, i) => `l${i % 200}`);
  const changed = ['first', ...lines.slice(0, 3000).reverse(), 'last'];
  const diff = lineDiff(text('same', ...lines, 'end'), text('same', ...changed, 'end')).split('\n');
  expect(diff.slice(0, 3)).toEqual(['@@ -1,4002 +1,3004 @@', ' same', '-l0']);
});

test('texts that have nothing in common are shown one after the other, and not for ever', () => {
  const many = (word: string) => Array.from({ length: 5000 }, (_, i) => `${word}${i}`).join('\n');
  expect(lineDiff(many('a'), many('b')).split('\n').length).toBeLessThan(2100);
});

test('what is removed and added are the lines that differ', () => {
  const lines = fc.array(fc.constantFrom('a', 'b', 'c', 'd'), { maxLength: 12 });
  fc.assert(
    fc.property(lines, lines, (before, after) => {
      const signs = lineDiff(before.join('\n'), after.join('\n')).split('\n');
      const count = (sign: string) => signs.filter((line) => line.startsWith(sign)).length;
      const [a, b] = [before.length || 1, after.length || 1];
      expect(count('+') - count('-')).toBe(b - a);
    }),
  );
});
