import { describe, expect, test } from 'vitest';
import { atOnce } from '../../base/steps.ts';
import { difference, equals, type FieldSet, intersection, isWithin, leaf, self, union } from './field-set.ts';
import { addingSelf, checkingEqual, checkingWithin, intersecting, subtracting, uniting } from './field-set-steps.ts';

/** A set with a long list of items, of which every `each`th is there, and one with some fields. */
function listOf(each: number, fields: readonly string[], own: FieldSet = {}): FieldSet {
  const item = Object.fromEntries(fields.map((name): [string, FieldSet] => [name, leaf]));
  const items = Array.from({ length: 800 }, (_, i) => i)
    .filter((i) => i % each === 0)
    .map((i): [string, FieldSet] => [`k:{"name":"n${i}"}`, i % 7 === 0 ? leaf : item]);
  return { 'f:metadata': { 'f:labels': leaf }, 'f:list': { ...own, ...Object.fromEntries(items) } };
}

const itself = { [self]: leaf };
const sets: readonly FieldSet[] = [
  {},
  { 'f:list': leaf },
  { 'f:list': { 'k:{"name":"n2"}': { 'f:a': leaf } } },
  listOf(1, [self, 'f:a', 'f:b']),
  listOf(1, ['f:a'], itself),
  listOf(2, [self, 'f:b'], itself),
  listOf(3, ['f:b', 'f:c']),
];
const pairs = sets.flatMap((a) => sets.map((b) => [a, b] as const));

describe('what is done with large sets in steps is what is done with small ones at once', () => {
  test.each([
    ['uniting', uniting, union],
    ['subtracting', subtracting, difference],
    ['intersecting', intersecting, intersection],
    ['checkingWithin', checkingWithin, isWithin],
    ['checkingEqual', checkingEqual, equals],
  ] as const)('%s', (_name, inSteps, plain) => {
    for (const [a, b] of pairs) expect(atOnce<unknown>(inSteps(a, b))).toEqual(plain(a, b));
  });

  test('a set that does not change is the same one', () => {
    const large = sets[3] as FieldSet;
    expect(atOnce(uniting(large, { ...large }))).toBe(large);
    expect(atOnce(subtracting(large, { 'f:other': leaf }))).toBe(large);
    expect(atOnce(addingSelf(sets[4]?.['f:list'] as FieldSet))).toBe(sets[4]?.['f:list']);
  });

  test('there is a rest after some members', () => {
    const [a, b] = [sets[3] as FieldSet, sets[5] as FieldSet];
    expect([...uniting(a, b)].length).toBeGreaterThan(5);
    expect([...subtracting(a, b)].length).toBeGreaterThan(5);
    expect([...intersecting(a, b)].length).toBeGreaterThan(5);
  });
});
