import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decoderOf } from './decode.ts';
import { DecodeContext } from './decode-context.ts';
import { inDeclaredOrder } from './order.ts';
import {
  bool,
  field,
  fieldsV1,
  int32,
  listOf,
  mapOf,
  type SchemaType,
  type StructType,
  string,
  struct,
} from './types.ts';

const leaf = struct('test/v1', 'Leaf', '', { z: field(1, string), a: field(2, int32), m: field(3, mapOf(string)) });
const root = struct('test/v1', 'Root', '', {
  metadata: field(1, leaf, { always: true }),
  spec: field(
    2,
    struct('test/v1', 'Spec', '', { on: field(1, bool), leaf: field(2, leaf), all: field(3, listOf(leaf)) }),
  ),
  named: field(3, mapOf(leaf)),
  lists: field(4, listOf(listOf(leaf))),
  free: field(5, fieldsV1),
  data: field(6, mapOf(string)),
});

const key = fc.oneof(fc.constantFrom('__proto__', 'constructor', 'a', 'b'), fc.stringMatching(/^[a-z]{1,4}$/));
const text = fc.string({ maxLength: 4 });
const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anyLeaf = fc.record({ z: optional(text), a: optional(fc.nat()), m: optional(fc.dictionary(key, text)) });
const anyRoot = fc.record({
  metadata: optional(anyLeaf),
  spec: optional(fc.record({ on: optional(fc.boolean()), leaf: optional(anyLeaf), all: optional(fc.array(anyLeaf)) })),
  named: optional(fc.dictionary(key, anyLeaf)),
  lists: optional(fc.array(fc.array(anyLeaf, { maxLength: 2 }), { maxLength: 2 })),
  free: optional(fc.constant({ z: {}, a: { y: {}, b: {} } })),
  data: optional(fc.dictionary(key, text)),
});

/** Turns the fields of every struct around; maps and free content stay as they are. */
function reversed(type: SchemaType, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || type.is === 'scalar') return value;
  if (type.is === 'list') return (value as unknown[]).map((item) => reversed(type.of, item));
  const entries = Object.entries(value).map(([name, item]) => [name, reversed(typeOf(type, name), item)] as const);
  return Object.fromEntries(type.is === 'struct' ? entries.reverse() : entries);
}

function typeOf(type: SchemaType, name: string): SchemaType {
  if (type.is === 'map') return type.of;
  const found = (type as StructType).fields.find((candidate) => candidate.name === name);
  return found?.type ?? fieldsV1;
}

const decode = (value: unknown) => decoderOf(root)(JSON.parse(JSON.stringify(value)), new DecodeContext());

describe('declared order', () => {
  test('comes back from any other order, and nothing else changes', () => {
    fc.assert(
      fc.property(anyRoot, (value) => {
        const decoded = decode(value);
        const restored = inDeclaredOrder(root, reversed(root, decoded));
        expect(JSON.stringify(restored)).toBe(JSON.stringify(decoded));
      }),
      { numRuns: 300 },
    );
  });

  test('what is known to be in order makes no difference', () => {
    fc.assert(
      fc.property(anyRoot, anyRoot, (before, after) => {
        const known = decode(before) as Record<string, unknown>;
        const changed = reversed(root, decode(after)) as Record<string, unknown>;
        const value = { ...known, spec: changed['spec'], lists: changed['lists'], metadata: known['metadata'] };
        const ordered = JSON.stringify(inDeclaredOrder(root, value));
        expect(JSON.stringify(inDeclaredOrder(root, value, known))).toBe(ordered);
      }),
      { numRuns: 200 },
    );
  });

  test('an object in order is returned as it is', () => {
    fc.assert(
      fc.property(anyRoot, (value) => {
        const decoded = decode(value);
        expect(inDeclaredOrder(root, decoded)).toBe(decoded);
      }),
      { numRuns: 100 },
    );
  });

  test('fields that are undefined are left out, at every depth', () => {
    const value = {
      metadata: { z: undefined, a: 1 },
      spec: { on: undefined, all: [{ z: undefined }] },
      named: undefined,
    };
    expect(Object.keys(inDeclaredOrder(root, value) as object)).toEqual(['metadata', 'spec']);
    expect(inDeclaredOrder(root, value)).toStrictEqual({ metadata: { a: 1 }, spec: { all: [{}] } });
  });

  test('the original is left alone', () => {
    const original = { spec: { all: [{ a: 1, z: 'x' }], on: true }, metadata: { a: 2, z: 'y' } };
    const before = JSON.stringify(original);
    const ordered = inDeclaredOrder(root, original);
    expect(JSON.stringify(original)).toBe(before);
    expect(JSON.stringify(ordered)).toBe('{"metadata":{"z":"y","a":2},"spec":{"on":true,"all":[{"z":"x","a":1}]}}');
  });

  test('keys the type does not know come first, in their own order', () => {
    const value = { data: {}, kind: 'Root', metadata: {}, apiVersion: 'v1' };
    expect(Object.keys(inDeclaredOrder(root, value) as object)).toEqual(['kind', 'apiVersion', 'metadata', 'data']);
  });

  test('maps keep the order of their keys', () => {
    const value = { named: { b: { a: 1, z: 'x' }, a: {} }, data: { y: '1', x: '2' } };
    expect(JSON.stringify(inDeclaredOrder(root, value))).toBe(
      '{"named":{"b":{"z":"x","a":1},"a":{}},"data":{"y":"1","x":"2"}}',
    );
  });

  test('a key __proto__ in a map of structs stays data', () => {
    const value: unknown = JSON.parse('{"named":{"__proto__":{"a":1,"z":"x"}}}');
    const ordered = inDeclaredOrder(root, value) as { named: object };
    expect(JSON.stringify(ordered)).toBe('{"named":{"__proto__":{"z":"x","a":1}}}');
    expect(Object.getPrototypeOf(ordered.named)).toBe(Object.prototype);
  });

  test.each([null, 'x', 1, true, []])('%j, which is no object, is returned as it is', (value) => {
    expect(inDeclaredOrder(root, value)).toBe(value);
  });

  test('null in place of a list, a map or a struct stays null', () => {
    const value = { metadata: null, named: null, spec: { all: null } };
    expect(inDeclaredOrder(root, value)).toEqual(value);
  });

  test('types that contain themselves are followed', () => {
    const fields: { name: string; number: number; type: SchemaType }[] = [{ name: 'value', number: 1, type: string }];
    const tree: StructType = { is: 'struct', home: 'test/v1', name: 'Tree', about: '', fields };
    fields.push({ name: 'children', number: 2, type: listOf(tree) });
    const value = { children: [{ children: [], value: 'b' }], value: 'a' };
    expect(JSON.stringify(inDeclaredOrder(tree, value))).toBe('{"value":"a","children":[{"value":"b","children":[]}]}');
  });
});
