// The forms an answer can take (spec: Content types, Table representation, Protobuf envelope).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { definitionOf, definitions } from './definition-shapes.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false, controllers: [] });
  api = apiOf(server);
  await api.post(configMaps, configMap('one', { a: '1', b: '2' }));
});
afterAll(() => server.close());

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

describe('tables', () => {
  test('have columns, and a row per object', async () => {
    const { body } = await api.get(configMaps, table);
    expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
    expect(body.columnDefinitions.map((column: { name: string }) => column.name)).toEqual(['Name', 'Data', 'Age']);
    expect(body.rows).toHaveLength(1);
    expect(body.rows[0]).toMatchObject({
      cells: ['one', 2, expect.stringMatching(/^\d+s$/)],
      object: { kind: 'PartialObjectMetadata' },
    });
  });

  test('carry as much of the object as asked for', async () => {
    expect((await api.get(`${configMaps}/one?includeObject=None`, table)).body.rows[0].object).toBeNull();
    expect((await api.get(`${configMaps}/one?includeObject=Object`, table)).body.rows[0].object.data).toEqual({
      a: '1',
      b: '2',
    });
    expect((await api.get(`${configMaps}/one?includeObject=Most`, table)).status).toBe(400);
  });
});

describe('a view of an object', () => {
  test('has columns of its own kind', async () => {
    const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
    const spec = { replicas: 3, selector: { matchLabels: { a: 'b' } }, template };
    const sets = '/apis/apps/v1/namespaces/default/replicasets';
    await api.post(sets, { kind: 'ReplicaSet', apiVersion: 'apps/v1', metadata: { name: 'three' }, spec });
    const { body } = await api.get(`${sets}/three/scale`, table);
    expect(body.columnDefinitions.map(({ name, format }: Record<string, string>) => [name, format])).toEqual([
      ['Name', ''],
      ['Desired', ''],
      ['Available', ''],
      ['Age', ''],
    ]);
    expect(body.rows[0].cells.slice(0, 3)).toEqual(['three', 3, 0]);
    const partial = { accept: table.accept.replace('Table', 'PartialObjectMetadata') };
    expect((await api.get(`${sets}/three/scale`, partial)).body).toMatchObject({ kind: 'PartialObjectMetadata' });
  });
});

test('the status of definitions and of resource claims has no rows', async () => {
  const definition = definitionOf({ plural: 'widgets', kind: 'Widget' });
  await api.post(definitions, definition);
  const claims = '/apis/resource.k8s.io/v1/namespaces/default/resourceclaims';
  await api.post(claims, { metadata: { name: 'one' }, spec: {} });
  for (const path of [`${definitions}/widgets.example.com`, `${claims}/one`]) {
    expect((await api.get(path, table)).body.kind).toBe('Table');
    expect((await api.get(`${path}/status`, table)).status).toBe(406);
    const either = await api.get(`${path}/status`, { accept: `${table.accept},application/json` });
    expect(either.body).toMatchObject({ metadata: { name: path.split('/').at(-1) } });
  }
});

describe('negotiation', () => {
  test('falls through to what can be had, and refuses what cannot', async () => {
    expect(
      (await api.get(`${configMaps}/one`, { accept: 'application/json;as=Chart;v=v1;g=meta.k8s.io, application/json' }))
        .body.kind,
    ).toBe('ConfigMap');
    expect((await api.get(`${configMaps}/one`, { accept: 'text/html' })).status).toBe(406);
  });

  test('gives metadata alone, of one or of many as the client says', async () => {
    const as = (kind: string) => ({ accept: `application/json;as=${kind};v=v1;g=meta.k8s.io` });
    const item = { kind: 'PartialObjectMetadata', metadata: { name: 'one' } };
    expect((await api.get(`${configMaps}/one`, as('PartialObjectMetadata'))).body).toMatchObject(item);
    const list = await api.get(configMaps, as('PartialObjectMetadataList'));
    expect(list.body).toMatchObject({ kind: 'PartialObjectMetadataList', items: [item] });
    for (const [path, kind] of [
      [`${configMaps}/one`, 'PartialObjectMetadataList'],
      [configMaps, 'PartialObjectMetadata'],
    ] as const)
      expect(await api.get(path, as(kind))).toMatchObject({ status: 406, body: { reason: 'NotAcceptable' } });
  });

  test('writes errors in the format of the answer', async () => {
    const yaml = await api.get(`${configMaps}/none`, { accept: 'application/yaml' });
    expect(yaml.headers.get('content-type')).toBe('application/yaml');
    expect(yaml.body).toMatch(/^apiVersion: v1\ncode: 404\ndetails:\n {2}kind: configmaps\n/);
    const people = await server.fetch(`${configMaps}/none`, { headers: { 'user-agent': 'curl/8' } });
    expect(await people.text()).toContain('\n  "status": "Failure"');
  });

  test('writes lists in YAML with sorted fields, also where there is nothing', async () => {
    const accept = 'application/yaml';
    const { body } = await api.get(configMaps, { accept });
    expect(body).toMatch(/^apiVersion: v1\nitems:\n- data:\n {4}a: "1"\n/);
    expect(body).toMatch(/creationTimestamp: "\d{4}-.*Z"\n/);
    expect(body).toMatch(/\nkind: ConfigMapList\nmetadata:\n {2}resourceVersion: "\d+"\n$/);
    const none = await api.get(`${configMaps}?labelSelector=no`, { accept });
    expect(none.body).toMatch(/^apiVersion: v1\nitems: \[\]\nkind: ConfigMapList\n/);
  });

  test('has no YAML for watches', async () => {
    const watch = await api.get(`${configMaps}?watch=1&timeoutSeconds=1`, { accept: 'application/yaml' });
    expect(watch).toMatchObject({ status: 406, body: expect.stringContaining('application/json;stream=watch') });
  });

  test('of a patch is by its type', async () => {
    const patched = await api.call('PATCH', `${configMaps}/one`, {}, { 'content-type': 'application/json' });
    expect(patched).toMatchObject({ status: 415, body: { reason: 'UnsupportedMediaType', details: {} } });
  });

  test('gives people indented JSON and machines none', async () => {
    const text = async (headers: Record<string, string>, query = '') =>
      (await server.fetch(`${configMaps}/one${query}`, { headers })).text();
    expect(await text({ 'user-agent': 'curl/8' })).toContain('\n  "metadata": {');
    expect(await text({ 'user-agent': 'client-go' })).toMatch(/^[^\n]+\n$/);
    expect(await text({}, '?pretty=true')).toContain('\n  "metadata": {');
    expect(await text({ 'user-agent': 'curl/8' }, '?pretty=false')).toMatch(/^[^\n]+\n$/);
  });

  test('reads and writes YAML', async () => {
    const body =
      'kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: from-yaml\ndata:\n  text: |\n    two\n    lines\n';
    const made = await api.call('POST', configMaps, body, { 'content-type': 'application/yaml' });
    expect(made.body.data.text).toBe('two\nlines\n');
    const read = await server.fetch(`${configMaps}/from-yaml`, { headers: { accept: 'application/yaml' } });
    expect([read.headers.get('content-type'), await read.text()]).toEqual([
      'application/yaml',
      expect.stringContaining('name: from-yaml\n'),
    ]);
    const bomb = `a: &a [x,x,x,x,x,x,x,x,x]\n${'bcdefgh'.replace(/./g, (c, i: number) => `${c}: &${c} [${Array(9).fill(`*${'abcdefg'[i]}`).join(',')}]\n`)}`;
    expect((await api.call('POST', configMaps, bomb, { 'content-type': 'application/yaml' })).status).toBe(400);
  });
});

describe('protobuf', () => {
  const type = 'application/vnd.kubernetes.protobuf';

  test('round trips: what is read can be written back', async () => {
    const read = await server.fetch(`${configMaps}/one`, { headers: { accept: type } });
    expect(read.headers.get('content-type')).toBe(type);
    const bytes = Buffer.from(await read.arrayBuffer());
    expect(bytes.subarray(0, 4)).toEqual(Buffer.from([0x6b, 0x38, 0x73, 0x00]));
    const same = await server.fetch(`${configMaps}/one`, {
      method: 'PUT',
      body: bytes,
      headers: { 'content-type': type },
    });
    expect(await same.json()).toEqual((await api.get(`${configMaps}/one`)).body);
  });

  test('is understood under either vendor, and lists and watches have it too', async () => {
    const neutral = 'application/vnd.cluster.protobuf';
    const list = await server.fetch(configMaps, { headers: { accept: `${neutral},application/json` } });
    expect(list.headers.get('content-type')).toBe(neutral);
    expect(Buffer.from(await list.arrayBuffer()).includes('ConfigMapList')).toBe(true);
    const watch = await server.fetch(`${configMaps}?watch=1&timeoutSeconds=60`, { headers: { accept: type } });
    expect(watch.headers.get('content-type')).toBe(`${type};stream=watch`);
    const reader = (watch.body as ReadableStream<Uint8Array>).getReader();
    const frame = Buffer.from((await reader.read()).value ?? []);
    expect(frame.subarray(4 + frame.readUInt32BE(0)).length).toBeGreaterThanOrEqual(0);
    expect(frame.subarray(4, 11).toString('latin1')).toBe('\n\u0005ADDED');
    await reader.cancel();
  });

  test('that is broken is a 400, of another kind too', async () => {
    const post = (body: Buffer) =>
      server.fetch(configMaps, { method: 'POST', body, headers: { 'content-type': type } });
    expect((await post(Buffer.from('nonsense'))).status).toBe(400);
    expect((await post(Buffer.from([0x6b, 0x38, 0x73, 0x00, 0x12, 0xff]))).status).toBe(400);
  });
});

describe('bodies', () => {
  test('too large are a 413, of an unknown type a 415, broken a 400', async () => {
    expect((await api.post(configMaps, configMap('huge', { x: 'y'.repeat(3 * 1024 * 1024) }))).status).toBe(413);
    expect((await api.call('POST', configMaps, '<x/>', { 'content-type': 'text/xml' })).status).toBe(415);
    expect((await api.call('POST', configMaps, '{"metadata":')).status).toBe(400);
    expect((await api.call('POST', configMaps, '[]')).status).toBe(400);
  });
});
