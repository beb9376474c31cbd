import fc from 'fast-check';
import { expect, test } from 'vitest';
import { patternSize } from '../../base/text/pattern-size.ts';
import { expectProcessorTime } from '../../testing/processor-time.ts';
import { patternOf } from './regex.ts';

test.each<[string, number]>([
  ['', 0],
  ['abc', 3],
  ['a{3}', 3],
  ['ab{2,5}', 6],
  ['a{2,}', 2],
  ['a{0}', 1],
  ['(ab){10}', 30],
  ['((a{10}){10}){10}', 1110],
  ['[a-z]{5}', 5],
  ['[]a{9}]{5}', 5],
  ['[\\]{9}]x', 2],
  ['\\{3}', 3],
  ['\\x{1234}\\p{Greek}', 2],
  ['a{b}', 4],
  ['(a', 1],
  ['a)', 2],
  ['[[[', 1],
])('%s', (pattern, size) => {
  expect(patternSize(pattern)).toBe(size);
});

test('patterns that stand for too much are refused, quickly', async () => {
  await expectProcessorTime(1000, () => {
    for (const pattern of ['a{1000}'.repeat(100), '((a{30}){30}){30}', '(a|b){0,900}'.repeat(100)])
      expect(() => patternOf(pattern)).toThrow('pattern stands for more than 20000 characters');
  });
  expect(() => patternOf('^([a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?\\.){0,10}$')).not.toThrow();
});

test('no text takes long or fails', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom(...'ab(){}[]\\,19^:x') }), (text) => {
      expect(patternSize(text)).toBeGreaterThanOrEqual(0);
    }),
  );
});
