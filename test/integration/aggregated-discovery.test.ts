// What clients find of aggregated APIs, and what becomes of a namespace that has objects there.

import type { ServerResponse } from 'node:http';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectNoWait } from '../../src/testing/processor-time.ts';
import { type Api, apiOf } from './api.ts';
import { announce, apiServices, Backend, type Behaviour, json, register } from './backend.ts';
import { eventually, gone } from './eventually.ts';

const group = 'ext.example';
const name = `v1.${group}`;
const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const resources = [
  {
    name: 'things',
    singularName: 'thing',
    namespaced: true,
    kind: 'Thing',
    verbs,
    shortNames: ['th'],
    categories: ['all'],
  },
  { name: 'things/exec', singularName: '', namespaced: true, kind: 'Thing', verbs: ['create'] },
];
const list = { kind: 'APIResourceList', apiVersion: 'v1', groupVersion: `${group}/v1`, resources };
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** Keeps objects of one kind. */
function thingServer(objects: Map<string, object>): Behaviour {
  const collection = new RegExp(`^/apis/${group}/v1/namespaces/([^/]+)/things$`);
  return (request, response, { url, method }) => {
    const [path = ''] = url.split('?');
    const namespace = collection.exec(path)?.[1];
    if (path === `/apis/${group}/v1`) json(response, list);
    else if (namespace === undefined) json(response, { kind: 'Status', status: 'Failure', code: 404 }, 404);
    else if (method === 'DELETE') {
      for (const key of objects.keys()) if (key.startsWith(`${namespace}/`)) objects.delete(key);
      request.resume();
      json(response, { kind: 'Status', status: 'Success' });
    } else {
      const items = [...objects].filter(([key]) => key.startsWith(`${namespace}/`)).map(([, object]) => object);
      json(response, { kind: 'ThingList', apiVersion: `${group}/v1`, metadata: { resourceVersion: '1' }, items });
    }
  };
}

const aggregated = async (api: Api, headers: Record<string, string> = {}) => {
  const found = await api.get('/apis', { accept: aggregatedType, ...headers });
  return { ...found, body: typeof found.body === 'string' && found.body !== '' ? JSON.parse(found.body) : found.body };
};
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
const versionIn = (body: any, of = group) =>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  body.items.find((item: any) => item.metadata.name === of)?.versions[0];

describe('an aggregated group-version', () => {
  let server: Server;
  let backend: Backend;
  let api: Api;
  const objects = new Map<string, object>();
  beforeAll(async () => {
    backend = await Backend.open(thingServer(objects));
    server = await startTestServer({ listen: false });
    api = await register(server, backend, { group, more: { groupPriorityMinimum: 17600 } });
  });
  afterAll(async () => {
    await server.close();
    await backend[Symbol.asyncDispose]();
  });

  test('is found in the list of groups by its rank, and by its own name', async () => {
    const { body } = await api.get('/apis');
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    const names = body.groups.map((one: any) => one.name);
    expect(names[0]).toBe('apiregistration.k8s.io');
    expect(names.indexOf(group)).toBeGreaterThan(names.indexOf('apps'));
    expect(names.indexOf(group)).toBeLessThan(names.indexOf('autoscaling'));
    const version = { groupVersion: `${group}/v1`, version: 'v1' };
    const found = { name: group, versions: [version], preferredVersion: version };
    expect((await api.get(`/apis/${group}`)).body).toEqual({ kind: 'APIGroup', apiVersion: 'v1', ...found });
    expect((await api.get(`/apis/${group}/v1`)).body).toEqual(list);
    expect((await api.get('/')).body.paths).toContain(`/apis/${group}/v1`);
  });

  test('is in the aggregated document, with an ETag that changes with it', async () => {
    const found = await eventually(async () => {
      const answer = await aggregated(api);
      expect(versionIn(answer.body)).toMatchObject({ freshness: 'Current' });
      return answer;
    });
    expect(versionIn(found.body)).toEqual({
      version: 'v1',
      freshness: 'Current',
      resources: [
        {
          resource: 'things',
          responseKind: { group: '', version: '', kind: 'Thing' },
          scope: 'Namespaced',
          singularResource: 'thing',
          verbs,
          shortNames: ['th'],
          categories: ['all'],
          subresources: [
            { subresource: 'exec', responseKind: { group: '', version: '', kind: 'Thing' }, verbs: ['create'] },
          ],
        },
      ],
    });
    const etag = found.headers.get('etag') ?? '';
    expect((await aggregated(api, { 'if-none-match': etag })).status).toBe(304);
    await api.patch('merge', `${apiServices}/${name}`, { spec: { groupPriorityMinimum: 10 } });
    const moved = await aggregated(api, { 'if-none-match': etag });
    expect([moved.status, moved.body.items.at(-1).metadata.name]).toEqual([200, group]);
  });

  test('has its objects deleted with their namespace', async () => {
    await api.post('/api/v1/namespaces', { metadata: { name: 'full' } });
    objects.set('full/a', { metadata: { name: 'a', namespace: 'full' } });
    objects.set('kept/a', { metadata: { name: 'a', namespace: 'kept' } });
    await api.delete('/api/v1/namespaces/full');
    await gone(api, '/api/v1/namespaces/full');
    expect([...objects.keys()]).toEqual(['kept/a']);
  });
});

test('a server that offers the aggregated document is asked for that', async () => {
  const version = {
    version: 'v1',
    freshness: 'Current',
    resources: [{ resource: 'odd', scope: 'Cluster', verbs: ['get'] }],
  };
  await using backend = await Backend.open((_, response, { url, headers }) => {
    if (url !== '/apis') return json(response, list);
    expect(headers.accept).toContain('v=v2beta1');
    response.setHeader('content-type', aggregatedType);
    response.end(
      JSON.stringify({ kind: 'APIGroupDiscoveryList', items: [{ metadata: { name: group }, versions: [version] }] }),
    );
  });
  await using server = await startTestServer({ listen: false });
  const api = await register(server, backend, { group });
  await eventually(async () =>
    expect(versionIn((await aggregated(api)).body)).toMatchObject({
      freshness: 'Current',
      resources: [{ resource: 'odd', responseKind: { kind: '' }, scope: 'Cluster' }],
    }),
  );
});

test.each<[string, Behaviour]>([
  ['hangs', () => {}],
  ['answers garbage', (_, response) => void response.end('{"items":[{{{')],
  [
    'answers without end',
    (_, response) => void setInterval(() => (response as ServerResponse).write('x'.repeat(60_000)), 1).unref(),
  ],
  ['closes the connection', (request) => void request.socket?.destroy()],
  ['answers with an error', (_, response) => json(response, {}, 500)],
  ['answers with something else', (_, response) => json(response, { ...list, kind: 'Thing' })],
])('a server that %s is stale, and slows nothing else', async (_, behave) => {
  await using backend = await Backend.open(behave);
  await using server = await startTestServer({ listen: false });
  const api = await announce(server, backend, { group });
  await expectNoWait(1500, async () => {
    expect(versionIn((await aggregated(api)).body)).toEqual({ version: 'v1', freshness: 'Stale' });
    expect((await api.get('/apis')).status).toBe(200);
    expect((await api.get('/apis/apps/v1')).status).toBe(200);
  });
});

test('a server that hangs does not keep the garbage collector from its work', async () => {
  await using backend = await Backend.open(() => {});
  await using server = await startTestServer({ listen: false });
  const api = await announce(server, backend, { group });
  await eventually(async () => expect(backend.seen.length).toBeGreaterThan(0));
  const configMaps = '/api/v1/namespaces/default/configmaps';
  const owner = (await api.post(configMaps, { metadata: { name: 'owner' } })).body.metadata;
  const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.uid }];
  await api.post(configMaps, { metadata: { name: 'dependent', ownerReferences } });
  await expectNoWait(5000, async () => {
    await api.delete(`${configMaps}/owner`);
    await eventually(async () => expect((await api.get(`${configMaps}/dependent`)).status).toBe(404));
  });
});

test('a server that closes while it connects leaves no connection behind', async () => {
  const backend = await Backend.open((_, response) => json(response, {}));
  const server = await startTestServer({ listen: false });
  await announce(server, backend, { group });
  await server.close();
  await expectNoWait(5000, () => backend[Symbol.asyncDispose]());
});

test('a namespace is kept while a group cannot be discovered, says why, and goes when it can', async () => {
  let isWell = false;
  const objects = new Map<string, object>();
  const well = thingServer(objects);
  await using backend = await Backend.open((request, response, seen) =>
    isWell ? well(request, response, seen) : json(response, {}, 500),
  );
  await using server = await startTestServer({ listen: false });
  const api = await announce(server, backend, { group });
  await api.post('/api/v1/namespaces', { metadata: { name: 'waiting' } });
  const maps = '/api/v1/namespaces/waiting/configmaps';
  await api.post(maps, { metadata: { name: 'a' } });
  await api.delete('/api/v1/namespaces/waiting');
  await eventually(async () => {
    const { body } = await api.get('/api/v1/namespaces/waiting');
    expect(body.status.phase).toBe('Terminating');
    expect(body.status.conditions).toContainEqual(
      expect.objectContaining({
        type: 'NamespaceDeletionDiscoveryFailure',
        status: 'True',
        reason: 'DiscoveryFailed',
        message: `Discovery failed for some groups, 1 failing: unable to retrieve the complete list of server APIs: ${group}/v1: stale GroupVersion discovery: ${group}/v1`,
      }),
    );
    expect((await api.get(maps)).body.items).toEqual([]);
  });
  isWell = true;
  await gone(apiOf(server), '/api/v1/namespaces/waiting');
});
