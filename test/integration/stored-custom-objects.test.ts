// Custom resources as they are found in the store: metadata that is none, no generation, and fields that became selectable.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import type { Store } from '../../src/storage/store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let store: Store;
let api: Api;
const group = 'example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const path = `/apis/${group}/v1/namespaces/default/pots`;

function versions(...selectable: readonly string[]) {
  const properties = { color: { type: 'string' }, size: { type: 'integer' } };
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object', properties } } } };
  const selectableFields = selectable.map((jsonPath) => ({ jsonPath }));
  return [{ name: 'v1', served: true, storage: true, schema, selectableFields }];
}

beforeAll(async () => {
  store = openMemoryStore();
  server = await startTestServer({ listen: false, store });
  api = apiOf(server);
  await api.post(definitions, {
    metadata: { name: `pots.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'pots', kind: 'Pot' }, versions: versions() },
  });
  await eventually(async () => expect((await api.get(path)).status).toBe(200));
});
afterAll(() => server.close());

async function stored(name: string, metadata: object): Promise<void> {
  const whole = { name, namespace: 'default', uid: '3f0e0a9c-6b1f-4c52-8f3a-0d8a4f3c2b11', ...metadata };
  const value = { kind: 'Pot', apiVersion: `${group}/v1`, metadata: whole, spec: { color: 'red' } };
  await store.commit({
    key: `/${group}/pots/default/${name}`,
    value: Buffer.from(JSON.stringify(value)),
    expected: 0 as never,
  });
}

test('fields of metadata that are none are left out, and the rest stays', async () => {
  await stored('odd', { generation: 3, labels: { a: 1 }, annotations: { kept: 'yes' }, finalizers: 'none' });
  const { metadata, spec } = (await api.get(`${path}/odd`)).body;
  expect(metadata).toMatchObject({ name: 'odd', generation: 3, annotations: { kept: 'yes' } });
  expect(metadata).not.toHaveProperty('labels');
  expect(metadata).not.toHaveProperty('finalizers');
  expect(spec).toEqual({ color: 'red' });
  expect((await api.patch('merge', `${path}/odd`, { metadata: { labels: { b: 'c' } } })).status).toBe(200);
});

test('an object without a generation is in its first, and goes on from there', async () => {
  await stored('old', {});
  expect((await api.get(`${path}/old`)).body.metadata.generation).toBe(1);
  const changed = await api.patch('merge', `${path}/old`, { spec: { size: 2 } });
  expect(changed.body.metadata.generation).toBe(2);
});

test('a field that becomes selectable selects objects from before, in lists and in open watches', async () => {
  const pot = (name: string, color: string) => ({
    ...{ kind: 'Pot', apiVersion: `${group}/v1`, metadata: { name } },
    spec: { color },
  });
  await api.post(path, pot('blue', 'blue'));
  const selected = `${path}?fieldSelector=spec.color%3Dblue`;
  expect((await api.get(selected)).status).toBe(400);
  await api.patch('merge', `${definitions}/pots.${group}`, { spec: { versions: versions('.spec.color') } });
  await eventually(async () => {
    const { body } = await api.get(selected);
    expect(body.items?.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['blue']);
  });

  const ending = new AbortController();
  const watch = await server.fetch(`${selected}&watch=1&resourceVersion=0`, { signal: ending.signal });
  const events = readEvents(watch);
  expect(await events.next()).toMatchObject({ value: 'ADDED blue' });
  const { body } = await api.patch('merge', `${definitions}/pots.${group}`, {
    spec: { versions: versions('.spec.color', '.spec.size') },
  });
  expect(body.metadata.generation).toBe(3);
  await api.post(path, pot('green', 'green'));
  await api.post(path, pot('blue-too', 'blue'));
  await api.patch('merge', `${path}/blue`, { spec: { color: 'black' } });
  expect(await events.next()).toMatchObject({ value: 'ADDED blue-too' });
  expect(await events.next()).toMatchObject({ value: 'DELETED blue' });
  ending.abort();
});

async function* readEvents(answer: { readonly body: unknown }): AsyncGenerator<string> {
  let text = '';
  for await (const bytes of answer.body as AsyncIterable<Uint8Array>) {
    text += Buffer.from(bytes).toString();
    const lines = text.split('\n');
    text = lines.pop() as string;
    for (const line of lines) {
      const { type, object } = JSON.parse(line);
      yield `${type} ${object.metadata.name}`;
    }
  }
}
