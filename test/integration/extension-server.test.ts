// An extension API server written with this library: the example, behind a real server and asked directly.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { books } from '../../examples/extension-api-server/books.ts';
import { Client, createExtensionServer, type ExtensionServerOptions, type Server } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { freePort } from '../free-port.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';
import { Library } from './library.ts';
import { bearer, secureCall, whoIs } from './secure-call.ts';

const collection = '/apis/library.example.com/v1/namespaces/default/books';
const book = (name: string, spec: object = { title: 'Walden' }) => ({
  kind: 'Book',
  apiVersion: 'library.example.com/v1',
  metadata: { name },
  spec,
});
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const trust = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';

describe('the library', () => {
  let folder: TempFolder;
  let server: Server;
  let library: Library;
  let api: Api;
  let token: string;

  beforeAll(async () => {
    folder = new TempFolder();
    server = await startTestServer({ store: 'embedded', dataDir: folder.path });
    api = apiOf(server);
    library = await Library.open(server, await freePort());
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'reader' } });
    token = (await api.post('/api/v1/namespaces/default/serviceaccounts/reader/token', {})).body.status.token;
    const rules = [{ apiGroups: ['library.example.com'], resources: ['books'], verbs: ['get', 'list', 'watch'] }];
    await api.post(`${rbac}/namespaces/default/roles`, { metadata: { name: 'reader' }, rules });
    await api.post(`${rbac}/namespaces/default/rolebindings`, {
      metadata: { name: 'reader' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', name: 'reader', namespace: 'default' }],
    });
    await eventually(async () => expect((await apiOf(library.server).get('/readyz')).status).toBe(200));
    await eventually(async () => expect((await api.get(collection)).status).toBe(200));
  });
  afterAll(async () => {
    await library?.[Symbol.asyncDispose]();
    await server.close();
    folder[Symbol.dispose]();
  });

  const at = (place: Server, method: string, path: string, options: object = {}) =>
    secureCall(place, method, path, options);

  test('keeps books by its own rules, behind the cluster', async () => {
    const created = await api.post(collection, book('walden'));
    expect([created.status, created.body.spec]).toEqual([201, { title: 'Walden', copies: 1 }]);
    expect((await api.get(`${collection}/walden`)).body).toEqual(created.body);
    const refused = await api.post(collection, book('none', { title: '', copies: -1 }));
    expect([refused.status, refused.body.reason]).toEqual([422, 'Invalid']);
    const patched = await api.patch('merge', `${collection}/walden`, { spec: { copies: 3 } });
    expect(patched.body.spec.copies).toBe(3);
    expect((await api.delete(`${collection}/walden`)).status).toBe(200);
  });

  test('is found by discovery at its own group only', async () => {
    const direct = apiOf(library.server);
    expect((await direct.get('/apis')).body.groups.map(({ name }: { name: string }) => name)).toEqual([
      'library.example.com',
    ]);
    expect((await direct.get('/api/v1/namespaces')).status).toBe(404);
    const found = await api.get('/apis/library.example.com/v1');
    expect(found.body.resources.map(({ name }: { name: string }) => name)).toEqual(['books', 'books/status']);
  });

  test('leaves it to the cluster what users may do', async () => {
    await api.post(collection, book('emma', { title: 'Emma' }));
    for (const place of [server, library.server]) {
      const headers = bearer(token);
      expect((await at(place, 'GET', `${collection}/emma`, { headers })).status).toBe(200);
      expect((await at(place, 'DELETE', `${collection}/emma`, { headers })).status).toBe(403);
      expect((await at(place, 'GET', collection)).status).toBe(403);
      expect((await at(place, 'GET', collection, { headers: bearer('made-up') })).status).toBe(401);
    }
  });

  test('believes what the front proxy of the cluster says of users, and no other client', async () => {
    const { readFileSync } = await import('node:fs');
    const read = (name: string) => readFileSync(`${folder.path}/pki/${name}`, 'utf8');
    const proxy = { certificate: read('front-proxy-client.crt'), privateKey: read('front-proxy-client.key') };
    const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };
    expect((await at(library.server, 'DELETE', `${collection}/none`, { pair: proxy, headers })).status).toBe(404);
    expect((await at(library.server, 'DELETE', `${collection}/none`, { headers })).status).toBe(403);
    const ca = { certificate: read('ca.crt'), privateKey: read('ca.key') };
    const user = signLeaf(ca, { usage: 'client', commonName: 'front-proxy-client', organizations: [] }, Date.now());
    expect((await at(library.server, 'DELETE', `${collection}/none`, { pair: user, headers })).status).toBe(403);
  });

  test('trusts another front proxy as soon as the cluster does', async () => {
    const other = createAuthority('other', Date.now());
    const pair = signLeaf(other, { usage: 'client', commonName: 'other-proxy', organizations: [] }, Date.now());
    const headers = { 'x-remote-user': 'root', 'x-remote-group': 'system:masters' };
    const ask = async () => (await at(library.server, 'GET', collection, { pair, headers })).status;
    expect(await ask()).toBe(401);
    const { body } = await api.get(trust);
    await api.patch('merge', trust, {
      data: {
        'requestheader-client-ca-file': body.data['requestheader-client-ca-file'] + other.certificate,
        'requestheader-allowed-names': '["front-proxy-client","other-proxy"]',
      },
    });
    await eventually(async () => expect(await ask()).toBe(200));
  });

  test('shows watchers behind the cluster what changes', async () => {
    const list = await api.get(collection);
    const version = list.body.metadata.resourceVersion;
    const answer = await server.fetch(`${collection}?watch=1&resourceVersion=${version}&timeoutSeconds=20`);
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    await api.post(collection, book('persuasion', { title: 'Persuasion' }));
    const { value } = await reader.read();
    const event = JSON.parse(Buffer.from(value as Uint8Array).toString());
    expect([event.type, event.object.spec.title]).toEqual(['ADDED', 'Persuasion']);
    await reader.cancel();
  });
});

describe('an extension server', () => {
  const silent = new Client({
    send: () => Promise.reject(new Error('no cluster')),
    // biome-ignore lint/correctness/useYield: a stream that fails before its first line
    async *lines() {
      throw new Error('no cluster');
    },
  });
  const options: ExtensionServerOptions = {
    ...{ definitions: [books], cluster: silent, service: { namespace: 'library', name: 'library' } },
    ...{ shutdownGraceSeconds: 0.1 },
  };

  test('is not ready, and lets no one in, before the cluster has named the CAs to trust', async () => {
    await using server = await createExtensionServer(options);
    await server.listen();
    expect((await secureCall(server, 'GET', '/livez/ping')).status).toBe(403);
    const ready = await secureCall(server, 'GET', '/readyz');
    expect([ready.status, ready.body]).toEqual([500, expect.stringContaining('cluster-authentication')]);
    expect((await secureCall(server, 'GET', collection)).status).toBe(403);
    expect(await whoIs(server, { headers: bearer('token') })).toBe('401 Unauthorized');
  });

  test('registers every version that it serves, with the CA of its certificate', async () => {
    await using server = await createExtensionServer(options);
    expect(() => server.apiServices).toThrow('call listen() first');
    await server.listen();
    expect(server.apiServices).toEqual([
      {
        kind: 'APIService',
        apiVersion: 'apiregistration.k8s.io/v1',
        metadata: { name: 'v1.library.example.com' },
        spec: {
          group: 'library.example.com',
          version: 'v1',
          service: { namespace: 'library', name: 'library', port: 443 },
          caBundle: expect.any(String),
          groupPriorityMinimum: 1000,
          versionPriority: 100,
        },
      },
    ]);
  });

  test('answers a list of nothing with a version, from which a watch gets the first object', async () => {
    await using server = await createExtensionServer(options);
    const api = apiOf(server);
    const { body } = await api.get(collection);
    expect([body.items, body.metadata.resourceVersion]).toEqual([[], '1']);
    const watch = await server.fetch(`${collection}?watch=1&resourceVersion=${body.metadata.resourceVersion}`);
    const created = await api.post(collection, book('walden'));
    const { value } = (await watch.body?.getReader().read()) ?? {};
    expect(JSON.parse(Buffer.from(value ?? []).toString())).toEqual({ type: 'ADDED', object: created.body });
  });

  const changed = (spec: object) => ({ ...books, spec: { ...books.spec, ...spec } });
  test.each([
    [[], 'definitions: an extension server needs at least one'],
    [[{ ...books, kind: 'Other' }], 'definitions[0]: '],
    [[books, changed({ scope: 'Village' })], 'definitions[1]: spec.scope: '],
    [[changed({ colour: 'red' })], 'definitions[0]: unknown field "spec.colour"'],
    [[changed({ group: 'other.example.com' })], 'definitions[0]: metadata.name: '],
  ])('with the definitions %# is refused by the place of the mistake', async (definitions, message) => {
    await expect(createExtensionServer({ ...options, definitions })).rejects.toThrow(message);
  });
});
