// The OpenAPI documents that the build leaves in the package: those that a server makes from the sources, and only where they fit.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createServer, type Server, type ServerOptions } from '../../src/index.ts';

const dist = join(import.meta.dirname, '../../dist');
const built = createRequire(import.meta.url)(join(dist, 'index.cjs')) as { createServer: typeof createServer };

const json = 'application/json';
const binary = (version: string) => `application/com.github.proto-openapi.spec.${version}.v1.0+protobuf`;

const servers: Server[] = [];
let source: Server;
let packaged: Server;

async function started(make: typeof createServer, options: ServerOptions = {}): Promise<Server> {
  const server = await make(options);
  servers.push(server);
  return server;
}

beforeAll(async () => {
  source = await started(createServer);
  packaged = await started(built.createServer);
});
afterAll(async () => {
  for (const server of servers) await server.close();
});

const hashOf = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex');

async function read(server: Server, path: string, accept = json, encoding = 'identity') {
  const answer = await server.fetch(path, { headers: { accept, 'accept-encoding': encoding } });
  const [tag, type, coding] = ['etag', 'content-type', 'content-encoding'].map((name) => answer.headers.get(name));
  const body = Buffer.from(await answer.arrayBuffer());
  return { status: answer.status, tag, type, coding, hash: hashOf(body), text: () => body.toString() };
}

async function pathsIn(server: Server): Promise<readonly string[]> {
  const { paths } = JSON.parse((await read(server, '/openapi/v2')).text()) as { paths: object };
  return Object.keys(paths);
}

test('the index names the same documents', async () => {
  expect((await read(packaged, '/openapi/v3')).text()).toBe((await read(source, '/openapi/v3')).text());
});

test('every document of version 3 is the same in both forms', async () => {
  const index = JSON.parse((await read(source, '/openapi/v3')).text()) as { paths: object };
  const paths = Object.keys(index.paths);
  expect(paths).toContain('apis/apps/v1');
  for (const path of paths)
    for (const accept of [json, binary('v3')]) {
      const expected = await read(source, `/openapi/v3/${path}`, accept);
      expect(expected.status).toBe(200);
      expect((await read(packaged, `/openapi/v3/${path}`, accept)).hash, path).toBe(expected.hash);
    }
});

test.each([
  ['json', json],
  ['pb', binary('v2')],
])('the document of version 2 is the same as %s, also in gzip', async (form, accept) => {
  const { text: _, ...expected } = await read(source, '/openapi/v2', accept);
  expect(await read(packaged, '/openapi/v2', accept)).toMatchObject(expected);
  const hash = hashOf(readFileSync(join(dist, `openapi/v2.${form}.gz`)));
  const zipped = await read(packaged, '/openapi/v2', accept, 'gzip');
  expect(zipped).toMatchObject({ ...expected, coding: 'gzip', hash });
});

test('a client that has the document gets none', async () => {
  const { tag } = await read(packaged, '/openapi/v2');
  const answer = await packaged.fetch('/openapi/v2', {
    headers: { 'if-none-match': tag ?? '', 'accept-encoding': 'gzip' },
  });
  expect(answer.status).toBe(304);
  expect(answer.headers.get('content-encoding')).toBeNull();
});

test('a server that serves less describes less', async () => {
  const server = await started(built.createServer, { runtimeConfig: { 'apps/v1/deployments': false } });
  expect(await pathsIn(server)).not.toContain('/apis/apps/v1/namespaces/{namespace}/deployments');
  const path = '/openapi/v3/apis/apps/v1';
  expect((await read(server, path)).text()).not.toContain('/deployments');
  expect((await read(server, path)).tag).not.toBe((await read(packaged, path)).tag);
  const other = '/openapi/v3/apis/batch/v1';
  expect((await read(server, other)).tag).toBe((await read(packaged, other)).tag);
});

test('names of another dialect are in its documents', async () => {
  const server = await started(built.createServer, { dialect: 'cluster' });
  expect((await read(server, '/openapi/v2')).hash).not.toBe((await read(packaged, '/openapi/v2')).hash);
});

test('a custom resource is described next to the built-in kinds', async () => {
  const name = 'trees.example.com';
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const made = await packaged.fetch('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    method: 'POST',
    headers: { 'content-type': json },
    body: JSON.stringify({
      ...{ apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata: { name } },
      spec: { group: 'example.com', names: { plural: 'trees', kind: 'Tree' }, scope: 'Cluster', versions: [version] },
    }),
  });
  expect(made.status).toBe(201);
  await expect.poll(() => pathsIn(packaged)).toContain('/apis/example.com/v1/trees');
});
