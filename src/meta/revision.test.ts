import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseRevision, revision, zeroRevision } from './revision.ts';

test.each([
  ['0', 0],
  ['1', 1],
  ['007', 7],
  ['9007199254740991', 9007199254740991],
  ['9007199254740992', 9007199254740991],
  ['18446744073709551615', 9007199254740991],
])('%s is revision %d', (text, expected) => {
  expect(parseRevision(text)).toBe(expected);
});

test.each([
  '',
  ' ',
  ' 1',
  '1 ',
  '-1',
  '+1',
  '1.0',
  '1e3',
  '0x1',
  'a',
  '1n',
  '18446744073709551616',
  '9'.repeat(400),
  '١',
])('%j is no revision', (text) => {
  expect(parseRevision(text)).toBeUndefined();
});

test('a revision is read as it was written', () => {
  fc.assert(fc.property(fc.maxSafeNat(), (n) => parseRevision(String(revision(n))) === n));
});

test('any text is either a revision or none', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const parsed = parseRevision(text);
      if (parsed !== undefined) expect(parsed).toBeGreaterThanOrEqual(zeroRevision);
    }),
  );
});
