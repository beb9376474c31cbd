import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json/json.ts';
import { fragmentOf } from './fragment.ts';

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

test('definitions that no path needs are taken, those that only other paths need are not', async () => {
  const definitions = { ...document.definitions, Free: { type: 'object', properties: { meta: ref('Meta') } } };
  const found = await fragmentOf({ ...document, definitions }, prefix);
  expect(Object.keys(found?.definitions ?? {}).sort()).toEqual(['Free', 'Meta', 'Thing']);
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
  ['has too many values', { paths: { [`${prefix}x`]: { get: { tags: Array.from({ length: 10_001 }, () => '') } } } }],
  ['is nested without end', { paths: { [`${prefix}x`]: nested(5000) } }],
])('a document that %s is left out', async (_, value) => {
  expect(await fragmentOf(value, prefix)).toBeUndefined();
});

function nested(depth: number): JsonValue {
  let value: JsonValue = {};
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
}
