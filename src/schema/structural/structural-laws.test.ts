// Laws of structural types: decoding twice changes nothing, and validation agrees with a naive reading of the schema.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json/json.ts';
import { objectMeta } from '../../groups/meta/v1/types.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { decoderOf } from '../decode.ts';
import { DecodeContext } from '../decode-context.ts';
import { settleStored } from '../object-type.ts';
import { prune } from './prune.ts';
import { preserves, type Schema, schemaHas } from './schema.ts';
import type { StructuralType } from './structural-type.ts';
import { validateValue } from './validate.ts';

const typeOf = (schema: Schema): StructuralType => ({
  ...{ is: 'structural', home: 'example.com/v1', name: 'Thing', about: '' },
  ...{ meta: objectMeta, schema },
});

const decode = (schema: Schema, value: JsonValue, known?: unknown) =>
  decoderOf(typeOf(schema))(value, new DecodeContext({ kind: 'Thing', apiVersion: 'example.com/v1' }), known);

const names = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__', 'metadata', 'kind');

const scalar: fc.Arbitrary<JsonValue> = fc.oneof(
  fc.constantFrom<JsonValue>(null, true, false, 0, 1, -1, 1.5, '', 'x', 'long text'),
  fc.integer({ min: -5, max: 5 }),
);
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4 },
    scalar,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 4, noNullPrototype: true }),
  ),
}));

const { schema } = fc.letrec<{ schema: Schema; object: Schema }>((tie) => ({
  schema: fc.oneof(
    { maxDepth: 4 },
    fc.record(
      { type: fc.constant('string'), default: fc.constant('d'), nullable: fc.boolean(), maxLength: fc.nat(4) },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('integer'), default: fc.constant(3), minimum: fc.nat(2), maximum: fc.nat(4) },
      { requiredKeys: ['type'] },
    ),
    fc.record(
      { type: fc.constant('array'), items: tie('schema'), maxItems: fc.nat(2) },
      { requiredKeys: ['type', 'items'] },
    ),
    fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
    tie('object'),
  ) as fc.Arbitrary<Schema>,
  object: fc.record(
    {
      type: fc.constant('object'),
      properties: fc.dictionary(names, tie('schema'), { maxKeys: 4, noNullPrototype: true }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      default: fc.constant({}),
      'x-kubernetes-preserve-unknown-fields': fc.constant(true),
      'x-kubernetes-embedded-resource': fc.constant(false),
    },
    { requiredKeys: ['type', 'properties'] },
  ) as fc.Arbitrary<Schema>,
}));

const root = fc.dictionary(names, schema, { maxKeys: 4, noNullPrototype: true }).map((properties): Schema => {
  const { metadata: _, kind: __, ...rest } = properties;
  return { type: 'object', properties: rest };
});
const body = fc.dictionary(names, value, { maxKeys: 5, noNullPrototype: true }).map((given): JsonObject => {
  const { metadata: _, kind: __, ...rest } = given;
  return { metadata: { name: 'a', generation: 1 }, ...rest };
});

describe('decoding', () => {
  test('of what was decoded changes nothing, nor does reading it from the store', () => {
    fc.assert(
      fc.property(root, body, (given, input) => {
        const once = decode(given, input) as JsonObject;
        expect(decode(given, once)).toEqual(once);
        expect(settleStored(typeOf(given), once).object).toBe(once);
        expect(JSON.stringify(decode(given, once))).toBe(JSON.stringify(once));
      }),
      fuzzRuns(300),
    );
  });

  test('keeps what a schema without properties lets be anything', () => {
    fc.assert(
      fc.property(body, (input) => {
        const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
        const { kind: _, apiVersion: __, metadata: ___, ...kept } = decode(open, input) as JsonObject;
        const { metadata: ____, ...sent } = input;
        expect(kept).toEqual(sent);
      }),
      fuzzRuns(100),
    );
  });

  test('never touches prototypes', () => {
    const input = JSON.parse('{"metadata":{},"spec":{"__proto__":{"polluted":1},"constructor":{"x":1}}}') as JsonObject;
    const spec = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
    const { spec: kept } = decode({ type: 'object', properties: { spec } }, input) as JsonObject;
    expect(JSON.stringify(kept)).toBe('{"__proto__":{"polluted":1},"constructor":{"x":1}}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });
});

/** Whether a value is what a schema says, in as few words as possible. */
function isValid(given: JsonValue, one: Schema): boolean {
  if (given === null) return one.type === undefined || one.nullable === true;
  const members = (): readonly [string, JsonValue][] => Object.entries(given as JsonObject);
  switch (one.type) {
    case 'string':
      return typeof given === 'string' && given.length <= (one.maxLength ?? 99);
    case 'integer':
      return (
        Number.isInteger(given) && (given as number) >= (one.minimum ?? -99) && (given as number) <= (one.maximum ?? 99)
      );
    case 'array':
      return (
        Array.isArray(given) &&
        given.length <= (one.maxItems ?? 99) &&
        given.every((item) => isValid(item, one.items as Schema))
      );
    default: {
      if (typeof given !== 'object' || Array.isArray(given)) return false;
      const known = (one.properties ?? {}) as Record<string, Schema>;
      const other = typeof one.additionalProperties === 'object' ? one.additionalProperties : undefined;
      const fits = ([key, member]: [string, JsonValue]) => {
        const inner = Object.hasOwn(known, key) ? known[key] : other;
        return inner === undefined || isValid(member, inner);
      };
      return (
        members().every((entry) => fits(entry as [string, JsonValue])) &&
        (one.required ?? []).every((key) => Object.hasOwn(given, key))
      );
    }
  }
}

describe('validation', () => {
  test('agrees with a naive reading of the schema', () => {
    fc.assert(
      fc.property(schema, value, (one, given) => {
        expect(validateValue(given, one).length === 0).toBe(isValid(given, one));
      }),
      fuzzRuns(500),
    );
  });

  test('tells nothing about what is the same as before and described', () => {
    fc.assert(
      fc.property(schema, value, (one, given) => {
        fc.pre(!schemaHas(one, preserves));
        const described = prune(given, one);
        expect(validateValue(described, one, '', structuredClone(described))).toEqual([]);
      }),
      fuzzRuns(200),
    );
  });

  test('tells what changed, and not what is next to it', () => {
    const short = { type: 'string', maxLength: 2 };
    const item = { type: 'object', properties: { key: { type: 'string' }, text: short } };
    const marks = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['key'] };
    const list = { type: 'array', items: item, ...marks };
    const one: Schema = {
      type: 'object',
      properties: { a: short, b: short, list, plain: { type: 'array', items: short } },
    };
    const old = { a: 'old', b: 'old', list: [{ key: 'x', text: 'old' }], plain: ['old'] };
    const next = {
      a: 'old',
      b: 'new',
      list: [
        { key: 'y', text: 'new' },
        { key: 'x', text: 'old' },
      ],
      plain: ['old', 'a'],
    };
    const places = validateValue(next, one, '', old).map(({ field }) => field);
    expect(places.toSorted()).toEqual(['b', 'list[0].text', 'plain[0]']);
  });
});
