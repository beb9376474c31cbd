import fc from 'fast-check';
import { expect, test } from 'vitest';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import type { ObjectType } from '../../schema/object-type.ts';
import type { Schema } from '../../schema/structural/schema.ts';
import { field, int32, listOf, mapOf, string, struct } from '../../schema/types.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { inOrder } from '../fields/field-order.ts';
import { type FieldSet, union } from '../fields/field-set.ts';
import { compare } from './compare.ts';
import { CreatedFields } from './created-fields.ts';
import { MissingKeyError } from './list-items.ts';
import { objectTopology } from './object-topology.ts';
import { zeroObject } from './topology.ts';

const inner = struct('test/v1', 'Inner', '', {
  a: field(1, string, { always: true }),
  b: field(2, int32, { default: 1 }),
  c: field(3, listOf(string), { listType: 'set' }),
});
const declared = struct('test/v1', 'Thing', '', {
  metadata: field(1, objectMeta, { always: true }),
  a: field(2, inner, { always: true }),
  b: field(3, listOf(inner), { listType: 'map', mapKeys: ['a', 'b'], always: true }),
  c: field(4, mapOf(inner)),
  d: field(5, listOf(inner)),
});
const described: ObjectType = {
  is: 'structural',
  home: 'test/v1',
  name: 'Thing',
  about: '',
  meta: objectMeta,
  schema: {
    type: 'object',
    properties: {
      a: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true, properties: { b: { type: 'string' } } },
      b: {
        type: 'array',
        'x-kubernetes-list-type': 'map',
        'x-kubernetes-list-map-keys': ['a'],
        items: { type: 'object', properties: { a: { type: 'string' }, c: { type: 'object' } } },
      },
      c: { type: 'object', additionalProperties: { type: 'object', 'x-kubernetes-map-type': 'atomic' } },
      d: { 'x-kubernetes-preserve-unknown-fields': true },
    },
  } as Schema,
};

/** The general way: as sets. */
function bySets(type: ObjectType, ignored: readonly string[], object: object): FieldSet {
  const topology = objectTopology(type, ignored);
  const { added, modified } = compare(topology, zeroObject(topology), object);
  return inOrder(union(modified, added));
}

function byText(type: ObjectType, ignored: readonly string[], object: object): string {
  const topology = objectTopology(type, ignored);
  return new CreatedFields().of(topology, zeroObject(topology), object);
}

const orMissing = (run: () => unknown): unknown => {
  try {
    return run();
  } catch (error) {
    if (error instanceof MissingKeyError) return error.message;
    throw error;
  }
};

const name = fc.constantFrom('a', 'b', 'c', 'd', '"x"', '__proto__');
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom<unknown[]>('', 'x', '\ud800', 0, 1, null, false, true),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));
const objects = fc.record(
  {
    metadata: fc.record({
      name: fc.constant('x'),
      labels: fc.dictionary(name, fc.constant('x')),
      finalizers: fc.array(name),
    }),
    a: value,
    b: fc.oneof(
      fc.array(fc.record({ a: fc.constantFrom('x', 'y', null), b: fc.constantFrom(1, 2), c: fc.array(name) })),
      value,
    ),
    c: value,
    d: value,
  },
  { requiredKeys: ['metadata'] },
);

test.each([
  ['declared', declared],
  ['described by a schema', described],
  ['not described', { ...described, schema: undefined }],
] as const)('fields of a new object: the text is that of the sets when the type is %s', (_, type) => {
  const law = (object: object, ignored: readonly string[]) => {
    const expected = orMissing(() => JSON.stringify(bySets(type, ignored, object)));
    expect(orMissing(() => byText(type, ignored, object))).toBe(expected);
  };
  fc.assert(fc.property(objects, fc.constantFrom([], ['a'], ['metadata.labels', 'c']), law), fuzzRuns(500));
});

test('fields of a new object: a list with one element twice has one owner for both items', () => {
  const item = { a: 'x', b: 1 };
  expect(byText(declared, [], { metadata: {}, b: [item, { ...item, c: ['z'] }] })).toBe(
    '{"f:b":{"k:{\\"a\\":\\"x\\",\\"b\\":1}":{}}}',
  );
});

test('fields of a new object: an error in the middle leaves nothing behind', () => {
  const topology = objectTopology(described);
  const fields = new CreatedFields();
  expect(() => fields.of(topology, zeroObject(topology), { a: { b: 'x' }, b: [{}] })).toThrow(MissingKeyError);
  expect(fields.of(topology, zeroObject(topology), { a: { b: 'x' } })).toBe('{"f:a":{".":{},"f:b":{}}}');
});
