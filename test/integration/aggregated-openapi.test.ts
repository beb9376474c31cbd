// The types of aggregated APIs, as other servers describe them: shown to clients, and harmless whatever they say.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectLess, longestTurn } from '../../src/testing/processor-time.ts';
import type { Api } from './api.ts';
import { apiServices, Backend, type Behaviour, json, type Outgoing, register } from './backend.ts';
import { eventually } from './eventually.ts';

const group = 'ext.example';
const root = `/apis/${group}/v1`;
const key = `apis/${group}/v1`;
const thing = { type: 'object', properties: { size: { type: 'integer', description: 'How large it is.' } } };
const gvk = [{ group, version: 'v1', kind: 'Thing' }];
const v3 = {
  openapi: '3.0.0',
  paths: {},
  components: { schemas: { Thing: { ...thing, 'x-kubernetes-group-version-kind': gvk } } },
};
const operation = { get: { responses: { 200: { description: 'OK', schema: { $ref: '#/definitions/Thing' } } } } };
const v2 = {
  swagger: '2.0',
  paths: { [`${root}/things`]: operation, '/api/v1/pods': { get: { schema: { $ref: '#/definitions/Elsewhere' } } } },
  definitions: { Thing: thing, Unneeded: {}, Elsewhere: {} },
};

interface Documents {
  index(response: Outgoing): void;
  v2(response: Outgoing): void;
}

const serving =
  ({ index, v2 }: Documents): Behaviour =>
  (_, response, { url }) => {
    if (url === '/openapi/v3') index(response);
    else if (url.startsWith('/openapi/v3/')) json(response, { ...v3, url });
    else if (url === '/openapi/v2') v2(response);
    else json(response, { kind: 'APIResourceList', groupVersion: `${group}/v1`, resources: [] });
  };

describe('types of another server', () => {
  let server: Server;
  let backend: Backend;
  let api: Api;
  beforeAll(async () => {
    const entry = (path: string) => ({ serverRelativeURL: `/openapi/v3/${path}?hash=ABC123` });
    const index = (response: Outgoing) => json(response, { paths: { [key]: entry(key), 'api/v1': entry('api/v1') } });
    backend = await Backend.open(serving({ index, v2: (response) => json(response, v2) }));
    server = await startTestServer({ listen: false });
    api = await register(server, backend, { group });
  });
  afterAll(async () => {
    await server.close();
    await backend[Symbol.asyncDispose]();
  });

  test('are in the index of OpenAPI 3 with their hash, and are asked for there', async () => {
    await eventually(async () => {
      const { paths } = (await api.get('/openapi/v3')).body;
      expect(paths[key]).toEqual({ serverRelativeURL: `/openapi/v3/${key}?hash=ABC123` });
      expect(paths['api/v1'].serverRelativeURL).not.toContain('ABC123');
    });
    expect((await api.get(`/openapi/v3/${key}?hash=ABC123`)).body).toMatchObject(v3);
    // which documents there are is for the other server to say
    expect((await api.get(`/openapi/v3/${key}?hash=OLD`)).status).toBe(200);
    expect(backend.seen.map((one) => one.url)).toContain(`/openapi/v3/${key}?hash=OLD`);
    expect((await api.get('/openapi/v3/api/v1')).body).not.toHaveProperty('url');
  });

  test('are part of OpenAPI 2, as far as they are their own', async () => {
    await eventually(async () => {
      const { paths, definitions } = (await api.get('/openapi/v2')).body;
      expect(paths[`${root}/things`]).toEqual(operation);
      expect(definitions['Thing']).toEqual(thing);
      expect(definitions).toHaveProperty('Unneeded');
      expect(definitions).not.toHaveProperty('Elsewhere');
      expect(paths['/api/v1/pods']).not.toEqual(v2.paths['/api/v1/pods']);
    });
    const accept = 'application/com.github.proto-openapi.spec.v2@v1.0+protobuf';
    const { status, body } = await api.get('/openapi/v2', { accept });
    expect([status, body.includes(`${root}/things`)]).toEqual([200, true]);
  });
});

describe('types of a server that has OpenAPI 2 only', () => {
  let server: Server;
  let backend: Backend;
  let api: Api;
  let given: object = v2;
  const url = `/openapi/v3/${key}`;
  const index = (response: Outgoing) => json(response, { kind: 'Status' }, 404);

  beforeAll(async () => {
    backend = await Backend.open(serving({ index, v2: (response) => json(response, given) }));
    server = await startTestServer({ listen: false });
    api = await register(server, backend, { group });
    await eventually(async () => expect((await api.get('/openapi/v3')).body.paths).toHaveProperty([key]));
  });
  afterAll(async () => {
    await server.close();
    await backend[Symbol.asyncDispose]();
  });

  test('are shown as OpenAPI 3', async () => {
    const { serverRelativeURL } = (await api.get('/openapi/v3')).body.paths[key];
    expect(serverRelativeURL).toMatch(/^\/openapi\/v3\/apis\/ext.example\/v1\?hash=[0-9A-F]{128}$/);
    const { body, headers } = await api.get(serverRelativeURL);
    expect(body).toMatchObject({ openapi: '3.0.0', components: { schemas: { Thing: thing } } });
    expect(body.paths).toHaveProperty([`${root}/things`]);
    expect(headers.get('cache-control')).toBe('public, immutable');
    const old = await server.fetch(`https://x.invalid${url}?hash=OLD`);
    expect([old.status, old.headers.get('location')]).toEqual([301, serverRelativeURL]);
    expect(backend.seen.map((one) => one.url)).not.toContain(url);
  });

  test('are shown in protobuf, too', async () => {
    const accept = 'application/com.github.proto-openapi.spec.v3@v1.0+protobuf';
    const { status, body } = await api.get(url, { accept });
    expect([status, body.includes('How large it is.')]).toEqual([200, true]);
  });

  test('are gone with their APIService', async () => {
    given = {};
    await api.delete(`${apiServices}/v1.${group}`);
    await eventually(async () => expect((await api.get('/openapi/v3')).body.paths).not.toHaveProperty([key]));
    expect((await server.fetch(`https://x.invalid${url}`)).status).toBe(404);
  });
});

const deep = (depth: number) => `${'{"a":'.repeat(depth)}1${'}'.repeat(depth)}`;
const endless = (response: Outgoing) => {
  const timer = setInterval(() => (response as ServerResponse).write('x'.repeat(100_000)), 1);
  response.on('close', () => clearInterval(timer));
};
const raw = (text: string) => (response: Outgoing) => void response.end(text);
const many = `{"paths":{${Array.from({ length: 60_000 }, (_, i) => `"${root}/x${i}":{"get":{}}`).join(',')}}}`;

test.each<[string, (response: Outgoing) => void]>([
  ['that is no JSON', raw('<html>')],
  ['that is nested without end', raw(`{"paths":{"${root}/x":${deep(100_000)}}}`)],
  ['that never ends', endless],
  ['that never comes', () => {}],
  ['with more paths than there can be', raw(many)],
  ['of the wrong shape', raw(`{"paths":{"${root}/x":{"get":{"parameters":7}},"${key}":3}}`)],
  ['with integers that a double would round', raw(`{"paths":{"${root}/x":{"get":{"x-most":9223372036854775807}}}}`)],
  [
    'that reaches for prototypes',
    raw(`{"paths":{"__proto__":{"x":1},"${root}/x":{"__proto__":[]}},"definitions":{"__proto__":{}}}`),
  ],
])('a document %s harms no other', async (_, answer) => {
  // the loop of this test serves both sides; its own share is in the number too
  await expectLess(250, async () => {
    await using backend = await Backend.open(serving({ index: answer, v2: answer }));
    await using server = await startTestServer({ listen: false });
    // built before, so that only what the other server causes is measured
    const { get } = await register(server, backend, { group });
    await get('/openapi/v2');
    const longest = await longestTurn(async () => {
      await eventually(async () => expect(backend.seen.some(({ url }) => url === '/openapi/v2')).toBe(true));
      for (let i = 0; i < 20; i++) await new Promise((resolve) => setTimeout(resolve, 5));
    });
    expect((await get('/openapi/v3')).body.paths[key]).toBeUndefined();
    const { status, body } = await get('/openapi/v2');
    const isBuilt = body.paths['/api/v1/pods'] !== undefined || body.paths['/api/v1/namespaces'] !== undefined;
    expect([status, isBuilt]).toEqual([200, true]);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
    return longest;
  });
});
