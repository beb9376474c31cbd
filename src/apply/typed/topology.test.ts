// Each sentence of the specification on merge markers (Merge markers for lists, maps and structs).

import { describe, expect, test } from 'vitest';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import { field, listOf, mapOf, string, struct } from '../../schema/types.ts';
import { Scenario } from '../scenario.ts';
import { objectTopology } from './object-topology.ts';
import { isAtomic } from './topology.ts';

const home = 'test/v1';
const inner = struct(home, 'Inner', 'An item.', {
  name: field(1, string),
  other: field(2, string),
  tags: field(3, listOf(string), { listType: 'set' }),
});
const whole = struct(home, 'Whole', 'One value.', { a: field(1, string) }, { mapType: 'atomic' });
const thing = struct(home, 'Thing', 'A thing.', {
  metadata: field(1, objectMeta, { always: true }),
  plain: field(2, listOf(inner)),
  atomic: field(3, listOf(inner), { listType: 'atomic', patchStrategy: 'merge', patchMergeKey: 'name' }),
  set: field(4, listOf(string), { listType: 'set' }),
  map: field(5, listOf(inner), { listType: 'map', mapKeys: ['other', 'name'] }),
  merged: field(6, listOf(inner), { patchStrategy: 'merge', patchMergeKey: 'name' }),
  mergedWords: field(7, listOf(string), { patchStrategy: 'merge' }),
  granularMap: field(8, mapOf(string)),
  atomicMap: field(9, mapOf(string), { mapType: 'atomic' }),
  granular: field(10, inner),
  atomicField: field(11, inner, { mapType: 'atomic' }),
  atomicType: field(12, whole),
});

const topology = objectTopology(thing);
const of = (name: string) => topology.fields.get(name)?.type;

describe('a list', () => {
  test.each([
    ['plain', { is: 'list' }],
    ['atomic', { is: 'list' }],
    ['set', { is: 'set' }],
    ['map', { is: 'keyed', keys: ['name', 'other'] }],
    ['merged', { is: 'keyed', keys: ['name'] }],
    ['mergedWords', { is: 'set' }],
  ])('%s is %j', (name, expected) => {
    expect(of(name)).toMatchObject(expected);
  });
});

test.each([
  ['granularMap', false],
  ['atomicMap', true],
  ['granular', false],
  ['atomicField', true],
  ['atomicType', true],
])('the map or struct %s has one owner: %s', (name, expected) => {
  const found = of(name);
  expect(found !== undefined && isAtomic(found)).toBe(expected);
});

describe('under apply', () => {
  const story = () => new Scenario({ type: thing, group: 'test' });

  test('the atomic list type is recursive: nothing in it has its own owner', () => {
    const told = story().apply('a', { atomic: [{ name: 'x', tags: ['t'] }] });
    told.expectOwners({ 'a Apply': ['.atomic'] });
    const other = { atomic: [{ name: 'y', tags: ['u'] }] };
    expect(told.refusal('b', other).message).toContain('.atomic');
    // the whole list is replaced, and has one owner
    told.apply('b', other, { force: true }).expectOwners({ 'b Apply': ['.atomic'] });
    expect(told.object).toMatchObject(other);
  });

  test('entries of sets and of lists by key have owners of their own', () => {
    const told = story()
      .apply('a', { set: ['x'], merged: [{ name: 'x', other: '1' }] })
      .apply('b', { set: ['y'], merged: [{ name: 'y', other: '2' }] });
    expect(told.object).toMatchObject({ set: ['x', 'y'], merged: [{ name: 'x' }, { name: 'y' }] });
    expect(told.owners['b Apply']).toEqual([
      '.merged[name="y"]',
      '.merged[name="y"].name',
      '.merged[name="y"].other',
      '.set[="y"]',
    ]);
  });

  test('values that have to be unique may not repeat', () => {
    expect(story().refusal('a', { set: ['x', 'x'] }).code).toBe(500);
    expect(story().refusal('a', { merged: [{ name: 'x' }, { name: 'x' }] }).code).toBe(500);
  });
});
