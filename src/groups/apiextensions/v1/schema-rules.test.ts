import { expect, test } from 'vitest';
import type { Schema } from '../../../schema/structural/schema.ts';
import { lines } from '../../../testing/error-lines.ts';
import { validateRootSchema, workOf } from './schema-rules.ts';
import { validateStructural } from './structural-rules.ts';

const mark = (name: string) => `x-kubernetes-${name}`;
const inSpec = (spec: object): Schema => ({ type: 'object', properties: { spec: spec as Schema } });
const at = 's.properties[spec]';
const text = { type: 'string' };
const keyed = { type: 'object', required: ['k'], properties: { k: text } };
const mapList = { type: 'array', [mark('list-type')]: 'map', [mark('list-map-keys')]: ['k'], items: keyed };
const junctor = (keyword: string, one: object) => ({ type: 'object', properties: { a: text }, [keyword]: [one] });

test.each<[string, Schema, string[]]>([
  ['of an object', inSpec(text), []],
  ['of anything', { type: 'object', [mark('preserve-unknown-fields')]: true }, []],
  ['of a number or text', inSpec({ [mark('int-or-string')]: true, anyOf: [{ type: 'integer' }, text] }), []],
  [
    'of a number or text and more',
    inSpec({ [mark('int-or-string')]: true, allOf: [{ anyOf: [{ type: 'integer' }, text] }, { pattern: '^a' }] }),
    [],
  ],
  ['of nothing', {}, ['s.type: Required value: must not be empty at the root']],
  ['of text', text, ['s.type: Invalid value: "string": must be object at the root']],
  [
    'of what may be null',
    { type: 'object', nullable: true },
    ['s.nullable: Forbidden: nullable cannot be true at the root'],
  ],
  ['of a field of any type', inSpec({}), [`${at}.type: Required value: must not be empty for specified object fields`]],
  [
    'of items of any type',
    inSpec({ type: 'array', items: {} }),
    [`${at}.items.type: Required value: must not be empty for specified array items`],
  ],
  ['of a list of nothing', inSpec({ type: 'array' }), [`${at}.items: Required value: must be specified`]],
  [
    'of an odd type',
    inSpec({ type: 'text' }),
    [
      `${at}.type: Unsupported value: "text": supported values: "array", "boolean", "integer", "number", "object", "string"`,
    ],
  ],
  [
    'that refers elsewhere',
    inSpec({ ...text, $ref: '#/x', definitions: { a: text } }),
    [`${at}.definitions: Forbidden: definitions is not supported`, `${at}.$ref: Forbidden: $ref is not supported`],
  ],
  [
    'of fields that depend on nothing, on names or on a schema',
    inSpec({ type: 'object', dependencies: { a: null, b: ['c'], d: { type: 'object', uniqueItems: true } } }),
    [
      `${at}.dependencies: Forbidden: dependencies is not supported`,
      `${at}.dependencies[d].uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`,
    ],
  ],
  [
    'of named and other fields',
    inSpec({ type: 'object', properties: { a: text }, additionalProperties: text }),
    [`${at}.additionalProperties: Forbidden: additionalProperties and properties are mutual exclusive`],
  ],
  [
    'of unique items',
    inSpec({ type: 'array', items: text, uniqueItems: true }),
    [`${at}.uniqueItems: Forbidden: uniqueItems cannot be set to true since the runtime complexity becomes quadratic`],
  ],
  [
    'that matches nothing',
    inSpec({ ...text, pattern: '(' }),
    [
      expect.stringContaining(
        `${at}.pattern: Invalid value: "(": must be a valid regular expression, but isn't: `,
      ) as string,
    ],
  ],
  [
    'of a type under a junctor',
    inSpec(junctor('anyOf', { properties: { a: { ...text, minLength: 1 } } })),
    [`${at}.anyOf[0].properties[a].type: Forbidden: must be empty to be structural`],
  ],
  [
    'of metadata under a junctor',
    { ...junctor('oneOf', { properties: { metadata: {} } }) },
    [
      's.oneOf[0].properties[metadata]: Forbidden: must not be specified in a nested context',
      's.properties[metadata]: Required value: because it is defined in s.oneOf[0].properties[metadata]',
    ],
  ],
  [
    'that restricts what it does not describe',
    { ...junctor('allOf', { properties: { b: { minLength: 1 } } }) },
    ['s.properties[b]: Required value: because it is defined in s.allOf[0].properties[b]'],
  ],
  [
    'that restricts names',
    { type: 'object', properties: { metadata: { type: 'object', properties: { name: text } } } },
    [],
  ],
  [
    'that restricts labels',
    { type: 'object', properties: { metadata: { type: 'object', properties: { labels: { type: 'object' } } } } },
    [
      's.properties[metadata]: Forbidden: must not specify anything other than name and generateName, but metadata is implicitly specified',
    ],
  ],
  [
    'with a default kind',
    { type: 'object', properties: { kind: { ...text, default: 'A' } } },
    ['s.properties[kind].default: Forbidden: must not be set in top-level kind'],
  ],
  [
    'of an object inside that is none',
    inSpec({ type: 'object', [mark('embedded-resource')]: true }),
    [
      `${at}.properties: Required value: must not be empty if x-kubernetes-embedded-resource is true without x-kubernetes-preserve-unknown-fields`,
    ],
  ],
  [
    'that does not preserve',
    inSpec({ type: 'object', [mark('preserve-unknown-fields')]: false }),
    [`${at}.x-kubernetes-preserve-unknown-fields: Invalid value: false: must be true or undefined`],
  ],
  ['of a list with keys', inSpec(mapList), []],
  [
    'of a list of an odd type',
    inSpec({ type: 'array', items: text, [mark('list-type')]: 'bag' }),
    [`${at}.x-kubernetes-list-type: Unsupported value: "bag": supported values: "atomic", "set", "map"`],
  ],
  [
    'of a list with keys that may be missing',
    inSpec({ ...mapList, items: { ...keyed, required: [] } }),
    [
      `${at}.items.properties[k].default: Required value: this property is in x-kubernetes-list-map-keys, so it must have a default or be a required property`,
    ],
  ],
  [
    'of a list without keys',
    inSpec({ ...mapList, [mark('list-map-keys')]: [] }),
    [`${at}.x-kubernetes-list-map-keys: Required value: must not be empty if x-kubernetes-list-type is map`],
  ],
  [
    'of a list with unknown keys',
    inSpec({ ...mapList, [mark('list-map-keys')]: ['k', 'x'] }),
    [`${at}.x-kubernetes-list-map-keys: Invalid value: ["k","x"]: entries must all be names of item properties`],
  ],
  [
    'of a set of objects',
    inSpec({ type: 'array', [mark('list-type')]: 'set', items: { type: 'object' } }),
    [
      `${at}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with x-kubernetes-list-type=set`,
    ],
  ],
  [
    'of text that merges',
    inSpec({ ...text, [mark('map-type')]: 'atomic' }),
    [`${at}.type: Invalid value: "string": must be object if x-kubernetes-map-type is specified`],
  ],
  [
    'with rules that blame nothing',
    inSpec({
      type: 'object',
      properties: { a: text },
      [mark('validations')]: ['.a', '.b', 'a'].map((fieldPath) => ({ rule: 'true', fieldPath })),
    }),
    [
      `${at}.x-kubernetes-validations[1].fieldPath: Invalid value: ".b": must be a valid path`,
      `${at}.x-kubernetes-validations[2].fieldPath: Invalid value: "a": must be a valid path`,
    ],
  ],
  [
    'with rules that say nothing',
    inSpec({ ...text, [mark('validations')]: [{ rule: ' ' }, { rule: 'a\nb' }, { rule: 'a', reason: 'Odd' }] }),
    [
      `${at}.x-kubernetes-validations[0].rule: Required value: rule is not specified`,
      `${at}.x-kubernetes-validations[1].message: Required value: message must be specified if rule contains line breaks`,
      `${at}.x-kubernetes-validations[2].reason: Unsupported value: "Odd": supported values: "FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"`,
    ],
  ],
])('a schema %s', (_, schema, expected) => {
  expect(lines(validateRootSchema(schema, { hasStatus: false, isStructural: true }, 's'))).toEqual(expected);
});

test('with its own status, the root says little', () => {
  const schema = { ...inSpec(text), maxProperties: 3 };
  expect(lines(validateRootSchema(schema, { hasStatus: false, isStructural: true }, 's'))).toEqual([]);
  expect(lines(validateRootSchema(schema, { hasStatus: true, isStructural: true }, 's'))).toEqual([
    expect.stringMatching(
      /^s: Invalid value: .*: only \[Description Type .* XValidations\] fields are allowed at the root/,
    ),
  ]);
});

test('many alternatives are reported in the order of their texts', () => {
  const anyOf = Array.from({ length: 3000 }, (_, i) => (i % 1000 === 0 ? { type: 'string' } : { pattern: 'a' }));
  const schema = inSpec({ ...text, anyOf });
  expect(lines(validateStructural(schema, 's'))).toEqual(
    [0, 1000, 2000].map((i) => `${at}.anyOf[${i}].type: Forbidden: must be empty to be structural`),
  );
});

test('the work for a schema grows with its schemas and its patterns', () => {
  const long = 20_000_000;
  const schemas = (count: number) =>
    inSpec({ ...text, anyOf: Array.from({ length: count }, () => ({ minLength: 1 })) });
  const patterns = (count: number) =>
    inSpec({ ...text, anyOf: Array.from({ length: count }, (_, i) => ({ pattern: `^[a-z]+(-[a-z]+)*${i}$` })) });
  expect(workOf(schemas(100))).toBeLessThan(long);
  expect(workOf(schemas(10_000))).toBeGreaterThan(long);
  expect(workOf(patterns(10))).toBeLessThan(long);
  expect(workOf(patterns(1000))).toBeGreaterThan(long);
});
