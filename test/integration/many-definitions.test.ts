// Many large definitions: documents about them are made in turns, named without being made, and only those that changed.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { definitionOf, definitions, sectionsOf, specOf } from './definition-shapes.ts';
import { eventually } from './eventually.ts';
import { type HostileServer, maxWaitMs, startHostileServer } from './hostile-bodies.ts';

const large = (index: number, group: string) =>
  definitionOf({
    ...{ plural: `kinds${index}`, kind: `Kind${index}`, group },
    schema: specOf({ type: 'object', properties: sectionsOf(200) }),
  });

describe('with 100 definitions of 200 fields in one group', () => {
  let server: HostileServer;
  let count = 0;
  const add = async () => {
    const body = JSON.stringify(large(count++, 'many.example.com'));
    expect((await server.call({ path: definitions, body })).status).toBe(201);
  };
  beforeAll(async () => {
    server = await startHostileServer();
    await Promise.all(Array.from({ length: 100 }, add));
    const last = `/apis/many.example.com/v1/kinds${count - 1}`;
    await eventually(async () => expect((await server.call({ method: 'GET', path: last })).status).toBe(200));
  }, 60_000);
  afterAll(() => server.close());

  test.each([
    ['/openapi/v3', 'the index of OpenAPI 3'],
    ['/openapi/v3/apis/many.example.com/v1', 'their document of OpenAPI 3'],
    ['/openapi/v2', 'the document of OpenAPI 2'],
  ])('%s, %s, is made while another client is answered within 150 ms', async (path) => {
    let longest = Number.POSITIVE_INFINITY;
    for (let attempt = 0; attempt < 4 && longest > maxWaitMs; attempt++) {
      // what was made before counts no longer
      await add();
      const { status, longestWaitMs } = await server.alongside({ method: 'GET', path });
      expect(status).toBe(200);
      longest = Math.min(longest, longestWaitMs);
    }
    expect(longest).toBeLessThan(maxWaitMs);
  });
});

test('a changed schema changes the hash of its own document and no other', async () => {
  await using server = await startTestServer({ listen: false });
  const api = apiOf(server);
  const put = async (index: number, group: string) => {
    expect((await api.post(definitions, large(index, group))).status).toBe(201);
    await eventually(async () => expect((await api.get(`/apis/${group}/v1/kinds${index}`)).status).toBe(200));
  };
  const urls = async (): Promise<Record<string, string>> => {
    const { paths } = (await api.get('/openapi/v3')).body as { paths: Record<string, { serverRelativeURL: string }> };
    return Object.fromEntries(Object.entries(paths).map(([path, { serverRelativeURL }]) => [path, serverRelativeURL]));
  };
  await put(0, 'one.example.com');
  await put(1, 'two.example.com');
  const before = await urls();
  const change = [{ op: 'add', path: '/spec/versions/0/schema/openAPIV3Schema/description', value: 'Changed.' }];
  expect((await api.patch('json', `${definitions}/kinds0.one.example.com`, change)).status).toBe(200);
  const after = await urls();
  const changed = Object.keys(after).filter((path) => after[path] !== before[path]);
  expect(changed).toEqual(['apis/one.example.com/v1']);

  const url = after['apis/one.example.com/v1'] as string;
  const document = await api.get(url);
  expect(document.status).toBe(200);
  expect(document.headers.get('etag')).toBe(`"${url.split('hash=')[1]}"`);
  expect(document.body.components.schemas['com.example.one.v1.Kind0'].description).toBe('Changed.');
  const known = await api.get(url, { 'if-none-match': document.headers.get('etag') as string });
  expect(known.status).toBe(304);
  expect((await api.get(before['apis/one.example.com/v1'] as string)).status).toBe(301);
});
