// Objects stored in a version that their definition has no more: they are named wherever they are asked for, and nothing else suffers.

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { definitionOf, definitions } from './definition-shapes.ts';
import { eventually } from './eventually.ts';

const dataDir = mkdtempSync(join(tmpdir(), 'keelson-'));
const group = 'example.com';
const definition = `${definitions}/pots.${group}`;
const pots = (version: string) => `/apis/${group}/${version}/namespaces/default/pots`;
const pot = (version: string, name: string) => ({ kind: 'Pot', apiVersion: `${group}/${version}`, metadata: { name } });
const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
const versionOf = (name: string, storage: boolean) => ({ name, storage, served: true, schema });

let server: Server;
let api: Api;
const logged: object[] = [];

async function start(): Promise<void> {
  const log = { info() {}, warn() {}, error: (fields: object, message: string) => logged.push({ ...fields, message }) };
  server = await startTestServer({ listen: false, store: 'embedded', dataDir, log });
  api = apiOf(server);
}

async function changeVersions(...versions: object[]): Promise<void> {
  const { status, body } = await api.patch('merge', definition, { spec: { versions } });
  expect(status, body.message).toBe(200);
}

beforeAll(async () => {
  await start();
  const versions = [versionOf('v1', true), versionOf('v2', false)];
  await api.post(definitions, definitionOf({ plural: 'pots', kind: 'Pot', group, spec: { versions } }));
  await eventually(async () => expect((await api.get(pots('v1'))).status).toBe(200));
  expect((await api.post(pots('v1'), pot('v1', 'old'))).status).toBe(201);
  await changeVersions(versionOf('v1', false), versionOf('v2', true));
  await eventually(async () => expect((await api.get(definition)).body.status.storedVersions).toEqual(['v1', 'v2']));
  expect((await api.post(pots('v2'), pot('v2', 'new'))).status).toBe(201);
  // an administrator who says that all of them were migrated, which is not so
  const forgotten = await api.patch('merge', `${definition}/status`, { status: { storedVersions: ['v2'] } });
  expect(forgotten.status, forgotten.body.message).toBe(200);
  await changeVersions(versionOf('v2', true));
  await eventually(async () => expect((await api.get(pots('v1'))).status).toBe(404));
});
afterAll(async () => {
  await server.close();
  rmSync(dataDir, { recursive: true });
});

const namesIn = (items: readonly { metadata: { name: string } }[]) => items.map(({ metadata }) => metadata.name);

describe.each(['while the server runs', 'after it was started again'])('%s', (when) => {
  beforeAll(async () => {
    if (when === 'while the server runs') return;
    await server.close();
    logged.length = 0;
    await start();
    await eventually(async () => expect((await api.get(pots('v2'))).status).toBe(200));
  });
  test('the object is named, with its version, and every other one is served', async () => {
    const one = await api.get(`${pots('v2')}/old`);
    expect(one).toMatchObject({ status: 500, body: { reason: 'StorageReadError', details: { name: 'old' } } });
    expect(one.body.message).toContain('"old": it is of another type: "example.com/v1 Pot"');
    const list = await api.get(pots('v2'));
    expect(namesIn(list.body.items)).toEqual(['new']);
    expect(list.headers.get('warning')).toContain('cannot be read from the storage: pots default/old');
    expect((await api.get(`${pots('v2')}/new`)).status).toBe(200);
    expect(logged).toMatchObject([{ key: `/${group}/pots/default/old`, why: expect.stringContaining(`${group}/v1`) }]);
  });

  test('watches begin with the others and tell what becomes of them', async () => {
    const events = await watchOf('resourceVersion=0');
    expect(await events.next()).toMatchObject({ value: { type: 'ADDED', object: { metadata: { name: 'new' } } } });
    await api.patch('merge', `${pots('v2')}/new`, { spec: { when } });
    expect(await events.next()).toMatchObject({ value: { type: 'MODIFIED', object: { spec: { when } } } });
    await events.return(undefined);
  });

  test('it is not changed, not replaced and not deleted by mistake', async () => {
    const reason = async (answer: ReturnType<Api['get']>) => (await answer).body.reason;
    expect(await reason(api.patch('merge', `${pots('v2')}/old`, { spec: {} }))).toBe('StorageReadError');
    expect(await reason(api.post(pots('v2'), pot('v2', 'old')))).toBe('AlreadyExists');
    expect(await reason(api.delete(`${pots('v2')}/old`))).toBe('StorageReadError');
  });

  test('other kinds are served', async () => {
    const name = `other-${when.length}`;
    expect((await api.post(configMaps, configMap(name))).status).toBe(201);
    expect((await api.get(`${configMaps}/${name}`)).status).toBe(200);
    expect((await api.get(definitions)).body.items).toHaveLength(1);
  });
});

test('a definition that has the version again has the object again, and watches are told to look again', async () => {
  const known = (await api.get(pots('v2'))).body.metadata.resourceVersion;
  const open = await watchOf('');
  await open.next();
  await changeVersions(versionOf('v1', false), versionOf('v2', true));
  const expired = { value: { type: 'ERROR', object: { kind: 'Status', code: 410, reason: 'Expired' } } };
  expect(await open.next()).toMatchObject(expired);
  expect(await open.next()).toEqual({ done: true });
  const late = await watchOf(`resourceVersion=${known}`);
  expect(await late.next()).toMatchObject(expired);
  expect(await late.next()).toEqual({ done: true });
  await eventually(async () => expect(namesIn((await api.get(pots('v2'))).body.items)).toEqual(['new', 'old']));
  expect((await api.get(pots('v1'))).headers.get('warning')).toBeNull();
  expect((await api.patch('merge', `${pots('v2')}/old`, { spec: { kept: true } })).status).toBe(200);
});

test('a version that no object is stored in goes without a word, and watches go on', async () => {
  const events = await watchOf('');
  await events.next();
  await events.next();
  await changeVersions(versionOf('v2', true));
  await eventually(async () => expect((await api.get(pots('v1'))).status).toBe(404));
  expect((await api.post(pots('v2'), pot('v2', 'newer'))).status).toBe(201);
  expect(await events.next()).toMatchObject({ value: { type: 'ADDED', object: { metadata: { name: 'newer' } } } });
  await events.return(undefined);
});

interface WatchEvent {
  readonly type: string;
  readonly object: object;
}

async function watchOf(query: string): Promise<AsyncGenerator<WatchEvent>> {
  const { body } = await server.fetch(`${pots('v2')}?watch=1&${query}`);
  return eventsOf(body as unknown as AsyncIterable<Uint8Array>);
}

async function* eventsOf(body: AsyncIterable<Uint8Array>): AsyncGenerator<WatchEvent> {
  let text = '';
  for await (const bytes of body) {
    const lines = `${text}${Buffer.from(bytes).toString()}`.split('\n');
    text = lines.pop() as string;
    for (const line of lines) yield JSON.parse(line);
  }
}
