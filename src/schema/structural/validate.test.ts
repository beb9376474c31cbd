// Values against schemas: one row a rule, with field, reason and message as users know them.

import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../../base/json/json.ts';
import { expectProcessorTime } from '../../testing/processor-time.ts';
import { marks, type Schema } from './schema.ts';
import { validateValue } from './validate.ts';

const told = (value: JsonValue, schema: Schema, at?: string) =>
  validateValue(value, schema, at).map(({ field, reason, message }) => `${field} ${reason.slice(10)} ${message}`);

const object = (properties: Record<string, Schema>, rest: Schema = {}): Schema => ({
  type: 'object',
  properties,
  ...rest,
});

describe('one field', () => {
  test.each<[string, Schema, JsonValue, readonly string[]]>([
    ['a fitting type', { type: 'string' }, 'x', []],
    [
      'another type',
      { type: 'integer' },
      'x',
      ['f TypeInvalid Invalid value: "string": f in body must be of type integer: "string"'],
    ],
    ['an integer as a number', { type: 'number' }, 1, []],
    [
      'a fraction as an integer',
      { type: 'integer' },
      1.5,
      [
        'f TypeInvalid Invalid value: "number": f in body must be of type integer: "number"',
        '<nil> Invalid Invalid value: "": Checked value must be of type integer (default format) in f',
      ],
    ],
    ['a very large integer', { type: 'integer' }, 9007199254740993n, []],
    [
      'an integer of more than 64 bits',
      { type: 'integer' },
      12345678901234567890n,
      [
        'f TypeInvalid Invalid value: "number": f in body must be of type integer: "number"',
        '<nil> Invalid Invalid value: "": Checked value must be of type integer (default format) in f',
      ],
    ],
    ['a whole number at a limit with a fraction', { type: 'number', minimum: 0.5 }, 0, []],
    [
      'a whole number beyond one',
      { type: 'number', maximum: 2.5 },
      3,
      ['f Invalid Invalid value: 3: f in body should be less than or equal to 2'],
    ],
    [
      'a whole number and a small factor',
      { type: 'number', multipleOf: 0.5 },
      1,
      ['f Invalid Invalid value: 0: factor MultipleOf declared for f must be positive: 0'],
    ],
    ['a fraction and a small factor', { type: 'number', multipleOf: 0.5 }, 2.5, []],
    [
      'a whole number whose limit its type cannot hold',
      { type: 'integer', format: 'int32', minimum: 3_000_000_000 },
      1_000_000,
      [
        '<nil> Invalid Invalid value: "": Minimum boundary value must be of type integer with format int32 in f',
        'f Invalid Invalid value: 1e+06: f in body should be greater than or equal to 3e+09',
      ],
    ],
    [
      'a whole number and a factor with a fraction',
      { type: 'integer', multipleOf: 1.5 },
      3,
      ['<nil> Invalid Invalid value: "": MultipleOf value must be of type integer (default format) in f'],
    ],
    [
      'a number that is too large to be a multiple of anything',
      { type: 'number', multipleOf: 2 },
      1e20,
      ['f Invalid Invalid value: 1e+20: f in body should be a multiple of 2'],
    ],
    ['a number that is one of several without its fraction', { type: 'number', enum: [1, 2.5] }, 1.5, []],
    ['a number of the letter that is one of several', { enum: ['x'] }, 120, []],
    [
      'a fraction that is none of several',
      { type: 'number', enum: [1, 2.5] },
      3.5,
      ['f NotSupported Unsupported value: 3.5: supported values: "1", "2.5"'],
    ],
    ['a list where a text of some format should be', { type: 'string', format: 'date' }, [1], []],
    [
      'a format that its type cannot have',
      { type: 'boolean', format: 'date' },
      'x',
      ['f TypeInvalid Invalid value: "string": f in body must be of type boolean: "string"'],
    ],
    [
      'what 32 bits cannot hold',
      { type: 'number', format: 'float' },
      1e300,
      ['<nil> Invalid Invalid value: "": Checked value must be of type number with format float in f'],
    ],
    [
      'too few members, and what they lack',
      { type: 'object', minProperties: 1, required: ['x'] },
      {},
      ['f Invalid Invalid value: 0: f in body should have at least 1 properties', 'f.x Required Required value'],
    ],
    [
      'too many members, and what is wrong in them',
      { type: 'object', maxProperties: 1, additionalProperties: { type: 'integer', maximum: 5 } },
      { a: 1, b: 8 },
      [
        'f TooMany Too many: 2: must have at most 1 item',
        'f.b Invalid Invalid value: 8: f.b in body should be less than or equal to 5',
      ],
    ],
    [
      'null',
      { type: 'string' },
      null,
      ['f TypeInvalid Invalid value: "null": f in body must be of type string: "null"'],
    ],
    ['null where it may be', { type: 'string', nullable: true }, null, []],
    ['an integer or a string', { [marks.intOrString]: true }, 'http', []],
    [
      'neither',
      { [marks.intOrString]: true },
      true,
      ['f TypeInvalid Invalid value: "boolean": f in body must be of type integer,string: "boolean"'],
    ],
    ['anything at all', { [marks.preserve]: true }, [1], []],
    ['a choice', { type: 'string', enum: ['a', 'b'] }, 'b', []],
    [
      'no choice',
      { type: 'string', enum: ['a', 'b'] },
      'c',
      ['f NotSupported Unsupported value: "c": supported values: "a", "b"'],
    ],
    [
      'no choice of numbers',
      { type: 'integer', enum: [1, 2] },
      3,
      ['f NotSupported Unsupported value: 3: supported values: "1", "2"'],
    ],
    ['a choice of an object', { enum: [{ a: 1 }] }, { a: 1 }, []],
    [
      'too small',
      { type: 'integer', minimum: 1 },
      0,
      ['f Invalid Invalid value: 0: f in body should be greater than or equal to 1'],
    ],
    [
      'at the edge',
      { type: 'integer', minimum: 1, exclusiveMinimum: true },
      1,
      ['f Invalid Invalid value: 1: f in body should be greater than 1'],
    ],
    [
      'too large',
      { type: 'integer', maximum: 10 },
      99,
      ['f Invalid Invalid value: 99: f in body should be less than or equal to 10'],
    ],
    [
      'at the other edge',
      { type: 'number', maximum: 1.5, exclusiveMaximum: true },
      1.5,
      ['f Invalid Invalid value: 1.5: f in body should be less than 1.5'],
    ],
    [
      'large beyond doubles',
      { type: 'integer', maximum: 10 },
      2n ** 60n,
      ['f Invalid Invalid value: 1152921504606846976: f in body should be less than or equal to 10'],
    ],
    ['a multiple', { type: 'number', multipleOf: 0.1 }, 0.7, []],
    [
      'no multiple',
      { type: 'integer', multipleOf: 3 },
      4,
      ['f Invalid Invalid value: 4: f in body should be a multiple of 3'],
    ],
    ['too long', { type: 'string', maxLength: 2 }, 'abc', ['f TooLong Too long: may not be more than 2 bytes']],
    ['long in code units only', { type: 'string', maxLength: 2 }, '😀😀', []],
    [
      'too short',
      { type: 'string', minLength: 3 },
      '😀😀',
      ['f Invalid Invalid value: "😀😀": f in body should be at least 3 chars long'],
    ],
    ['a pattern anywhere', { type: 'string', pattern: 'b' }, 'abc', []],
    [
      'no pattern',
      { type: 'string', pattern: '^[a-z]+$' },
      'A',
      ['f Invalid Invalid value: "A": f in body should match \'^[a-z]+$\''],
    ],
    ['a format', { type: 'string', format: 'date-time' }, '2026-01-01T00:00:00Z', []],
    [
      'no format',
      { type: 'string', format: 'date-time' },
      'x',
      ['f TypeInvalid Invalid value: "x": f in body must be of type date-time: "x"'],
    ],
    [
      'a number for a format',
      { type: 'string', format: 'ipv4' },
      1,
      ['f TypeInvalid Invalid value: "int64": f in body must be of type ipv4: "int64"'],
    ],
    ['an unknown format', { type: 'string', format: 'odd' }, 'x', []],
    [
      'too few items',
      { type: 'array', minItems: 1 },
      [],
      ['f Invalid Invalid value: 0: f in body should have at least 1 items'],
    ],
    ['too many items', { type: 'array', maxItems: 1 }, [1, 2], ['f TooMany Too many: 2: must have at most 1 item']],
    [
      'items twice',
      { type: 'array', uniqueItems: true },
      [
        { a: 1, b: 2 },
        { b: 2, a: 1 },
      ],
      ['f Invalid Invalid value: "": f in body shouldn\'t contain duplicates'],
    ],
    [
      'a bad item',
      { type: 'array', items: { type: 'string' } },
      ['a', 1],
      ['f[1] TypeInvalid Invalid value: "integer": f[1] in body must be of type string: "integer"'],
    ],
    [
      'too few members',
      { type: 'object', minProperties: 1 },
      {},
      ['f Invalid Invalid value: 0: f in body should have at least 1 properties'],
    ],
    [
      'too many members',
      { type: 'object', maxProperties: 1 },
      { a: 1, b: 2 },
      ['f TooMany Too many: 2: must have at most 1 item'],
    ],
    ['a member that is missing', { type: 'object', required: ['a'] }, {}, ['f.a Required Required value']],
    [
      'a member of odd name',
      { type: 'object', required: ['constructor'] },
      {},
      ['f.constructor Required Required value'],
    ],
    [
      'bad values of a map',
      { type: 'object', additionalProperties: { type: 'integer' } },
      { a: 'x' },
      ['f.a TypeInvalid Invalid value: "string": f.a in body must be of type integer: "string"'],
    ],
    [
      'no other members',
      object({ a: {} }, { additionalProperties: false }),
      { b: 1 },
      ['f.b Invalid Invalid value: "b": f.b in body is a forbidden property'],
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(told({ f: value }, object({ f: schema }))).toEqual(expected);
  });
});

describe('alternatives', () => {
  const needs = (...names: string[]): Schema => ({ required: names });
  test.each<[string, Schema, JsonValue, readonly string[]]>([
    ['one of several', { anyOf: [needs('a'), needs('b')] }, { b: 1 }, []],
    [
      'none of several: the closest tells what is missing',
      { anyOf: [{ type: 'string' }, object({ a: { type: 'integer' } }, { required: ['a'] })] },
      { a: 'x' },
      [
        '<nil> Invalid Invalid value: "": "f" must validate at least one schema (anyOf)',
        'f.a TypeInvalid Invalid value: "string": f.a in body must be of type integer: "string"',
      ],
    ],
    ['exactly one', { oneOf: [needs('a'), needs('b')] }, { a: 1 }, []],
    [
      'two where there may be one',
      { oneOf: [needs('a'), needs('b')] },
      { a: 1, b: 1 },
      [
        '<nil> Invalid Invalid value: "": "f" must validate one and only one schema (oneOf). Found 2 valid alternatives',
      ],
    ],
    [
      'none where there must be one',
      { oneOf: [needs('a'), needs('b')] },
      {},
      [
        '<nil> Invalid Invalid value: "": "f" must validate one and only one schema (oneOf). Found none valid',
        'f.a Required Required value',
      ],
    ],
    [
      'not all',
      { allOf: [needs('a'), needs('b')] },
      { a: 1 },
      ['f.b Required Required value', '<nil> Invalid Invalid value: "": "f" must validate all the schemas (allOf)'],
    ],
    [
      'none of all',
      { allOf: [needs('a')] },
      {},
      [
        'f.a Required Required value',
        '<nil> Invalid Invalid value: "": "f" must validate all the schemas (allOf). None validated',
      ],
    ],
    [
      'what may not be',
      { not: needs('a') },
      { a: 1 },
      ['<nil> Invalid Invalid value: "": "f" must not validate the schema (not)'],
    ],
  ])('%s', (_, schema, value, expected) => {
    expect(told({ f: value }, object({ f: schema }))).toEqual(expected);
  });
});

test('validation errors stand where the value stands', () => {
  expect(told('x', { type: 'integer' }, 'a.default')).toEqual([
    'a.default TypeInvalid Invalid value: "string":  in body must be of type integer: "string"',
  ]);
  expect(told({ b: 1 }, object({ b: { type: 'string' } }), 'a.default')).toEqual([
    'a.default.b TypeInvalid Invalid value: "integer": b in body must be of type string: "integer"',
  ]);
  expect(told(1, { not: {} }, 'a.default')[0]).toMatch(/^a\.default Invalid/);
});

test('a value that is wrong a million times is not told a million times', () => {
  const list = Array.from({ length: 20_000 }, () => 1);
  expect(validateValue({ f: list }, object({ f: { type: 'array', items: { type: 'string' } } }))).toHaveLength(1000);
});

describe('a definition that asks for much', () => {
  const items = (schema: Schema, count: number, text: string) => {
    const value = Array.from({ length: count }, () => text);
    return () =>
      validateValue({ list: value }, { type: 'object', properties: { list: { type: 'array', items: schema } } });
  };

  test('of 500 patterns for each of many texts is given up with 413', async () => {
    const allOf = Array.from({ length: 500 }, (_, index) => ({ pattern: `^([a-z0-9]+[.])*[a-z]{1,${index + 1}}$` }));
    const validate = items({ type: 'string', allOf }, 60_000, 'some.name.of.a.host');
    await expectProcessorTime(8000, () => {
      expect(validate).toThrow(expect.objectContaining({ code: 413 }));
    });
  });

  test('of 30,000 values for each of many texts looks them up', async () => {
    const schema = { type: 'string', enum: Array.from({ length: 30_000 }, (_, index) => `value-${index}`) };
    await expectProcessorTime(1000, () => {
      expect(items(schema, 60_000, 'value-29999')()).toEqual([]);
    });
    await expectProcessorTime(1000, () => {
      expect(items(schema, 60_000, 'none')()).toHaveLength(1000);
    });
  });

  test.each([
    [{ a: 1, b: [2] }, { b: [2], a: 1 }, true],
    [{ a: 1 }, { a: 2 }, false],
    [[1, 'x'], [1, 'x'], true],
    [5, 5.7, true],
    ['A', 65, true],
    [null, null, true],
    [true, 'true', false],
  ])('the value %j is among others that hold %j: %s', (choice, value, isAmong) => {
    const others = Array.from({ length: 100 }, (_, index) => `other-${index}`);
    expect(validateValue(value as never, { enum: [...others, choice], nullable: true } as never)).toHaveLength(
      isAmong ? 0 : 1,
    );
  });
});
