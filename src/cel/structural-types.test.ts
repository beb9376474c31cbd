// Schemas of custom resources in expressions.

import { describe, expect, test } from 'vitest';
import type { Schema } from '../schema/structural/schema.ts';
import { compile } from './compile.ts';
import { Environment } from './environment.ts';
import { type DeclaredType, declareSchema, mostOf, sizesOf } from './structural-types.ts';
import { formatType } from './types.ts';

const text: Schema = { type: 'string' };
const object = (properties: Record<string, Schema>, more: object = {}): Schema => ({
  type: 'object',
  properties,
  ...more,
});
const declared = (schema: Schema, isObject = false) => declareSchema(schema, isObject) as DeclaredType;

test.each<[string, Schema, string | undefined]>([
  ['text', text, 'string'],
  ['a number', { type: 'number' }, 'double'],
  ['a whole number', { type: 'integer', format: 'int32' }, 'int'],
  ['a truth', { type: 'boolean' }, 'bool'],
  ['bytes', { type: 'string', format: 'byte' }, 'bytes'],
  ['a time', { type: 'string', format: 'date-time' }, 'timestamp'],
  ['a day', { type: 'string', format: 'date' }, 'timestamp'],
  ['a duration', { type: 'string', format: 'duration' }, 'duration'],
  ['text of another format', { type: 'string', format: 'uuid' }, 'string'],
  ['what may be null', { type: 'string', nullable: true }, 'string'],
  ['a number or text', { 'x-kubernetes-int-or-string': true }, 'dyn'],
  ['a list', { type: 'array', items: text }, 'list(string)'],
  ['a map', { type: 'object', additionalProperties: { type: 'array', items: text } }, 'map(string, list(string))'],
  ['an object', object({ a: text }), 'selfType'],
  ['an object of any fields', { type: 'object', additionalProperties: true }, 'selfType'],
  ['anything', { 'x-kubernetes-preserve-unknown-fields': true }, undefined],
  ['a list of anything', { type: 'array', items: { 'x-kubernetes-preserve-unknown-fields': true } }, undefined],
  ['a map of anything', { type: 'object', additionalProperties: {} }, undefined],
])('%s', (_, schema, type) => {
  const declared = declareSchema(schema, false);
  expect(declared && formatType(declared.type)).toBe(type);
});

/** The type of an expression about a value, or what is wrong with it. */
function typeOf(source: string, schema: Schema, isObject = false): string {
  const environment = new Environment({ variables: { self: declared(schema, isObject).type } });
  const compiled = compile(source, environment);
  return 'errors' in compiled ? (compiled.errors.message.split('\n')[0] ?? '') : formatType(compiled.program.type);
}

describe('an object', () => {
  test('has the fields that are known, under names that expressions can write', () => {
    const schema = object({ 'a.b': text, 'c-d/e': text, f__g: text, if: text, '9': text, free: {} });
    for (const name of ['a__dot__b', 'c__dash__d__slash__e', 'f__underscores__g', '__if__'])
      expect(typeOf(`self.${name}`, schema)).toBe('string');
    expect(typeOf('self.free', schema)).toContain("undefined field 'free'");
    expect(declared(schema).properties?.has('9')).toBe(true);
    expect(declared(schema).fields?.has('9')).toBe(false);
  });

  test('hides what it keeps without knowing it', () => {
    const schema = object({ a: text }, { 'x-kubernetes-preserve-unknown-fields': true });
    expect(typeOf('self.b', schema)).toContain("undefined field 'b'");
  });

  test('that is a whole one has names, whatever its schema says of them', () => {
    const schema = object({ spec: text, metadata: { type: 'object' } });
    for (const name of ['apiVersion', 'kind', 'metadata.name', 'metadata.generateName', 'spec'])
      expect(typeOf(`self.${name}`, schema, true)).toBe('string');
    expect(typeOf('self.metadata.labels', schema, true)).toContain("undefined field 'labels'");
    expect(typeOf('self.kind', { ...schema }, false)).toContain("undefined field 'kind'");
  });

  test('inside of another may be a whole one', () => {
    const embedded = object({}, { 'x-kubernetes-embedded-resource': true });
    expect(
      typeOf(
        'self.a.metadata.name + self.b[0].kind',
        object({ a: embedded, b: { type: 'array', items: { ...embedded } } }),
      ),
    ).toBe('string');
  });

  test('has metadata as its schema limits them, where that names all of them', () => {
    const limited = { type: 'object', properties: { name: { ...text, maxLength: 5 }, generateName: text } };
    const whole = (metadata: Schema) => sizesOf(declared(object({ kind: text, apiVersion: text, metadata }), true));
    expect(whole(limited)(['self', 'metadata', 'name'])).toBe(20);
    expect(whole({ type: 'object', properties: { name: limited.properties.name } })(['self', 'metadata', 'name'])).toBe(
      3145726,
    );
  });
});

describe('sizes', () => {
  const schema = object({
    names: { type: 'array', maxItems: 3, items: { ...text, maxLength: 10 } },
    labels: { type: 'object', maxProperties: 4, additionalProperties: { ...text, enum: ['a', 'äb'] } },
    raw: { type: 'string', format: 'byte', maxLength: 7 },
  });
  test.each<[string, number | undefined]>([
    ['self', 0],
    ['self.names', 3],
    ['self.names.@items', 40],
    ['self.labels', 4],
    ['self.labels.@keys', 0],
    ['self.labels.@values', 3],
    ['self.raw', 7],
    ['self.none', undefined],
    ['self.names.@keys', undefined],
  ])('of %s', (path, size) => {
    expect(sizesOf(declared(schema))(path.split('.'))).toBe(size);
  });

  test('of a request limit how many values there can be', () => {
    expect(mostOf(declared(text))).toBe(1048576);
    const needed = object({ a: text, b: { ...text, default: '' } }, { required: ['a', 'b'] });
    expect(declared(needed).minBytes).toBe(2 + 1 + 2 + 4);
  });
});
