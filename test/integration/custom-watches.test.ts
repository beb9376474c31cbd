// Watches of custom resources over changes of their definition, and over fields that select.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { definitionOf, definitions } from './definition-shapes.ts';
import { eventually, gone } from './eventually.ts';

interface WatchEvent {
  readonly type: string;
  readonly object: {
    readonly kind: string;
    readonly apiVersion: string;
    readonly code?: number;
    readonly reason?: string;
    readonly metadata: { readonly name?: string; readonly resourceVersion?: string };
    readonly spec?: Readonly<Record<string, unknown>>;
  };
}

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

/** The events of a watch, one at a time; undefined at its end. */
async function openWatch(path: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await server.fetch(path, { headers });
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  const lines: string[] = [];
  let rest = '';
  return {
    async next(): Promise<WatchEvent | undefined> {
      while (lines.length === 0) {
        const { done, value } = await reader.read();
        if (done) return undefined;
        const parts = (rest + Buffer.from(value).toString()).split('\n');
        rest = parts.pop() ?? '';
        lines.push(...parts);
      }
      return JSON.parse(lines.shift() as string) as WatchEvent;
    },
    [Symbol.asyncDispose]: () => reader.cancel(),
  };
}

const brief = (event: WatchEvent | undefined) => event && `${event.type} ${event.object.metadata.name}`;

const group = 'watched.example.com';
const schema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: { color: { type: 'string' }, size: { type: 'integer' }, small: { type: 'boolean' } },
    },
  },
};
const selectableFields = [{ jsonPath: '.spec.color' }, { jsonPath: '.spec.size' }];
const version = (name: string, more: object = {}) => ({
  ...{ name, served: true, storage: false, schema: { openAPIV3Schema: schema }, selectableFields },
  ...more,
});

/** Serves a definition of a kind that no other test has. */
async function serve(plural: string, versions = [version('v1', { storage: true })]) {
  const kind = plural[0]?.toUpperCase() + plural.slice(1, -1);
  const at = (name: string) => `/apis/${group}/${name}/namespaces/default/${plural}`;
  const body = definitionOf({ plural, kind, group, spec: { versions } });
  expect((await api.post(definitions, body)).status).toBe(201);
  await eventually(async () => expect((await api.get(at('v1'))).status).toBe(200));
  return {
    at,
    definition: `${definitions}/${plural}.${group}`,
    create: async (name: string, spec: object) =>
      expect((await api.post(at('v1'), { apiVersion: `${group}/v1`, kind, metadata: { name }, spec })).status).toBe(
        201,
      ),
    update: async (name: string, spec: object) =>
      expect((await api.patch('merge', `${at('v1')}/${name}`, { spec })).status).toBe(200),
  };
}

describe('a watch goes on', () => {
  test('when a description changes, and shows what the new schema knows', async () => {
    const { at, create, definition } = await serve('apples');
    await using watch = await openWatch(`${at('v1')}?watch=1`);
    await create('before', { color: 'red' });
    expect(brief(await watch.next())).toBe('ADDED before');
    const root = '/spec/versions/0/schema/openAPIV3Schema';
    const change = [
      { op: 'add', path: `${root}/description`, value: 'An apple.' },
      { op: 'add', path: `${root}/properties/spec/properties/taste`, value: { type: 'string' } },
    ];
    expect((await api.patch('json', definition, change)).status).toBe(200);
    await create('after', { color: 'red', taste: 'sweet' });
    const event = await watch.next();
    expect(brief(event)).toBe('ADDED after');
    expect(event?.object.spec).toEqual({ color: 'red', taste: 'sweet' });
  });

  test('when a version is added and becomes the stored one', async () => {
    const { at, create, definition } = await serve('plums');
    await using watch = await openWatch(`${at('v1')}?watch=1`);
    await create('one', { size: 1 });
    expect(brief(await watch.next())).toBe('ADDED one');
    const versions = [version('v1'), version('v2', { storage: true })];
    expect((await api.patch('merge', definition, { spec: { versions } })).status).toBe(200);
    await eventually(async () => expect((await api.get(at('v2'))).status).toBe(200));
    await using other = await openWatch(`${at('v2')}?watch=1`);
    expect(brief(await other.next())).toBe('ADDED one');
    await create('two', { size: 2 });
    for (const [each, shown] of [
      [watch, 'v1'],
      [other, 'v2'],
    ] as const) {
      const event = await each.next();
      expect(brief(event)).toBe('ADDED two');
      expect(event?.object.apiVersion).toBe(`${group}/${shown}`);
    }
  });
});

describe('a watch ends with an error event', () => {
  test('when its version is no longer served, while others go on', async () => {
    const { at, create, definition } = await serve('pears', [version('v1', { storage: true }), version('v2')]);
    await using ending = await openWatch(`${at('v2')}?watch=1`);
    await using going = await openWatch(`${at('v1')}?watch=1`);
    const versions = [version('v1', { storage: true }), version('v2', { served: false })];
    expect((await api.patch('merge', definition, { spec: { versions } })).status).toBe(200);
    expect((await ending.next())?.type).toBe('ERROR');
    expect(await ending.next()).toBeUndefined();
    await create('still', { size: 1 });
    expect(brief(await going.next())).toBe('ADDED still');
    expect((await api.get(at('v2'))).status).toBe(404);
  });

  test('when the definition goes, after its objects', async () => {
    const { at, create, definition } = await serve('figs');
    await create('last', { size: 1 });
    await using watch = await openWatch(`${at('v1')}?watch=1`);
    expect(brief(await watch.next())).toBe('ADDED last');
    expect((await api.delete(definition)).status).toBe(200);
    expect(brief(await watch.next())).toBe('DELETED last');
    const end = await watch.next();
    expect(end?.type).toBe('ERROR');
    expect(end?.object.kind).toBe('Status');
    expect(await watch.next()).toBeUndefined();
    await gone(api, definition);
  });
});

describe('a watch ends without an error, and goes on from where it was', () => {
  test('when its objects are those of a table, whose columns may differ', async () => {
    const { at, create, definition } = await serve('limes');
    await create('one', { size: 1 });
    const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
    await using watch = await openWatch(`${at('v1')}?watch=1`, { accept });
    expect((await watch.next())?.object.kind).toBe('Table');
    const columns = [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }];
    const change = { op: 'add', path: '/spec/versions/0/additionalPrinterColumns', value: columns };
    expect((await api.patch('json', definition, [change])).status).toBe(200);
    expect(await watch.next()).toBeUndefined();
    await using again = await openWatch(`${at('v1')}?watch=1`, { accept });
    expect((await again.next())?.object).toMatchObject({ columnDefinitions: [{ name: 'Name' }, { name: 'Size' }] });
  });

  test('when the field that it selects by does not select any more', async () => {
    const { at, definition } = await serve('dates');
    await using watch = await openWatch(`${at('v1')}?watch=1&fieldSelector=spec.color%3Dred`);
    const change = { op: 'remove', path: '/spec/versions/0/selectableFields/0' };
    expect((await api.patch('json', definition, [change])).status).toBe(200);
    expect(await watch.next()).toBeUndefined();
    expect((await api.get(`${at('v1')}?fieldSelector=spec.color%3Dred`)).status).toBe(400);
  });

  test('when a version goes that objects are still stored in', async () => {
    const { at, create, definition } = await serve('melons', [version('v1', { storage: true }), version('v2')]);
    await create('old', { size: 1 });
    await using watch = await openWatch(`${at('v2')}?watch=1`);
    const { resourceVersion } = (await watch.next())?.object.metadata ?? {};
    const both = [version('v1'), version('v2', { storage: true })];
    expect((await api.patch('merge', definition, { spec: { versions: both } })).status).toBe(200);
    await eventually(async () => expect((await api.get(definition)).body.status.storedVersions).toEqual(['v1', 'v2']));
    const status = { storedVersions: ['v2'] };
    expect((await api.patch('merge', `${definition}/status`, { status })).status).toBe(200);
    const versions = [version('v2', { storage: true })];
    expect((await api.patch('merge', definition, { spec: { versions } })).status).toBe(200);
    expect(await watch.next()).toBeUndefined();
    await using again = await openWatch(`${at('v2')}?watch=1&resourceVersion=${resourceVersion}`);
    const made = { apiVersion: `${group}/v2`, kind: 'Melon', metadata: { name: 'new' } };
    expect((await api.post(at('v2'), made)).status).toBe(201);
    expect(brief(await again.next())).toBe('ADDED new');
  });
});

test('a watch of a selection hears objects enter and leave it', async () => {
  const { at, create, update } = await serve('kiwis');
  await create('other', { color: 'blue', size: 1 });
  await create('own', { color: 'green', size: 1 });
  const green = `fieldSelector=${encodeURIComponent('spec.color=green')}`;
  await using watch = await openWatch(`${at('v1')}?watch=1&${green}`);
  expect(brief(await watch.next())).toBe('ADDED own');
  await update('other', { color: 'green' });
  expect(brief(await watch.next())).toBe('ADDED other');
  await update('other', { size: 2 });
  expect(brief(await watch.next())).toBe('MODIFIED other');
  await update('own', { color: 'red' });
  const left = await watch.next();
  expect(brief(left)).toBe('DELETED own');
  await api.delete(`${at('v1')}/other`);
  expect(brief(await watch.next())).toBe('DELETED other');
  const listed = await api.get(`${at('v1')}?${green}`);
  expect(listed.body.items).toEqual([]);
  const both = encodeURIComponent('spec.color=red,spec.size=1');
  expect((await api.get(`${at('v1')}?fieldSelector=${both}`)).body.items).toHaveLength(1);
  const unknown = await api.get(`${at('v1')}?fieldSelector=${encodeURIComponent('spec.small=true')}`);
  expect(unknown.status).toBe(400);
});

test('an old path watches all objects of a name', async () => {
  const { at, create } = await serve('quinces');
  await create('one', { color: 'red' });
  await create('other', { color: 'red' });
  const [root = '', plural = ''] = at('v1').split('/namespaces/default/');
  await using watch = await openWatch(`${root}/watch/${plural}/one?timeoutSeconds=1`);
  expect(brief(await watch.next())).toBe('ADDED one');
  expect(await watch.next()).toBeUndefined();
  expect((await api.get(`${root}/${plural}/one`)).status).toBe(404);
});
