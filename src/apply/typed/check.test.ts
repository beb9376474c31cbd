// Whether a configuration fits its type.

import { expect, test } from 'vitest';
import { checkFit, MisfitError } from './check.ts';
import type { Topology } from './topology.ts';

const text: Topology = { is: 'scalar', accepts: 'string' };
const texts: Topology = { is: 'map', atomic: false, of: text };
const list = (of: Topology): Topology => ({ is: 'list', of });
const type: Topology = { is: 'map', atomic: false, of: { is: 'map', atomic: false, of: list(texts) } };

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const named = (count: number, value: unknown) => Object.fromEntries(many(count, (i) => [`n${i}`, value]));

test.each<readonly [string, object]>([
  ['a long list', { a: { b: many(5000, () => ({ c: 'd' })) } }],
  ['a large map', { a: { b: [named(5000, 'text')] } }],
  ['nulls', { a: { b: null }, c: null }],
])('%s fits', (_title, config) => {
  expect(() => checkFit(type, config)).not.toThrow();
});

test.each<readonly [string, object, string]>([
  [
    'a wrong value at the end of a long list',
    { a: { b: [...many(5000, () => ({ c: 'd' })), { e: 5 }] } },
    '.a.b[5000].e',
  ],
  ['a wrong value in a large map', { a: { b: [{ ...named(5000, 'x'), y: 1 }] } }, '.a.b[0].y: expected string'],
  ['a list in place of a map', { b: many(5000, () => 1) }, '.b: expected map'],
])('%s is named', (_title, config, words) => {
  expect(() => checkFit(type, config)).toThrow(words);
});

test('a hundred wrong values are named, and no more', () => {
  const check = () => checkFit(type, { a: { b: [named(5000, 1)] } });
  expect(check).toThrow(MisfitError);
  try {
    check();
  } catch (error) {
    expect((error as Error).message.split('\n')).toHaveLength(101);
  }
});
