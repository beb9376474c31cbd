import { describe, expect, test } from 'vitest';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import { field, listOf, mapOf, string, struct } from '../../schema/types.ts';
import { merge } from './merge.ts';
import { objectTopology } from './object-topology.ts';

const home = 'test/v1';
const item = struct(home, 'Item', 'An item.', { name: field(1, string), value: field(2, string) });
const thing = struct(home, 'Thing', 'A thing.', {
  metadata: field(1, objectMeta, { always: true }),
  items: field(2, listOf(item), { listType: 'map', mapKeys: ['name'] }),
  words: field(3, listOf(string), { listType: 'set' }),
  data: field(4, mapOf(string)),
});
const topology = objectTopology(thing);

describe('what both agree on stays the very part of the live object', () => {
  const a = { name: 'a', value: '1' };
  const b = { name: 'b', value: '2' };
  const live = { items: [a, b], words: ['x', 'y'], data: { k: 'v', more: 'w' } };

  test('all of it', () => {
    const config = { items: [{ name: 'a', value: '1' }, { name: 'b' }], words: ['x'], data: { k: 'v' } };
    expect(merge(topology, live, config)).toBe(live);
  });

  test('the parts next to a change', () => {
    const merged = merge(topology, live, { items: [{ name: 'b', value: '3' }], words: ['x', 'y'], data: { k: 'v' } });
    expect(merged).toEqual({ ...live, items: [a, { name: 'b', value: '3' }] });
    expect(merged['words']).toBe(live.words);
    expect(merged['data']).toBe(live.data);
    expect((merged['items'] as unknown[])[0]).toBe(a);
    expect(live.items).toEqual([a, b]);
  });

  test('another order, and an item more, are changes', () => {
    expect(merge(topology, live, { items: [{ name: 'b' }, { name: 'a' }] })['items']).toEqual([b, a]);
    expect(merge(topology, live, { words: ['x', 'y', 'z'] })['words']).toEqual(['x', 'y', 'z']);
  });
});
