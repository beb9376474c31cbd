import { describe, expect, test } from 'vitest';
import { atOnce } from '../../base/steps.ts';
import {
  difference,
  equals,
  type FieldSet,
  intersection,
  isWithin,
  leaf,
  parsingFieldSet,
  self,
  union,
} from './field-set.ts';
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

test('a large set that a client sent is read in steps, as a small one is', () => {
  const item = { '.': {}, 'f:a': {}, 'x:unheard of': 1 };
  const sent = (count: number) => ({
    '.': {},
    'f:list': Object.fromEntries(Array.from({ length: count }, (_, i) => [`k:{"b":${i}, "a":"x"}`, i % 2 ? {} : item])),
    'f:set': { 'v: "y"': {} },
  });
  const read = atOnce(parsingFieldSet(sent(2000)));
  expect(Object.keys(read['f:list'] as FieldSet)).toHaveLength(2000);
  expect(read['f:list']?.['k:{"a":"x","b":4}']).toEqual({ '.': {}, 'f:a': {} });
  expect(read['f:list']?.['k:{"a":"x","b":5}']).toBe(leaf);
  expect(read['f:set']).toEqual({ 'v:"y"': {} });
  expect([...parsingFieldSet(sent(2000))].length).toBeGreaterThan(4);
  expect([...parsingFieldSet(sent(20))]).toHaveLength(0);
});
