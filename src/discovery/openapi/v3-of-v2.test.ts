import { expect, test } from 'vitest';
import type { JsonValue } from '../../base/json/json.ts';
import { openApiV3Of } from './v3-of-v2.ts';

const ref = (name: string) => ({ $ref: `#/definitions/${name}` });
const converted = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const info = { title: 'Ext', version: '1' };
const schemasOf = async (definitions: Record<string, JsonValue>) =>
  ((await openApiV3Of({ definitions }))['components'] as Record<string, JsonValue>)['schemas'];
const operationOf = async (get: JsonValue) => {
  const { paths } = await openApiV3Of({ paths: { '/x': { get } } });
  return (paths as Record<string, Record<string, JsonValue>>)['/x']?.['get'];
};

test('a document without anything has components without anything', async () => {
  expect(await openApiV3Of({ swagger: '2.0', info })).toEqual({ openapi: '3.0.0', info, components: {} });
});

test('references lead to components, wherever a schema may stand', async () => {
  const definitions = {
    A: {
      type: 'object',
      properties: { b: ref('B'), $ref: { type: 'string' } },
      additionalProperties: ref('B'),
      items: ref('B'),
      allOf: [ref('B')],
      default: { $ref: '#/definitions/B' },
    },
  };
  expect(await schemasOf(definitions)).toEqual({
    A: {
      type: 'object',
      properties: { b: converted('B'), $ref: { type: 'string' } },
      additionalProperties: converted('B'),
      items: converted('B'),
      allOf: [converted('B')],
      default: { $ref: '#/definitions/B' },
    },
  });
});

test('a reference with other members next to it becomes one of them', async () => {
  const B = { ...ref('C'), description: 'A C.' };
  expect(await schemasOf({ B })).toEqual({ B: { description: 'A C.', allOf: [converted('C')] } });
});

test('the parameter "body" becomes the body, in each type that the operation takes', async () => {
  const parameters = [
    { name: 'body', in: 'body', required: true, schema: ref('A') },
    { name: 'dryRun', in: 'query', type: 'string', uniqueItems: true, description: 'Tries.' },
  ];
  const consumes = ['application/json', 'application/yaml'];
  expect(await operationOf({ parameters, consumes, operationId: 'x', 'x-kubernetes-action': 'post' })).toEqual({
    operationId: 'x',
    parameters: [{ name: 'dryRun', in: 'query', description: 'Tries.', schema: { type: 'string', uniqueItems: true } }],
    requestBody: {
      content: { 'application/json': { schema: converted('A') }, 'application/yaml': { schema: converted('A') } },
    },
    responses: {},
    'x-kubernetes-action': 'post',
  });
});

test('responses have their schema in each type that the operation gives', async () => {
  const responses = {
    200: { description: 'OK', schema: ref('A') },
    401: { description: 'No' },
    default: { $ref: '#/responses/d' },
  };
  expect(await operationOf({ responses, produces: ['application/json'] })).toEqual({
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: converted('A') } } },
      401: { description: 'No' },
      default: { $ref: '#/components/responses/d' },
    },
  });
});

test('parameters, responses and ways to be known that stand for all operations go to components', async () => {
  const p = { name: 'pretty', in: 'query', type: 'string' };
  const document = {
    paths: { '/x': { parameters: [{ $ref: '#/parameters/p' }], 'x-any': 1 } },
    parameters: { p },
    responses: { d: { description: 'D', schema: ref('A') } },
    produces: ['application/json'],
    securityDefinitions: {
      token: { type: 'apiKey', name: 'authorization', in: 'header' },
      oauth: { type: 'oauth2', flow: 'implicit', authorizationUrl: 'https://x.invalid', scopes: { a: 'A' } },
    },
  };
  expect(await openApiV3Of(document)).toEqual({
    openapi: '3.0.0',
    paths: { '/x': { parameters: [{ $ref: '#/components/parameters/p' }], 'x-any': 1 } },
    components: {
      parameters: { p: { name: 'pretty', in: 'query', schema: { type: 'string' } } },
      responses: { d: { description: 'D', content: { 'application/json': { schema: converted('A') } } } },
      securitySchemes: {
        token: { type: 'apiKey', name: 'authorization', in: 'header' },
        oauth: { type: 'oauth2', flows: { implicit: { authorizationUrl: 'https://x.invalid', scopes: { a: 'A' } } } },
      },
    },
  });
});

const many = Object.fromEntries(Array.from({ length: 5000 }, (_, at) => [`p${at}`, { type: 'string' }]));
const types = Array.from({ length: 5000 }, (_, at) => `application/x-${at}`);
const repeating = { produces: types, responses: { 200: { schema: { properties: many } } } };

test.each<[string, JsonValue]>([
  ['is no object', 3],
  ['has paths that are none', { paths: [] }],
  ['has a path that is none', { paths: { '/x': 7 } }],
  ['has an operation that is none', { paths: { '/x': { get: 7 } } }],
  ['has a definition that is none', { definitions: { A: 7 } }],
  ['has a property that is none', { definitions: { A: { properties: { b: null } } } }],
  ['would grow without end', { paths: Object.fromEntries(types.map((type) => [`/${type}`, { get: repeating }])) }],
])('a document that %s is refused', async (_, document) => {
  await expect(openApiV3Of(document)).rejects.toThrow();
});
