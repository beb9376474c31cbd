import { describe, expect, test } from 'vitest';
import { atOnce, type Steps } from '../../base/steps.ts';
import { decoderOf } from '../decode.ts';
import { decodingAhead } from '../decode-ahead.ts';
import { DecodeContext } from '../decode-context.ts';
import { field, mapOf, string, struct } from '../types.ts';
import { marks, type Schema } from './schema.ts';
import type { StructuralType } from './structural-type.ts';

const meta = struct('test/v1', 'Meta', '', { name: field(1, string), labels: field(2, mapOf(string)) });

const member = (name: string, schema: Schema): Schema => ({ type: 'object', properties: { [name]: schema } });
const withDefault: Schema = {
  type: 'object',
  properties: {
    name: { type: 'string' },
    port: { type: 'integer', default: 80 },
    more: { type: 'object', default: { z: 1, a: 2 }, properties: { z: {}, a: {}, x: { default: 'y' } } },
    odd: { type: 'string', nullable: true },
  },
};
const spec: Schema = {
  type: 'object',
  properties: {
    map: { type: 'object', additionalProperties: { type: 'string' } },
    maps: { type: 'object', additionalProperties: withDefault },
    objects: { type: 'array', items: withDefault },
    lists: { type: 'array', items: { type: 'array', items: withDefault } },
    free: { type: 'object', [marks.preserve]: true, properties: { known: withDefault } },
    freeList: {
      type: 'array',
      [marks.preserve]: true,
      items: { type: 'object', properties: { a: { type: 'string' } } },
    },
    any: { type: 'object', additionalProperties: true },
    undescribed: { type: 'array' },
    embedded: { type: 'array', items: { type: 'object', [marks.embedded]: true, [marks.preserve]: true } },
    filled: { type: 'array', default: [{ name: 'one' }], items: withDefault },
  },
};

const many = <T>(count: number, make: (index: number) => T) => Array.from({ length: count }, (_, index) => make(index));
const record = (count: number, make: (index: number) => unknown) =>
  Object.fromEntries(many(count, (i) => [`k${(i * 7919) % 10_007}`, make(i)]));

const typeOf = (schema: Schema | undefined): StructuralType => ({
  is: 'structural',
  home: 'test/v1',
  name: 'Whole',
  about: '',
  meta,
  schema,
});

function outcome(type: StructuralType, value: unknown, ahead: boolean, keepsNulls: boolean): object {
  const context = new DecodeContext({ kind: 'Whole', apiVersion: 'test/v1' }, keepsNulls);
  try {
    if (ahead) atOnce(decodingAhead(type, value, context));
    // as text: the order of keys counts
    return { decoded: JSON.stringify(decoderOf(type)(value, context)), metUnknown: context.metUnknown };
  } catch (error) {
    return { error: (error as Error).message };
  }
}

const rows: readonly (readonly [string, unknown])[] = [
  ['nothing', {}],
  ['a large map', { map: record(3000, String) }],
  ['keys that look like positions', { map: Object.fromEntries(many(900, (i) => [`${900 - i}`, 'x'])) }],
  [
    'a key that could be a prototype',
    { map: JSON.parse(`{"__proto__":"x",${JSON.stringify(record(900, String)).slice(1)}`) as unknown },
  ],
  ['a map of the wrong type', { map: many(900, (i) => ({ b: i, a: i })) }],
  ['nulls in a map', { map: record(900, (i) => (i % 3 === 0 ? null : 'x')) }],
  ['objects in a map', { maps: record(900, (i) => ({ port: i % 2 ? null : 1, name: 'n', unknown: 1 })) }],
  ['objects in a list', { objects: many(900, (i) => (i % 5 === 0 ? null : { odd: null, name: null, more: {} })) }],
  ['empty objects', { objects: many(2000, () => ({})) }],
  ['lists in a list', { lists: many(40, () => many(60, () => ({ unknown: { b: 1, a: 2 } }))) }],
  ['unknown members', { ...record(900, () => ({ b: 1, a: 2 })), map: { b: '', a: '' } }],
  ['what is preserved', { free: { ...record(900, () => ({ b: null, a: 2 })), known: { unknown: 1 } } }],
  ['a large value that is preserved', { free: { list: many(900, (i) => ({ z: i, a: { y: 1, b: null } })) } }],
  ['a list that is preserved', { freeList: many(900, () => ({ z: 1, a: 'x', b: { d: 1, c: 2 } })) }],
  ['members of what may be anything', { any: record(900, () => ({ b: 1 })) }],
  ['items that nothing describes', { undescribed: many(900, () => ({ a: 1 })) }],
  [
    'objects with metadata',
    { embedded: many(300, (i) => ({ kind: 'K', metadata: { name: `n${i}`, odd: 1 }, b: 1, a: 2 })) },
  ],
  ['metadata of the wrong type', { embedded: many(300, (i) => ({ kind: 'K', metadata: { name: i } })) }],
  ['a kind of the wrong type', { embedded: many(300, () => ({ kind: record(100, String) })) }],
  ['many members beside a large one', { ...record(900, String), filled: many(900, () => ({ more: null })) }],
];

describe('what is decoded of a custom resource ahead', () => {
  test.each(rows)('%s', (_title, content) => {
    for (const schema of [
      undefined,
      { type: 'object', properties: { spec } },
      { properties: { spec }, [marks.preserve]: true },
    ])
      for (const keepsNulls of [false, true]) {
        const value = { metadata: { name: 'a' }, spec: content, status: content };
        expect(outcome(typeOf(schema), value, true, keepsNulls)).toEqual(
          outcome(typeOf(schema), value, false, keepsNulls),
        );
      }
  });
});

function stepsOf(steps: Steps<void>): number {
  let count = 0;
  while (!steps.next().done) count++;
  return count;
}

test('large content is decoded in many steps', () => {
  const type = typeOf(member('spec', spec));
  const steps = (content: unknown) => stepsOf(decodingAhead(type, { spec: content }, new DecodeContext()));
  expect(steps({ map: record(3000, String) })).toBeGreaterThan(10);
  expect(steps({ objects: many(3000, () => ({})) })).toBeGreaterThan(5);
  expect(steps({ lists: many(100, () => many(200, () => ({}))) })).toBeGreaterThan(50);
});

test('an object has 20,000 members at most', () => {
  const type = typeOf(member('spec', spec));
  const large = Object.fromEntries(many(20_001, (i) => [`k${i}`, 'x']));
  expect(outcome(type, { spec: { map: large } }, true, false)).toEqual({
    error: 'Request entity too large: spec.map has more than 20000 items',
  });
  expect(outcome(type, large, true, false)).toMatchObject({
    error: expect.stringContaining('more than 20000 items') as string,
  });
});
