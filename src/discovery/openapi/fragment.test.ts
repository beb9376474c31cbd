import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json.ts';
import { fragmentOf, mergeInto } from './fragment.ts';

const prefix = '/apis/ext.example/v1/';
const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const operation = (name: string) => ({ get: { responses: { 200: { description: 'OK', schema: ref(name) } } } });
const document = {
  paths: { [`${prefix}things`]: operation('Thing'), '/api/v1/pods': operation('Pod') },
  definitions: {
    Thing: { type: 'object', properties: { meta: ref('Meta'), self: ref('Thing') } },
    Meta: { type: 'object' },
    Pod: { type: 'object' },
  },
};

test('only what belongs to the group-version is taken', async () => {
  expect(await fragmentOf(document, prefix)).toEqual({
    paths: { [`${prefix}things`]: operation('Thing') },
    definitions: { Thing: document.definitions.Thing, Meta: document.definitions.Meta },
  });
});

test('parameters that stand elsewhere are written out', async () => {
  const pretty = { name: 'pretty', in: 'query', type: 'string' };
  const parameters = [{ $ref: '#/parameters/pretty-1' }];
  const shared = { paths: { [`${prefix}x`]: { get: { parameters }, parameters } }, parameters: { 'pretty-1': pretty } };
  expect((await fragmentOf(shared, prefix))?.paths).toEqual({
    [`${prefix}x`]: { get: { parameters: [pretty] }, parameters: [pretty] },
  });
});

test.each<[string, JsonValue]>([
  ['is no object', []],
  ['has no paths', { paths: 1 }],
  ['has no paths of the group-version', { paths: { '/api/v1/pods': {} } }],
  ['has an operation that is a number', { paths: { [`${prefix}x`]: { get: { parameters: 5 } } } }],
  ['has too many values', { paths: { [`${prefix}x`]: { get: { tags: Array.from({ length: 6000 }, () => '') } } } }],
  ['is nested without end', { paths: { [`${prefix}x`]: nested(5000) } }],
])('a document that %s is left out', async (_, value) => {
  expect(await fragmentOf(value, prefix)).toBeUndefined();
});

function nested(depth: number): JsonValue {
  let value: JsonValue = {};
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}

test('definitions of the same name are shared where they say the same, and renamed where they do not', async () => {
  const fragment = await fragmentOf(document, prefix);
  const whole = { paths: {}, definitions: { Meta: { type: 'string' }, Thing: document.definitions.Thing } };
  mergeInto(whole, fragment as NonNullable<typeof fragment>);
  expect(whole).toEqual({
    paths: { [`${prefix}things`]: operation('Thing') },
    definitions: { Meta: { type: 'string' }, Meta_v2: { type: 'object' }, Thing: document.definitions.Thing },
  });
  const other = { paths: { [`${prefix}things`]: 'mine' }, definitions: { Thing: {}, Thing_v2: {} } };
  mergeInto(other, fragment as NonNullable<typeof fragment>);
  expect(other.paths).toEqual({ [`${prefix}things`]: 'mine' });
  expect(other.definitions).toMatchObject({ Thing_v3: { properties: { self: ref('Thing_v3') } } });
});
