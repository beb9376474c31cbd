// Objects in other forms than plain JSON: what is made once and shared, and lists in gzip of kept pieces.

import { gunzipSync, default as zlib } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { textTranscoder } from '../../src/codec/protobuf/text-transcoder.ts';

import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';

let server: TestServer;
let api: Api;

const protobuf = 'application/vnd.kubernetes.protobuf';
const as = (shape: string) => `;as=${shape};g=meta.k8s.io;v=v1`;

/** What clients accept: of a watch, and of a list. */
const forms = {
  json: { one: 'application/json', list: 'application/json' },
  protobuf: { one: protobuf, list: protobuf },
  table: { one: `application/json${as('Table')}`, list: `application/json${as('Table')}` },
  metadata: {
    one: `application/json${as('PartialObjectMetadata')}`,
    list: `application/json${as('PartialObjectMetadataList')}`,
  },
  'metadata-protobuf': {
    one: `${protobuf}${as('PartialObjectMetadata')}`,
    list: `${protobuf}${as('PartialObjectMetadataList')}`,
  },
};
type FormName = keyof typeof forms;

const crates = '/apis/forms.example.com/v1/crates';
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'crates.forms.example.com' },
  spec: {
    group: 'forms.example.com',
    scope: 'Cluster',
    names: { plural: 'crates', kind: 'Crate' },
    versions: [
      {
        ...{ name: 'v1', served: true, storage: true },
        schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        additionalPrinterColumns: [{ name: 'Size', type: 'integer', jsonPath: '.spec.size' }],
      },
    ],
  },
};

const count = 60;
const name = (index: number) => `c-${String(index).padStart(3, '0')}`;

/** Texts that gzip makes a little shorter. */
const text = (index: number) =>
  Array.from({ length: 500 }, (_, at) => (at * 7919 + index * 104_729).toString(36)).join(' ');

beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
  await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
  await server.eventually(async () => (await api.get(crates)).status === 200);
  for (let index = 0; index < count; index++) {
    const labels = { parity: index % 2 === 0 ? 'even' : 'odd' };
    const annotations = { text: text(index) };
    await api.post(configMaps, configMap(name(index), { a: text(index) }, { labels, annotations }));
    const crate = { apiVersion: 'forms.example.com/v1', kind: 'Crate', metadata: { name: name(index), annotations } };
    const { status } = await api.post(crates, { ...crate, spec: { size: index, text: text(index) } });
    expect(status).toBe(201);
  }
});
afterAll(() => server.close());

async function read(path: string, accept: string, encoding?: 'gzip') {
  const headers = { accept, ...(encoding === undefined ? {} : { 'accept-encoding': encoding }) };
  const response = await server.fetch(path, { headers });
  expect(response.status).toBe(200);
  expect(response.headers.get('content-encoding')).toBe(encoding ?? null);
  const body = Buffer.from(await response.arrayBuffer());
  return encoding === undefined ? body : gunzipSync(body);
}

const keptForms: readonly FormName[] = ['json', 'protobuf', 'metadata', 'metadata-protobuf'];
const lists = [
  ...keptForms.map((form) => [form, configMaps] as const),
  ...keptForms.filter((form) => form !== 'protobuf').map((form) => [form, crates] as const),
];

describe.each(lists)('a list as %s of %s in gzip', (form, path) => {
  const { list: accept } = forms[form];

  test('holds the list, and is compressed once', async () => {
    const plain = await read(path, accept);
    const compress = vi.spyOn(zlib, 'deflateRaw');
    expect((await read(path, accept, 'gzip')).equals(plain)).toBe(true);
    expect(compress.mock.calls.length).toBeGreaterThan(2);
    compress.mockClear();
    expect((await read(path, accept, 'gzip')).equals(plain)).toBe(true);
    expect(compress).not.toHaveBeenCalled();
    compress.mockRestore();
  });

  test('compresses again what is near a change only', async () => {
    await read(path, accept, 'gzip');
    const annotations = { changed: `for ${form}` };
    await api.patch('merge', `${path}/${name(7)}`, { metadata: { annotations } });
    const compress = vi.spyOn(zlib, 'deflateRaw');
    expect((await read(path, accept, 'gzip')).equals(await read(path, accept))).toBe(true);
    expect(compress.mock.calls.length).toBeGreaterThan(0);
    expect(compress.mock.calls.length).toBeLessThan(4);
    compress.mockRestore();
  });

  test('of selected objects holds these', async () => {
    const selected = `${path}?labelSelector=parity%3Deven`;
    const plain = await read(selected, accept);
    if (plain.length > 128 * 1024) expect((await read(selected, accept, 'gzip')).equals(plain)).toBe(true);
    expect((await read(path, accept, 'gzip')).equals(await read(path, accept))).toBe(true);
  });
});

test('a table in gzip is that of the moment', async () => {
  const { list: accept } = forms.table;
  for (const path of [configMaps, crates])
    expect(JSON.parse((await read(path, accept, 'gzip')).toString()).rows.length).toBeGreaterThanOrEqual(count);
});

/** A watch whose events are read as text. */
async function watching(path: string, accept: string) {
  const response = await server.fetch(path, { headers: { accept } });
  expect(response.status).toBe(200);
  const reader = (response.body as ReadableStream<Uint8Array>).getReader();
  let received = Buffer.alloc(0);
  return {
    /** Resolves when the text came. */
    async until(mark: string): Promise<void> {
      while (!received.includes(mark)) {
        const { done, value } = await reader.read();
        if (done) throw new Error(`the watch ended without ${mark}`);
        received = Buffer.concat([received, value]);
      }
      received = Buffer.alloc(0);
    },
    close: () => reader.cancel(),
  };
}

const initial = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
const paths = [
  `${configMaps}?${initial}`,
  `${configMaps}?${initial}`,
  `/api/v1/configmaps?${initial}`,
  `${configMaps}?${initial}&labelSelector=parity%3Dodd`,
];

describe.each([
  ['protobuf', 'whole'],
  ['metadata-protobuf', 'onlyMember'],
] as const)('watches as %s', (form, method) => {
  test('encode each object of their initial state once, and each event once, whatever they select', async () => {
    await read('/api/v1/configmaps', forms[form].list);
    await api.patch('merge', `${configMaps}/${name(1)}`, { data: { before: form } });
    const encode = vi.spyOn(textTranscoder, method);
    const watches = [];
    for (const path of paths) {
      const watch = await watching(path, forms[form].one);
      await watch.until('initial-events-end');
      watches.push(watch);
    }
    // the list has encoded all but the one that has changed since
    expect(encode).toHaveBeenCalledTimes(1);
    encode.mockClear();
    const labels = { mark: `${form}-event` };
    await api.patch('merge', `${configMaps}/${name(1)}`, { metadata: { labels } });
    for (const watch of watches) await watch.until(labels.mark);
    expect(encode).toHaveBeenCalledTimes(1);
    encode.mockRestore();
    for (const watch of watches) await watch.close();
  });
});
