// Webhooks that convert custom resources and fail, over TLS: the answer says which, the call ends with the request it was made for,
// and every other kind is served as before.

import type { ServerResponse } from 'node:http';
import { request } from 'node:https';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type PeerRequest, TlsPeer } from '../../src/testing/tls-peer.ts';
import { type Api, apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';

const clock = new FakeClock(Date.now());
const group = 'fails.example.com';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const objects = (plural: string, version: string) => `/apis/${group}/${version}/namespaces/default/${plural}`;
const serviceName = 'converter.default.svc';

let server: Server;
let api: Api;
let peer: TlsPeer;
let caBundle: string;
/** What has not been answered, by path, and whether the server still waits for it. */
const hanging: { path: string; response: ServerResponse; isLeft: Promise<void> }[] = [];

function converted({ body }: PeerRequest): object {
  const { kind, apiVersion, request } = JSON.parse(body);
  const convertedObjects = request.objects.map((one: object) => ({ ...one, apiVersion: request.desiredAPIVersion }));
  return { kind, apiVersion, response: { uid: request.uid, result: { status: 'Success' }, convertedObjects } };
}

/** An answer without an end, as fast as it is taken. */
function flood(response: ServerResponse): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('{"a":"');
  const more = Buffer.alloc(1024 * 1024, 'x');
  const pump = () => {
    while (!response.destroyed && response.write(more));
    if (!response.destroyed) response.once('drain', pump);
  };
  pump();
}

function hang(path: string, response: ServerResponse): undefined {
  hanging.push({ path, response, isLeft: new Promise((resolve) => response.once('close', () => resolve())) });
}

const behaviours: Readonly<Record<string, (asked: PeerRequest, response: ServerResponse) => unknown>> = {
  '/healthy': converted,
  '/hanging': ({ path }, response) => hang(path, response),
  '/flooding': (_, response) => flood(response),
  '/garbage': (_, response) => void response.writeHead(200).end('<html>welcome</html>'),
  '/breaking': (_, response) => void response.destroy(),
  '/failing': (_, response) => void response.writeHead(500).end('out of memory'),
};

const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };

function definition(plural: string, clientConfig: object): object {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { plural, kind: plural } },
      versions: ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema })),
      conversion: { strategy: 'Webhook', webhook: { clientConfig, conversionReviewVersions: ['v1'] } },
    },
  };
}

async function define(plural: string, clientConfig: object): Promise<void> {
  expect((await api.post(definitions, definition(plural, clientConfig))).status).toBe(201);
  await eventually(async () => expect((await api.get(objects(plural, 'v1'))).status).toBe(200));
  const body = { kind: plural, apiVersion: `${group}/v1`, metadata: { name: 'a' }, spec: {} };
  expect((await api.post(objects(plural, 'v1'), body)).status).toBe(201);
}

const kinds = Object.keys(behaviours).map((path) => path.slice(1));

beforeAll(async () => {
  peer = await TlsPeer.open(
    (asked, response) => behaviours[asked.path.replace(/\?.*/, '')]?.(asked, response),
    // as a service it has a name
    { hosts: ['localhost', '127.0.0.1', serviceName] },
  );
  caBundle = Buffer.from(peer.authority.certificate).toString('base64');
  server = await startTestServer({ clock });
  api = apiOf(server);
  for (const kind of kinds) await define(kind, { url: `${peer.url}/${kind}`, caBundle });
});
afterAll(async () => {
  await server.close();
  await peer[Symbol.asyncDispose]();
});

const named = (plural: string) => `conversion webhook for ${group}/v1, Kind=${plural} failed: `;

/** A request that the webhook does not answer, once it has been asked. */
async function asked(plural: string, query = ''): Promise<{ answer: ReturnType<Api['get']> }> {
  const before = hanging.length;
  const answer = api.get(`${objects(plural, 'v2')}/a${query}`);
  await eventually(async () => expect(hanging.length).toBe(before + 1));
  return { answer };
}

/** Told as a client sees it: what the kind says in each version. */
async function served(plural: string): Promise<unknown[]> {
  const answers = [await api.get(`${objects(plural, 'v1')}/a`), await api.get(`${objects(plural, 'v2')}/a`)];
  return answers.map(({ status, body }) => (status === 200 ? 200 : body.message));
}

test.each([
  ['flooding', 'the answer is longer than 6291456 bytes'],
  ['garbage', "couldn't get version/kind; "],
  ['breaking', 'EOF'],
  ['failing', 'an error on the server ("out of memory") has prevented the request from succeeding'],
])('a %s webhook is named, and its kind is served in the stored version', async (plural, why) => {
  const [stored, other] = await served(plural);
  expect(stored).toBe(200);
  expect(other).toContain(named(plural));
  expect(other).toContain(why);
  expect(await served('healthy')).toEqual([200, 200]);
});

test('a hanging webhook holds up its own kind only, and no longer than 30 seconds', async () => {
  const { answer } = await asked('hanging');
  expect(hanging.at(-1)?.path).toBe('/hanging?timeout=30s');
  expect(await served('healthy')).toEqual([200, 200]);
  expect((await api.get(`${objects('hanging', 'v1')}/a`)).status).toBe(200);
  clock.advance(30_000);
  const { status, body } = await answer;
  expect(status).toBe(500);
  expect(body.message).toBe(`${named('hanging')}Post "${peer.url}/hanging?timeout=30s": context deadline exceeded`);
});

test('the webhook is told how long the request may take, and the call ends with that', async () => {
  const { answer } = await asked('hanging', '?timeout=5s');
  const call = hanging.at(-1);
  expect(call?.path).toBe('/hanging?timeout=5s');
  clock.advance(5000);
  const { status, body } = await answer;
  expect([status, body.reason]).toEqual([504, 'Timeout']);
  await call?.isLeft;
});

test('the call ends when the client leaves, of a read and of a write', async () => {
  const credentials = credentialsOf(server.kubeconfig);
  const headers = { 'content-type': 'application/merge-patch+json' };
  for (const method of ['GET', 'PATCH']) {
    const before = hanging.length;
    const sent = request(`${server.url}${objects('hanging', 'v2')}/a`, {
      ...credentials,
      method,
      headers,
      agent: false,
    });
    sent.on('error', () => {});
    sent.end(method === 'PATCH' ? '{"spec":{"size":1}}' : undefined);
    await eventually(async () => expect(hanging.length).toBe(before + 1));
    sent.destroy();
    await hanging.at(-1)?.isLeft;
  }
});

test('a watch begins with what the webhook made, or says why not, and ends the call when its client leaves', async () => {
  const read = async (plural: string, query: string) => {
    const answer = await server.fetch(`${objects(plural, 'v2')}?watch=1&timeoutSeconds=60&${query}`);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    const { value } = await reader.read();
    await reader.cancel();
    return JSON.parse(Buffer.from(value as Uint8Array).toString());
  };
  expect(await read('healthy', '')).toMatchObject({ type: 'ADDED', object: { apiVersion: `${group}/v2` } });
  for (const query of ['', 'resourceVersion=1'])
    expect(await read('garbage', query)).toMatchObject({
      type: 'ERROR',
      object: { kind: 'Status', code: 500, message: expect.stringContaining(named('garbage')) },
    });
  const before = hanging.length;
  const leaving = await server.fetch(`${objects('hanging', 'v2')}?watch=1&timeoutSeconds=60`);
  await eventually(async () => expect(hanging.length).toBe(before + 1));
  await leaving.body?.cancel();
  await hanging.at(-1)?.isLeft;
});

test('a kind that cannot be converted does not keep other kinds from being deleted', async () => {
  expect((await api.delete(`${objects('healthy', 'v2')}/a`)).status).toBe(200);
  const body = { kind: 'healthy', apiVersion: `${group}/v2`, metadata: { name: 'a' } };
  expect((await api.post(objects('healthy', 'v2'), body)).status).toBe(201);
});

test('a service may be the webhook: it is looked up by name, and its certificate is for that name', async () => {
  const service = { namespace: 'default', name: 'converter', path: '/healthy', port: peer.port };
  await define('referring', { service, caBundle });
  const [, missing] = await served('referring');
  expect(missing).toBe(
    `${named('referring')}Post "https://${serviceName}:${peer.port}/healthy?timeout=30s": service "converter" not found`,
  );
  await api.post('/api/v1/namespaces/default/services', {
    metadata: { name: 'converter' },
    spec: { type: 'ExternalName', externalName: 'localhost' },
  });
  expect(await served('referring')).toEqual([200, 200]);
  expect(peer.requests.at(-1)?.headers.host).toBe(`${serviceName}:${peer.port}`);
});

test('a definition whose CA bundle is none is not discovered until it has one', async () => {
  const wrong = Buffer.from('no certificate').toString('base64');
  const path = `${definitions}/untrusted.${group}`;
  const created = await api.post(definitions, definition('untrusted', { url: `${peer.url}/healthy`, caBundle: wrong }));
  expect(created.status).toBe(201);
  const condition = async () =>
    (await api.get(path)).body.status.conditions.find(({ type }: { type: string }) => type === 'Established');
  const discovered = async () =>
    (await api.get(`/apis/${group}/v1`)).body.resources.map(({ name }: { name: string }) => name);
  await eventually(async () =>
    expect(await condition()).toMatchObject({
      ...{ status: 'False', reason: 'InvalidCABundle', message: 'The conversion webhook CABundle is invalid' },
    }),
  );
  expect(await discovered()).not.toContain('untrusted');
  await api.patch('merge', path, { spec: { conversion: { webhook: { clientConfig: { caBundle } } } } });
  await eventually(async () => expect(await condition()).toMatchObject({ status: 'True' }));
  expect(await discovered()).toContain('untrusted');
  expect((await api.get(objects('untrusted', 'v2'))).status).toBe(200);
});

test('a certificate of another authority is refused, and said so', async () => {
  await using other = await TlsPeer.open(converted);
  await define('mistaken', { url: `${other.url}/healthy`, caBundle });
  expect((await served('mistaken'))[1]).toContain(
    `${named('mistaken')}Post "${other.url}/healthy?timeout=30s": tls: failed to verify certificate: `,
  );
  expect(other.requests).toEqual([]);
});
