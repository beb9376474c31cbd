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
