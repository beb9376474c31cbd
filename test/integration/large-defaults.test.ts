// Defaults in the items of lists: a small body must not become an object of any size, neither when it is written nor when
// it is read under a default that is newer than the object.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type Server } from '../../src/index.ts';
import { type Api, apiOf } from './api.ts';
import { definitionOf, definitions, specOf } from './definition-shapes.ts';
import { eventually } from './eventually.ts';

const group = 'example.com';
const pots = (version = 'v1') => `/apis/${group}/${version}/namespaces/default/pots`;
const definition = `${definitions}/pots.${group}`;
const reason = /the defaults in v1 of the definition "pots\.example\.com" would fill in more than 3145728 bytes/;

const schemaOf = (item: object) =>
  specOf({ type: 'object', properties: { list: { type: 'array', items: { type: 'object', properties: item } } } });
const versions = (item: object) =>
  ['v1', 'v2'].map((name) => ({
    ...{ name, served: true, storage: name === 'v1', schema: { openAPIV3Schema: schemaOf(item) } },
  }));
const plainItem = { text: { type: 'string' } };
const largeItem = { text: { type: 'string', default: 'x'.repeat(100_000) } };
const manyValues = { list: { type: 'array', items: { type: 'integer' }, default: Array(1000).fill(0) } };

const pot = (name: string, items: number, metadata: object = {}) => ({
  ...{ apiVersion: `${group}/v1`, kind: 'Pot', metadata: { name, ...metadata } },
  spec: { list: Array.from({ length: items }, () => ({})) },
});
const manyItems = 5000;

let dataDir = '';
let server: Server;
let api: Api;

async function open(): Promise<void> {
  server = await createServer({ store: 'embedded', dataDir });
  api = apiOf(server);
}

async function define(item: object): Promise<void> {
  const { status } = await api.patch('merge', definition, { spec: { versions: versions(item) } });
  expect(status).toBe(200);
}

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'keelson-defaults-'));
  await open();
  const body = definitionOf({ plural: 'pots', kind: 'Pot', group, spec: { versions: versions(plainItem) } });
  expect((await api.post(definitions, body)).status).toBe(201);
  await eventually(async () => expect((await api.get(pots())).status).toBe(200));
  for (const one of [
    pot('large', manyItems),
    pot('other', manyItems),
    pot('held', manyItems, { finalizers: ['example.com/held'] }),
    pot('small', 3),
  ])
    expect((await api.post(pots(), one)).status).toBe(201);
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true, force: true });
});

test.each([
  ['a text of 100 KB', largeItem],
  ['a list of 1,000 numbers', manyValues],
])('a write whose items get %s each is refused with 413', async (_, item) => {
  await define(item);
  const written = [
    await api.post(pots(), pot('new', manyItems)),
    await api.post(`${pots('v2')}`, { ...pot('new', manyItems), apiVersion: `${group}/v2` }),
    await api.patch('merge', `${pots()}/small`, { spec: pot('', manyItems).spec }),
    await api.call('PATCH', `${pots()}/applied?fieldManager=test`, pot('applied', manyItems), {
      'content-type': 'application/apply-patch+yaml',
    }),
  ];
  for (const { status, body } of written) {
    expect(status, body.message).toBe(413);
    expect(body).toMatchObject({ reason: 'RequestEntityTooLarge', message: expect.stringMatching(/defaults/) });
  }
  expect((await api.get(`${pots()}/small`)).body.spec.list).toHaveLength(3);
});

/** What clients get to see of objects whose defaults exceed the limit. */
async function expectRefused(version: string): Promise<void> {
  for (const name of ['large', 'held']) {
    const { status, body } = await api.get(`${pots(version)}/${name}`);
    expect([status, body.reason]).toEqual([500, 'StorageReadError']);
    expect(body.message).toMatch(reason);
    expect(body.message).toContain(`default/${name}: `);
  }
  const list = await api.get(pots(version));
  expect([list.status, list.body.reason]).toEqual([500, 'StorageReadError']);
  for (const name of ['held', 'large', 'other']) expect(list.body.message).toContain(`default/${name}: `);
  expect(list.body.message).not.toContain('small');
  const { status, body } = await api.get(`${pots(version)}?watch=1&resourceVersion=0&timeoutSeconds=5`);
  expect(status).toBe(200);
  const { type, object } = body;
  expect([type, object.code]).toEqual(['ERROR', 500]);
  expect(object.message).toMatch(reason);
}

test('objects from before are an error that names them, and everything else is served', async () => {
  await define(largeItem);
  await expectRefused('v1');
  await expectRefused('v2');
  expect((await api.get(`${pots()}?fieldSelector=metadata.name%3Dsmall`)).body.items).toHaveLength(1);
  expect((await api.get('/api/v1/namespaces')).status).toBe(200);
});

test('an open watch ends with that error when such an object changes', async () => {
  await define(plainItem);
  const { body } = await api.get(pots());
  const watch = api.get(`${pots()}?watch=1&resourceVersion=${body.metadata.resourceVersion}&timeoutSeconds=20`);
  await define(largeItem);
  await api.delete(`${pots()}/held`);
  const end = (await watch).body;
  expect(end).toMatchObject({ type: 'ERROR', object: { code: 500, message: expect.stringMatching(reason) } });
});

test('after a restart the errors are the same', async () => {
  await server.close();
  await open();
  await expectRefused('v1');
  await expectRefused('v2');
});

test('a write that leaves fewer items repairs an object', async () => {
  const put = await api.patch('merge', `${pots()}/other`, { spec: { list: [{}] } });
  expect([put.status, put.body.message]).toEqual([200, undefined]);
  expect((await api.get(`${pots()}/other`)).body.spec.list).toEqual([{ text: 'x'.repeat(100_000) }]);
});

test('such objects can be deleted; one that is held, with the option for objects that cannot be read', async () => {
  expect((await api.delete(`${pots('v2')}/large`)).status).toBe(200);
  expect((await api.get(`${pots()}/large`)).status).toBe(404);
  expect((await api.delete(`${pots()}/held`)).status).toBe(200);
  expect((await api.get(`${pots()}/held`)).status).toBe(500);
  const options = { ignoreStoreReadErrorWithClusterBreakingPotential: true };
  expect((await api.delete(`${pots()}/held`, options)).status).toBe(200);
  const names = (await api.get(pots())).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  expect(names).toEqual(['other', 'small']);
});

test('a collection that holds such an object can be deleted', async () => {
  await define(plainItem);
  expect((await api.post(pots(), pot('large', manyItems))).status).toBe(201);
  await define(largeItem);
  expect((await api.get(pots())).status).toBe(500);
  expect((await api.delete(pots())).status).toBe(200);
  expect((await api.get(pots())).body.items).toEqual([]);
});
