import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json/json.ts';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import { marks, type Schema } from './schema.ts';
import { settleConverted, settleStored } from './settle.ts';
import type { StructuralType } from './structural-type.ts';

const item: Schema = {
  type: 'object',
  properties: {
    key: { type: 'string' },
    filled: { type: 'string', default: 'x' },
    more: { type: 'object', default: { a: 1 }, properties: { a: {}, b: { default: 2 } } },
    free: { type: 'object', [marks.preserve]: true },
  },
};
const type: StructuralType = {
  ...{ is: 'structural', home: 'example.com/v1', name: 'Thing', about: '', meta: objectMeta },
  schema: {
    type: 'object',
    properties: {
      list: { type: 'array', items: item },
      map: { type: 'object', additionalProperties: item },
      inner: { type: 'object', [marks.embedded]: true, [marks.preserve]: true },
    },
  },
};

const items: readonly JsonValue[] = [
  { key: 'a', unknown: 1, free: { z: 1, a: [{ y: 1, b: 2 }] } },
  { key: null, more: { unknown: 1 } },
  { more: null, filled: null },
  {},
  null,
];
const of = (count: number): JsonObject => {
  const list = Array.from({ length: count }, (_, index) => items[index % items.length] as JsonValue);
  const inner = { metadata: { name: 1, labels: { a: 'b' } }, kind: 'K', apiVersion: 'v1', list };
  return {
    ...{ apiVersion: 'example.com/v1', kind: 'Thing', metadata: { name: 'a', generation: 1 }, list, inner },
    map: Object.fromEntries(list.map((one, index) => [`k${count - index}`, one])),
  };
};

describe.each(Object.entries({ settleStored, settleConverted }))('%s', (_, settle) => {
  test('a large object becomes what its parts become in a small one', () => {
    const small = settle(type, of(items.length));
    const large = settle(type, of(items.length * 500));
    const [ofSmall, ofLarge] = [small, large].map((one) => one['list'] as JsonValue[]);
    expect(JSON.stringify(ofLarge)).toBe(JSON.stringify(Array(500).fill(ofSmall).flat()));
    const settled = new Set(Object.values(small['map'] as JsonObject).map((one) => JSON.stringify(one)));
    expect(new Set(Object.values(large['map'] as JsonObject).map((one) => JSON.stringify(one)))).toEqual(settled);
    const keys = Object.keys(large['map'] as JsonObject);
    expect(keys).toEqual([...keys].sort());
    expect({ ...(large['inner'] as object), list: [] }).toEqual({ ...(small['inner'] as object), list: [] });
  });

  test('what is settled, however large, is the very object', () => {
    const large = settle(type, of(1000));
    expect(settle(type, large)).toBe(large);
  });
});
