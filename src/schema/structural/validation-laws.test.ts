// Every keyword of a schema, on generated schemas and values: validation agrees with a naive reading of them, alone and combined.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { JsonObject, JsonValue } from '../../base/json/json.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { prune } from './prune.ts';
import { marks, type Schema } from './schema.ts';
import { validateValue } from './validate.ts';

const names = fc.constantFrom('a', 'b', 'c', 'constructor', '__proto__');
const { value } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<JsonValue>(null, true, false, 0, 1, 2, 3, 4, -1, 1.5, '', 'x', 'xy', 'abc', '12', '1x'),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(names, tie('value'), { maxKeys: 3, noNullPrototype: true }),
  ),
}));

const some = <T>(fields: Record<string, fc.Arbitrary<T>>) => fc.record(fields, { requiredKeys: [] });

const one = (name: string, values: fc.Arbitrary<unknown>, more?: Schema): fc.Arbitrary<Schema> =>
  values.map((value) => ({ [name]: value, ...more }));

/** What a schema may say of a value next to its type: little at a time, so that some values keep it. */
const few: fc.Arbitrary<Schema> = fc.oneof(
  fc.constant<Schema>({}),
  one('enum', fc.array(fc.constantFrom<JsonValue>(0, 1, 'x', true, [1], { a: 1 }), { minLength: 1, maxLength: 3 })),
  one('minimum', fc.nat(2)),
  one('maximum', fc.integer({ min: 1, max: 4 })),
  one('minimum', fc.nat(2), { exclusiveMinimum: true }),
  one('maximum', fc.nat(3), { exclusiveMaximum: true }),
  one('multipleOf', fc.constantFrom(2, 1.5)),
  one('minLength', fc.nat(2)),
  one('maxLength', fc.nat(3)),
  one('pattern', fc.constantFrom('^x', '[0-9]', '^[a-z]+$')),
  one('minItems', fc.nat(2)),
  one('maxItems', fc.nat(3)),
  one('minProperties', fc.nat(2)),
  one('maxProperties', fc.nat(3)),
  one('required', fc.uniqueArray(names, { maxLength: 2 })),
);

const { schema } = fc.letrec<{ schema: Schema }>((tie) => ({
  schema: fc
    .tuple(
      fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom<Schema>(
          { type: 'string' },
          { type: 'integer' },
          { type: 'number' },
          { type: 'boolean' },
          { [marks.intOrString]: true },
          { [marks.preserve]: true },
        ),
        fc.record({ type: fc.constant('array'), items: tie('schema') }),
        fc.record({ type: fc.constant('object'), additionalProperties: tie('schema') }),
        fc.record({
          type: fc.constant('object'),
          properties: fc.dictionary(names, tie('schema'), { maxKeys: 3, noNullPrototype: true }),
        }),
      ) as fc.Arbitrary<Schema>,
      few,
      some<unknown>({
        allOf: fc.array(few, { minLength: 1, maxLength: 2 }),
        anyOf: fc.array(few, { minLength: 1, maxLength: 2 }),
        oneOf: fc.array(few, { minLength: 1, maxLength: 2 }),
        not: few.filter((one) => Object.keys(one).length > 0),
        nullable: fc.boolean(),
      }).map((all) => Object.fromEntries(Object.entries(all as object).slice(0, 1))),
    )
    .map(([type, limited, combined]): Schema => ({ ...limited, ...(combined as Schema), ...type })),
}));

/** Values of the type that a schema wants. */
function fitting({ type, items, properties, additionalProperties }: Schema): fc.Arbitrary<JsonValue> {
  switch (type) {
    case 'string':
      return fc.constantFrom('', 'x', 'xy', 'abc', '12', '1x');
    case 'integer':
      return fc.integer({ min: -1, max: 5 });
    case 'number':
      return fc.constantFrom(0, 1.5, 2, 3, 4.25);
    case 'boolean':
      return fc.boolean();
    case 'array':
      return fc.array(fitting((items ?? {}) as Schema), { maxLength: 3 });
    case 'object':
      return properties === undefined
        ? fc.dictionary(names, fitting((additionalProperties ?? {}) as Schema), { maxKeys: 3, noNullPrototype: true })
        : (fc.record(Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, fitting(inner)])), {
            requiredKeys: [],
            noNullPrototype: true,
          }) as fc.Arbitrary<JsonValue>);
    default:
      return value;
  }
}

const cases = schema.chain((described) =>
  fc.tuple(fc.constant(described), fc.oneof({ weight: 3, arbitrary: fitting(described) }, value)),
);

const isObject = (given: JsonValue): given is JsonObject =>
  typeof given === 'object' && given !== null && !Array.isArray(given);

const types: Readonly<Record<string, (given: JsonValue) => boolean>> = {
  string: (given) => typeof given === 'string',
  integer: (given) => Number.isInteger(given),
  number: (given) => typeof given === 'number',
  boolean: (given) => typeof given === 'boolean',
  array: (given) => Array.isArray(given),
  object: isObject,
};

const isSame = (a: unknown, b: unknown) => JSON.stringify(a) === JSON.stringify(b);

/** A number is chosen if it is without its fraction. */
const isChosen = (given: JsonValue, { enum: choices }: Schema) => {
  const whole = typeof given === 'number' ? Math.trunc(given) : given;
  return choices === undefined || choices.some((choice) => isSame(choice, given) || isSame(choice, whole));
};

/** In as few words as possible. */
function isValid(given: JsonValue, one: Schema): boolean {
  // of null, only its type and the choices count
  if (given === null)
    return one.nullable === true || (one.type === undefined && isChosen(given, one) && !one[marks.intOrString]);
  if (one[marks.intOrString] === true && !Number.isInteger(given) && typeof given !== 'string') return false;
  if (one.type !== undefined && !types[one.type]?.(given)) return false;
  return (
    isChosen(given, one) &&
    (typeof given !== 'number' || isNumberValid(given, one)) &&
    (typeof given !== 'string' || isTextValid(given, one)) &&
    (!Array.isArray(given) || isListValid(given, one)) &&
    (!isObject(given) || isObjectValid(given, one)) &&
    (one.allOf ?? []).every((part) => isValid(given, part)) &&
    (one.anyOf === undefined || one.anyOf.some((part) => isValid(given, part))) &&
    (one.oneOf === undefined || one.oneOf.filter((part) => isValid(given, part)).length === 1) &&
    (one.not === undefined || !isValid(given, one.not))
  );
}

/** A whole number is held to limits without their fractions; where it has to be whole, there is none that fits such limits. */
function isNumberValid(given: number, schema: Schema) {
  const { exclusiveMinimum, exclusiveMaximum } = schema;
  const limits = [schema.minimum, schema.maximum, schema.multipleOf].filter((limit) => limit !== undefined);
  if (schema.type === 'integer' && !limits.every(Number.isInteger)) return false;
  const whole = (limit: number | undefined) =>
    limit !== undefined && Number.isInteger(given) ? Math.trunc(limit) : limit;
  const [minimum, maximum, multipleOf] = [whole(schema.minimum), whole(schema.maximum), whole(schema.multipleOf)];
  return (
    (minimum === undefined || (exclusiveMinimum ? given > minimum : given >= minimum)) &&
    (maximum === undefined || (exclusiveMaximum ? given < maximum : given <= maximum)) &&
    (multipleOf === undefined || given % multipleOf === 0)
  );
}

const isTextValid = (given: string, { minLength = 0, maxLength = 99, pattern = '' }: Schema) =>
  given.length >= minLength && given.length <= maxLength && new RegExp(pattern).test(given);

const isListValid = (given: readonly JsonValue[], { minItems = 0, maxItems = 99, items }: Schema) =>
  given.length >= minItems &&
  given.length <= maxItems &&
  (items === undefined || given.every((item) => isValid(item, items as Schema)));

function isObjectValid(given: JsonObject, one: Schema): boolean {
  const { minProperties = 0, maxProperties = 99, required = [], properties = {}, additionalProperties } = one;
  const other = typeof additionalProperties === 'object' ? additionalProperties : {};
  const keys = Object.keys(given);
  return (
    keys.length >= minProperties &&
    keys.length <= maxProperties &&
    required.every((key) => keys.includes(key)) &&
    keys.every((key) =>
      isValid(given[key] as JsonValue, Object.hasOwn(properties, key) ? (properties[key] as Schema) : other),
    )
  );
}

test('validation agrees with a naive reading of every keyword', () => {
  let valid = 0;
  fc.assert(
    fc.property(cases, ([one, given]) => {
      const expected = isValid(given, one);
      if (expected) valid++;
      expect(validateValue(given, one).length === 0).toBe(expected);
    }),
    { ...fuzzRuns(1000), seed: 18 },
  );
  expect(valid).toBeGreaterThan(100);
});

test('what is pruned once is pruned, whatever else the schema says', () => {
  fc.assert(
    fc.property(cases, ([one, given]) => {
      const once = prune(given, one);
      expect(prune(once, one)).toBe(once);
    }),
    { ...fuzzRuns(300), seed: 18 },
  );
});
