// A store that a kube-apiserver 1.36.4 filled: its values, byte by byte, and what that server answered about them.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { zeroRevision } from '../../src/meta/revision.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

interface Stored {
  readonly key: string;
  /** Base64. */
  readonly value: string;
  /** What was answered about it, by path. */
  readonly answers?: Readonly<Record<string, { readonly kind?: string }>>;
}

const file = join(import.meta.dirname, '../conformance/stored/values.jsonl');
const values = readFileSync(file, 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => JSON.parse(line) as Stored);
const answers = values.flatMap(({ answers: given = {} }) => Object.entries(given));

async function storeWith(entries: readonly { readonly key: string; readonly value: Uint8Array }[]) {
  const store = openMemoryStore();
  for (const { key, value } of entries) await store.commit({ key, value, expected: zeroRevision });
  return store;
}

let server: Server;
let api: Api;
beforeAll(async () => {
  const store = await storeWith(values.map(({ key, value }) => ({ key, value: Buffer.from(value, 'base64') })));
  // controllers would go on with what the other server left
  server = await startTestServer({ store, listen: false, controllers: [], runtimeConfig: { 'api/all': true } });
  api = apiOf(server);
});
afterAll(() => server.close());

test('there are values of most kinds', () => {
  expect(values.length).toBeGreaterThan(60);
  expect(answers.length).toBeGreaterThan(60);
});

describe.each(answers)('%s', (path, expected) => {
  test('is read without a difference', async () => {
    const { status, body } = await api.get(path);
    expect(status).toBe(200);
    const { kind: _, apiVersion: __, ...shown } = body;
    const { resourceVersion: ___, ...metadata } = shown.metadata;
    const { kind: ____, apiVersion: _____, ...wanted } = expected as { kind?: string; apiVersion?: string };
    expect({ ...shown, metadata }).toEqual(wanted);
  });
});

const services = '/api/v1/namespaces/default/services';
const nodePort = (name: string, port?: number) => ({
  kind: 'Service',
  apiVersion: 'v1',
  metadata: { name },
  spec: { type: 'NodePort', ports: [{ port: 80, ...(port === undefined ? {} : { nodePort: port }) }] },
});

test('addresses and ports that the other server gave away are taken', async () => {
  const { spec } = (await api.get('/api/v1/namespaces/aaa/services/aaa')).body;
  const taken = spec.ports[0].nodePort as number;
  const refused = await api.post(services, nodePort('taken', taken));
  expect(refused).toMatchObject({ status: 422, body: { message: expect.stringContaining('already allocated') } });
  const clash = { ...nodePort('clash'), spec: { ports: [{ port: 80 }], clusterIP: spec.clusterIP } };
  expect((await api.post(services, clash)).body.message).toContain('already allocated');
  const made = await api.post(services, nodePort('free'));
  expect(made.status).toBe(201);
  expect(made.body.spec.ports[0].nodePort).not.toBe(taken);
});

test('what the other server stored can be changed, and stays what it was otherwise', async () => {
  const path = '/apis/apps/v1/namespaces/aaa/deployments/aaa';
  const before = (await api.get(path)).body;
  const { body } = await api.patch('merge', path, { spec: { replicas: 9 } });
  expect(body.spec).toEqual({ ...before.spec, replicas: 9 });
  expect(body.metadata.uid).toBe(before.metadata.uid);
});

test('a record of node ports that cannot be read is named at start, and made again from the services', async () => {
  const logged: { fields: object; message: string }[] = [];
  const log = { info() {}, warn() {}, error: (fields: object, message: string) => logged.push({ fields, message }) };
  const service = values.find(({ key }) => key === '/services/specs/aaa/aaa')?.value ?? '';
  for (const bad of ['kaputt', '[]', '{"range":5,"data":{}}']) {
    const store = await storeWith([
      { key: '/ranges/servicenodeports', value: Buffer.from(bad) },
      { key: '/services/specs/aaa/aaa', value: Buffer.from(service, 'base64') },
    ]);
    await using other = await startTestServer({ store, listen: false, controllers: [], log });
    expect(logged.splice(0)).toContainEqual({
      fields: { key: '/ranges/servicenodeports', why: expect.stringContaining('cannot be read') },
      message: 'a stored record cannot be read and is made again',
    });
    const { body } = await apiOf(other).get('/api/v1/namespaces/aaa/services/aaa');
    const refused = await apiOf(other).post(services, nodePort('taken', body.spec.ports[0].nodePort));
    expect(refused.body.message).toContain('already allocated');
  }
});
