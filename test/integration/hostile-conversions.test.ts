// Webhooks that convert custom resources and want to harm the server, over TLS.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type PeerRequest, TlsPeer } from '../../src/testing/tls-peer.ts';
import { definitions } from './definition-shapes.ts';
import { eventually } from './eventually.ts';
import { type HostileServer, type Measured, maxWaitMs, startHostileServer } from './hostile-bodies.ts';

const group = 'hostile.example.com';
const things = (version: string) => `/apis/${group}/${version}/namespaces/default/things`;

type Behaviour = (objects: Converted[], asked: PeerRequest, response: ServerResponse) => unknown;
type Converted = Record<string, unknown> & { metadata: Record<string, unknown> };

let server: HostileServer;
let peer: TlsPeer;
let behave: Behaviour;
const usual = (objects: Converted[]) => objects;
beforeEach(() => {
  behave = usual;
});

const definitionOfTwo = (inGroup: string, plural: string, kind: string, conversion: object) => {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const versions = ['v1', 'v2'].map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  return {
    metadata: { name: `${plural}.${inGroup}` },
    spec: { group: inGroup, scope: 'Namespaced', names: { plural, kind }, versions, conversion },
  };
};

beforeAll(async () => {
  peer = await TlsPeer.open(async (asked, response) => {
    const { kind, apiVersion, request } = JSON.parse(asked.body);
    const objects = request.objects.map((one: object) => ({ ...one, apiVersion: request.desiredAPIVersion }));
    const answer = await behave(objects, asked, response);
    if (answer === undefined) return undefined;
    const head = JSON.stringify({ kind, apiVersion, response: { uid: request.uid, result: { status: 'Success' } } });
    const list = typeof answer === 'string' ? answer : JSON.stringify(answer);
    response.setHeader('content-type', 'application/json');
    response.end(`${head.slice(0, -2)},"convertedObjects":${list}}}`);
    return undefined;
  });
  server = await startHostileServer();
  const clientConfig = {
    url: `${peer.url}/convert`,
    caBundle: Buffer.from(peer.authority.certificate).toString('base64'),
  };
  const webhook = { clientConfig, conversionReviewVersions: ['v1'] };
  const definition = definitionOfTwo(group, 'things', 'Thing', { strategy: 'Webhook', webhook });
  const created = await server.call({ path: definitions, body: JSON.stringify(definition) });
  expect(created.status, created.body).toBe(201);
  await eventually(async () => expect((await server.call({ method: 'GET', path: things('v1') })).status).toBe(200));
});
afterAll(async () => {
  await server.close();
  await peer[Symbol.asyncDispose]();
});

let count = 0;
async function make(spec: object = {}): Promise<string> {
  const name = `thing-${count++}`;
  const body = JSON.stringify({ apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name }, spec });
  expect((await server.call({ path: things('v1'), body })).status).toBe(201);
  return name;
}
const read = (name: string) => ({ method: 'GET', path: `${things('v2')}/${name}` });

const withSpec = (spec: string) => (objects: Converted[]) =>
  `[${objects.map((one) => `${JSON.stringify({ ...one, spec: undefined }).slice(0, -1)},"spec":${spec}}`).join(',')}]`;

const members = (count: number, member: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => member(index)).join(',');
const meta = (more: object) => (objects: Converted[]) =>
  objects.map((one) => ({ ...one, metadata: { ...one.metadata, ...more } }));
const texts = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, index) => [`k ${index}`, '!']));

describe('another client is answered within 150 ms, while a webhook answers with', () => {
  test.each<[string, number, string, () => Behaviour]>([
    [
      '100,000 levels',
      500,
      'nested more than 1000 levels deep',
      () => withSpec(`${'{"a":'.repeat(1e5)}1${'}'.repeat(1e5)}`),
    ],
    [
      '100,000 levels of lists',
      500,
      'nested more than 1000 levels deep',
      () => withSpec(`{"a":${'['.repeat(1e5)}${']'.repeat(1e5)}}`),
    ],
    ['two million lists', 500, 'holds more than 65536 values', () => withSpec(`{"a":[${'[],'.repeat(2e6)}[]]}`)],
    ['16 MB', 500, 'the answer is longer than 6291456 bytes', () => withSpec(`{"a":"${'x'.repeat(16e6)}"}`)],
    ['a text of 6 MB', 200, 'xxx', () => withSpec(`{"a":"${'x'.repeat(6e6)}"}`)],
    ['a text that is all escapes', 200, 'AAA', () => withSpec(`{"a":"${'\\u0041'.repeat(1e6)}"}`)],
    [
      'an object of 60,000 members',
      500,
      'more than 20000 members',
      () => withSpec(`{${members(60_000, (i) => `"k${i}":1`)}}`),
    ],
    ['60,000 labels', 500, 'more than 20000 members', () => meta({ labels: texts(60_000) })],
    ['19,000 wrong labels', 500, 'metadata.labels: Invalid value', () => meta({ labels: texts(19_000) })],
    ['19,000 wrong annotations', 500, 'metadata.annotation: Invalid value', () => meta({ annotations: texts(19_000) })],
    [
      'three objects of 19,000 members',
      200,
      '"k18999":1',
      () => withSpec(`{${members(3, (j) => `"m${j}":{${members(19_000, (i) => `"k${18_999 - i}":1`)}}`)}}`),
    ],
  ])('%s', async (_, status, words, answering) => {
    behave = answering();
    let found: Measured | undefined;
    for (let attempt = 0; attempt < 5; attempt++) {
      found = await server.alongside(read(await make()));
      if (found.longestWaitMs < maxWaitMs) break;
    }
    expect([found?.status, found?.body.slice(0, 300)]).toEqual([status, expect.any(String)]);
    expect(found?.body.includes(words)).toBe(true);
    expect(found?.longestWaitMs).toBeLessThan(maxWaitMs);
  });
});

test('members with inherited names are members like any other', async () => {
  const spec = '{"__proto__":{"polluted":"yes"},"constructor":{"prototype":{"polluted":"yes"}},"toString":1}';
  behave = withSpec(spec);
  const { status, body } = await server.call(read(await make()));
  expect(status).toBe(200);
  expect(body).toContain(`"spec":${spec}`);
  behave = (objects) => JSON.stringify(objects).replace('"metadata":{', '"metadata":{"__proto__":{"name":"other"},');
  const name = await make();
  expect(JSON.parse((await server.call(read(name))).body).metadata.name).toBe(name);
});

test('nothing of metadata changes but labels and annotations, neither what is shown nor what is stored', async () => {
  const name = await make();
  const stored = JSON.parse((await server.call({ method: 'GET', path: `${things('v1')}/${name}` })).body).metadata;
  const others = { resourceVersion: '7', creationTimestamp: 'never', deletionTimestamp: '2001-01-01T00:00:00Z' };
  const owners = [{ apiVersion: 'v1', kind: 'Node', name: 'n', uid: 'u', blockOwnerDeletion: true }];
  behave = meta({ ...others, generation: 'x', managedFields: 'x', finalizers: ['a.b/c'], ownerReferences: owners });
  expect(JSON.parse((await server.call(read(name))).body).metadata).toEqual(stored);
  const change = { method: 'PATCH', path: `${things('v2')}/${name}`, type: 'application/merge-patch+json' };
  expect((await server.call({ ...change, body: '{"spec":{"a":1}}' })).status).toBe(200);
  behave = usual;
  const { metadata } = JSON.parse((await server.call({ method: 'GET', path: `${things('v1')}/${name}` })).body);
  const { finalizers, ownerReferences, deletionTimestamp, creationTimestamp, uid } = metadata;
  expect([finalizers, ownerReferences, deletionTimestamp]).toEqual([undefined, undefined, undefined]);
  expect([creationTimestamp, uid]).toEqual([stored.creationTimestamp, stored.uid]);
});

test('a webhook that asks the server for what it is to convert gets no answer, and others are served', async () => {
  const name = await make();
  let calls = 0;
  behave = async (objects) => {
    calls++;
    // each of these calls makes another one
    await server.call({ ...read(name), path: `${things('v2')}/${name}?timeout=2s` }).catch(() => {});
    return objects;
  };
  const asked = server.alongside({ ...read(name), path: `${things('v2')}/${name}?timeout=2s` });
  await eventually(async () => expect(calls).toBeGreaterThan(20));
  const { status, longestWaitMs } = await asked;
  expect(status).toBe(504);
  expect(longestWaitMs).toBeLessThan(maxWaitMs);
  behave = usual;
  expect((await server.call(read(await make()))).status).toBe(200);
});

test('a list whose objects have many values is converted in parts', async () => {
  const spec = Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${index}`, index]));
  for (let i = 0; i < 100; i++) await make(spec);
  const before = peer.requests.length;
  const { status, body } = await server.call({ method: 'GET', path: things('v2') });
  expect(status, body.slice(0, 300)).toBe(200);
  expect(peer.requests.length - before).toBeGreaterThan(1);
});

describe('a webhook that turns out to be the server itself is not asked', () => {
  const other = 'back.example.com';
  const objects = (version: string) => `/apis/${other}/${version}/namespaces/default/others`;
  test.each<[string, (port: number) => object]>([
    ['by its address', (port) => ({ url: `https://127.0.0.1:${port}/convert` })],
    ['by its name', (port) => ({ url: `https://localhost:${port}/convert` })],
    ['by its own service', () => ({ service: { namespace: 'default', name: 'kubernetes', path: '/convert' } })],
    ['by a service that leads there', (port) => ({ service: { namespace: 'default', name: 'back', port } })],
  ])('%s', async (_, clientConfig) => {
    const service = { metadata: { name: 'back' }, spec: { type: 'ExternalName', externalName: 'localhost' } };
    await server.call({ path: '/api/v1/namespaces/default/services', body: JSON.stringify(service) });
    const port = Number(new URL(server.url).port);
    const webhook = { clientConfig: clientConfig(port), conversionReviewVersions: ['v1'] };
    const definition = definitionOfTwo(other, 'others', 'Other', { strategy: 'Webhook', webhook });
    const made = await server.call({ path: definitions, body: JSON.stringify(definition) });
    expect(made.status, made.body).toBe(201);
    await eventually(async () => expect((await server.call({ method: 'GET', path: objects('v1') })).status).toBe(200));
    const body = JSON.stringify({ apiVersion: `${other}/v1`, kind: 'Other', metadata: { name: 'a' } });
    expect((await server.call({ path: objects('v1'), body })).status).toBe(201);
    const found = await server.call({ method: 'GET', path: `${objects('v2')}/a` });
    expect([found.status, JSON.parse(found.body).message]).toEqual([
      500,
      expect.stringMatching(/address not allowed$/),
    ]);
    await server.call({ method: 'DELETE', path: `${definitions}/others.${other}` });
    await eventually(async () =>
      expect((await server.call({ method: 'GET', path: `${definitions}/others.${other}` })).status).toBe(404),
    );
  });
});
