import { describe, expect, it } from 'vitest';
import { fieldMeansSame, meansSame } from './same-meaning.ts';
import { field, listOf, mapOf, quantity, string, struct } from './types.ts';

const inner = struct('core/v1', 'Inner', '', {
  amount: field(1, quantity),
  limit: field(2, quantity, { pointer: true }),
  text: field(3, string),
});
const outer = struct('core/v1', 'Outer', '', {
  inner: field(1, inner),
  perhaps: field(2, inner, { pointer: true }),
  items: field(3, listOf(inner)),
  amounts: field(4, mapOf(quantity)),
});

describe('meansSame', () => {
  it.each([
    ['units of the same amount', { amounts: { memory: '1Gi' } }, { amounts: { memory: '1073741824' } }, true],
    ['exponents', { amounts: { count: '1k' } }, { amounts: { count: '1e3' } }, true],
    ['another amount', { amounts: { memory: '1Gi' } }, { amounts: { memory: '1G' } }, false],
    ['another key', { amounts: { a: '1' } }, { amounts: { b: '1' } }, false],
    ['one key more', { amounts: { a: '1' } }, { amounts: { a: '1', b: '1' } }, false],
    ['amounts in lists', { items: [{ limit: '1' }] }, { items: [{ limit: '1e0' }] }, true],
    [
      'items in another order',
      { items: [{ text: 'a' }, { text: 'b' }] },
      { items: [{ text: 'b' }, { text: 'a' }] },
      false,
    ],
    ['texts that look like amounts', { items: [{ text: '1Gi' }] }, { items: [{ text: '1073741824' }] }, false],
    ['no amount and none', { inner: { amount: '0' } }, {}, true],
    ['no limit and none', { inner: { limit: '0' } }, {}, false],
    ['a struct that is not there and an empty one', { inner: {} }, {}, true],
    ['a pointer to nothing and to an empty struct', { perhaps: {} }, {}, false],
    ['empty lists and maps', { items: [], amounts: null }, { amounts: {} }, true],
    ['fields that no type has', { kind: 'A' }, { kind: 'B' }, false],
  ])('compares %s', (_, a, b, expected) => {
    expect(meansSame(outer, a, b)).toBe(expected);
    expect(meansSame(outer, b, a)).toBe(expected);
  });

  it('knows the fields of a type by name', () => {
    expect(fieldMeansSame(outer, 'amounts', { a: '1k' }, { a: '1000' })).toBe(true);
    expect(fieldMeansSame(outer, 'inner', undefined, {})).toBe(true);
    expect(fieldMeansSame(outer, 'strange', '1k', '1000')).toBe(false);
  });
});
