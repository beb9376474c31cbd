// Quantities are exact and have one canonical form.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  addQuantities,
  canonicalQuantity,
  compareQuantities,
  formatQuantity,
  parseQuantity,
  quantityProblem,
} from './quantity.ts';

describe('the canonical form', () => {
  test.each([
    ['0', '0'],
    ['0.0Ki', '0'],
    ['1000m', '1'],
    ['0.5', '500m'],
    ['.5', '500m'],
    ['.', '0'],
    ['-', '0'],
    ['m', '0'],
    ['00', '0'],
    ['-1500m', '-1500m'],
    ['1024Mi', '1Gi'],
    ['1.5Gi', '1536Mi'],
    ['1Ki', '1Ki'],
    ['0.5Ki', '512'],
    ['512', '512'],
    ['2048', '2048'],
    ['1000000', '1M'],
    ['1500k', '1500k'],
    ['1e3', '1e3'],
    ['100e1', '1e3'],
    ['12e5', '1200e3'],
    ['1E', '1E'],
    ['1000E', '1000E'],
    ['1n', '1n'],
    ['0.1n', '1n'],
    ['-0.1n', '-1n'],
    ['100m', '100m'],
    ['0.1Ki', '102400m'],
    ['1.5', '1500m'],
    ['2.0', '2'],
    ['0.250', '250m'],
    ['1.000', '1'],
    ['8Ei', '9223372036854775807'],
    ['-10Ei', '-9223372036854775807'],
    ['8388608Ti', '9223372036854775807'],
    ['4096Pi', '4Ei'],
    ['1234567890123456789012m', '1234567890123456789012m'],
  ])('of %s is %s', (text, canonical) => expect(canonicalQuantity(text)).toBe(canonical));

  test.each(['1.500', '1.234567', '+5', '5.', '005', '1E3', '1e+3', '1.250k', '+3Gi', '07Mi'])(
    'of %s is nearly that, which is enough',
    (text) => expect(canonicalQuantity(text)).toBe(text),
  );

  test('is its own canonical form', () => {
    const unit = fc.constantFrom('', 'n', 'u', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi', 'e3', 'E-2');
    fc.assert(
      fc.property(fc.integer(), fc.nat({ max: 999 }), unit, (whole, fraction, suffix) => {
        const first = canonicalQuantity(`${whole}.${fraction}${suffix}`) as string;
        expect(canonicalQuantity(first)).toBe(first);
      }),
    );
  });
});

test.each(['', '1.2.3', '1 Gi', '1gi', '1mi', '1K', '1e', '1e+', '1Kie3', '1e999', '1'.repeat(101), '٣'])(
  '%j is no quantity',
  (text) => expect(parseQuantity(text)).toBeUndefined(),
);

test.each([
  ['', 'quantities must match'],
  ['1gi', 'quantities must match'],
  ['much', 'quantities must match'],
  ['1K', "unable to parse quantity's suffix"],
  ['1mi', "unable to parse quantity's suffix"],
  ['1e', "unable to parse quantity's suffix"],
])('%j is none: %s', (text, problem) => expect(quantityProblem(text)).toContain(problem));

test('compares and adds across units', () => {
  const of = (text: string) => parseQuantity(text) as NonNullable<ReturnType<typeof parseQuantity>>;
  expect(compareQuantities(of('1Gi'), of('1073741824'))).toBe(0);
  expect(compareQuantities(of('999m'), of('1'))).toBe(-1);
  expect(compareQuantities(of('1k'), of('999'))).toBe(1);
  expect(formatQuantity(addQuantities(of('500m'), of('1500m')))).toBe('2');
  expect(formatQuantity(addQuantities(of('0'), of('1Gi')))).toBe('1Gi');
});
