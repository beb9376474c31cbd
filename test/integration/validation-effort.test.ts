// Validation of a custom object has a total effort. An object that was stored before its definition exceeded it can be deleted.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { definitionOf, definitions, specOf } from './definition-shapes.ts';
import { eventually, gone } from './eventually.ts';

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startTestServer();
  api = apiOf(server);
  const { status } = await api.post(definitions, definitionFor({ type: 'string' }));
  expect(status).toBe(201);
  await eventually(async () => expect((await api.get(things)).status).toBe(200));
});
afterAll(() => server.close());

const things = '/apis/example.com/v1/namespaces/default/things';
const definitionFor = (items: object) =>
  definitionOf({
    plural: 'things',
    kind: 'Thing',
    schema: specOf({ type: 'object', properties: { list: { type: 'array', items }, size: { type: 'integer' } } }),
  });
/** Each text is held to 500 patterns. */
const strict = {
  type: 'string',
  allOf: Array.from({ length: 500 }, (_, index) => ({ pattern: `^([a-z0-9]+[.])*[a-z]{1,${index + 10}}$` })),
};
const list = Array.from({ length: 60_000 }, () => 'some.name.of.a.host');

test('metadata of an object that takes too long to validate can change, and nothing else', async () => {
  const object = { apiVersion: 'example.com/v1', kind: 'Thing', spec: { list, size: 1 } };
  const metadata = (name: string) => ({ name, finalizers: ['example.com/hold'] });
  expect((await api.post(things, { ...object, metadata: metadata('a') })).status).toBe(201);
  const path = `${definitions}/things.example.com`;
  expect((await api.patch('merge', path, { spec: definitionFor(strict).spec })).status).toBe(200);
  await eventually(async () => {
    const { status, body } = await api.post(things, { ...object, metadata: metadata('b') });
    if (status === 201) await api.patch('merge', `${things}/b`, { metadata: { finalizers: null } });
    if (status === 201) await api.delete(`${things}/b`);
    expect([status, body.reason]).toEqual([413, 'RequestEntityTooLarge']);
  });
  expect((await api.patch('merge', `${things}/a`, { spec: { size: 2 } })).status).toBe(413);
  const labelled = await api.patch('merge', `${things}/a`, { metadata: { labels: { a: 'b' } } });
  expect([labelled.status, labelled.body.metadata.labels]).toEqual([200, { a: 'b' }]);
  const deleted = await api.delete(`${things}/a`);
  expect([deleted.status, typeof deleted.body.metadata.deletionTimestamp]).toEqual([200, 'string']);
  const { body: stored } = await api.get(`${things}/a`);
  delete stored.metadata.finalizers;
  expect((await api.put(`${things}/a`, stored)).status).toBe(200);
  await gone(api, `${things}/a`);
});
