// What aggregated API servers have to know to trust this one: the ConfigMap, its role, and the reviews they may ask for.

import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority, type KeyPair, signLeaf } from '../../src/pki/certificates.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually } from './eventually.ts';
import { bearer, secureCall, whoIs } from './secure-call.ts';

const configMaps = '/api/v1/namespaces/kube-system/configmaps';
const path = `${configMaps}/extension-apiserver-authentication`;
const now = Date.now();

let folder: TempFolder;
beforeAll(() => {
  folder = new TempFolder();
});
afterAll(() => folder[Symbol.dispose]());

/** What is published, as soon as it fits. */
function published(api: Api, fits: (data: Record<string, string>) => void = () => {}): Promise<Record<string, string>> {
  return eventually(async () => {
    const { status, body } = await api.get(path);
    expect(status).toBe(200);
    fits(body.data);
    return body.data;
  });
}

const certificatesIn = (pem = '') =>
  (pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/g) ?? []) as string[];
const subjectsIn = (pem = '') => certificatesIn(pem).map((one) => new X509Certificate(one).subject);

describe('a server without flags', () => {
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer();
    api = apiOf(server);
  });
  afterAll(() => server.close());

  test('publishes its CAs and the headers of its front proxy', async () => {
    const data = await published(api);
    expect({ ...data, 'requestheader-client-ca-file': subjectsIn(data['requestheader-client-ca-file']) }).toEqual({
      'client-ca-file': credentialsOf(server.kubeconfig).ca.toString(),
      'requestheader-client-ca-file': ['CN=front-proxy-ca'],
      'requestheader-allowed-names': '["front-proxy-client"]',
      'requestheader-extra-headers-prefix': '["X-Remote-Extra-"]',
      'requestheader-group-headers': '["X-Remote-Group"]',
      'requestheader-uid-headers': '["X-Remote-Uid"]',
      'requestheader-username-headers': '["X-Remote-User"]',
    });
  });

  test('publishes them again when they are deleted', async () => {
    const before = await published(api);
    await api.delete(path);
    expect(await published(api)).toEqual(before);
  });

  test('puts back what was taken away, keeps what another server added, and drops what has ended', async () => {
    const before = await published(api);
    const other = createAuthority('other', now).certificate;
    const ended = createAuthority('ended', now - 3660 * 24 * 60 * 60_000).certificate;
    const data = {
      'client-ca-file': ended + other,
      'requestheader-allowed-names': '["other"]',
      'requestheader-client-ca-file': other,
      'requestheader-group-headers': 'no list',
    };
    const { body } = await api.get(path);
    await api.put(path, { ...body, data });
    const fits = (found: Record<string, string>) =>
      expect(found).toEqual({
        ...before,
        'client-ca-file': other + before['client-ca-file'],
        'requestheader-client-ca-file': other + before['requestheader-client-ca-file'],
        'requestheader-allowed-names': '["other","front-proxy-client"]',
      });
    await published(api, fits);
  });
});

describe('service accounts of aggregated servers', () => {
  let server: Server;
  let api: Api;
  const tokens = new Map<string, string>();
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const subject = (name: string) => ({ kind: 'ServiceAccount', name, namespace: 'default' });

  beforeAll(async () => {
    server = await startTestServer();
    api = apiOf(server);
    for (const name of ['backend', 'other']) {
      await api.post('/api/v1/namespaces/default/serviceaccounts', {
        kind: 'ServiceAccount',
        apiVersion: 'v1',
        metadata: { name },
      });
      const { body } = await api.post(`/api/v1/namespaces/default/serviceaccounts/${name}/token`, {});
      tokens.set(name, body.status.token);
    }
    const roleRef = (kind: string, name: string) => ({ apiGroup: 'rbac.authorization.k8s.io', kind, name });
    await api.post(`${rbac}/namespaces/kube-system/rolebindings`, {
      metadata: { name: 'backend' },
      roleRef: roleRef('Role', 'extension-apiserver-authentication-reader'),
      subjects: [subject('backend')],
    });
    await api.post(`${rbac}/clusterrolebindings`, {
      metadata: { name: 'backend' },
      roleRef: roleRef('ClusterRole', 'system:auth-delegator'),
      subjects: [subject('backend')],
    });
    await published(api);
  });
  afterAll(() => server.close());

  const as = (name: string) => ({ headers: bearer(tokens.get(name) ?? '') });
  const statusOf = async (name: string, method: string, at: string, body?: object) =>
    (await secureCall(server, method, at, { ...as(name), ...(body ? { body } : {}) })).status;
  const named = '?fieldSelector=metadata.name%3Dextension-apiserver-authentication';

  test('read what is published with the role that is there for it, and nothing else', async () => {
    const asked = [path, `${configMaps}${named}`, `${configMaps}${named}&watch=1&timeoutSeconds=1`, configMaps];
    const answers = (name: string) => Promise.all(asked.map((one) => statusOf(name, 'GET', one)));
    expect(await answers('backend')).toEqual([200, 200, 200, 403]);
    expect(await answers('other')).toEqual([403, 403, 403, 403]);
  });

  test('ask who a token belongs to, and what its user may do, with the role system:auth-delegator', async () => {
    const review = { spec: { token: tokens.get('other') } };
    const who = await secureCall(server, 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', {
      ...as('backend'),
      body: review,
    });
    expect(who.body.status).toMatchObject({
      authenticated: true,
      user: { username: 'system:serviceaccount:default:other' },
    });
    const attributes = { verb: 'get', resource: 'configmaps', namespace: 'kube-system' };
    const may = await secureCall(server, 'POST', '/apis/authorization.k8s.io/v1/subjectaccessreviews', {
      ...as('backend'),
      body: { spec: { user: 'ann', groups: ['system:masters'], resourceAttributes: attributes } },
    });
    expect(may.body.status).toMatchObject({ allowed: true });
    expect(await statusOf('other', 'POST', '/apis/authentication.k8s.io/v1/tokenreviews', review)).toBe(403);
  });
});

describe('files that flags name', () => {
  const file = (name: string, text: string) => {
    writeFileSync(join(folder.path, name), text);
    return join(folder.path, name);
  };

  test('are published instead of a CA of the server’s own, and again when they change', async () => {
    const [users, moreUsers, front] = ['users', 'more users', 'front'].map(
      (name) => createAuthority(name, now).certificate,
    ) as [string, string, string];
    const clock = new FakeClock(now);
    await using server = await startTestServer({
      clock,
      clientCaFile: file('users.crt', users),
      requestheaderClientCaFile: file('front.crt', front),
      requestheaderAllowedNames: ['front'],
      requestheaderUsernameHeaders: ['X-Acme-User'],
    });
    const api = apiOf(server);
    const first = await published(api);
    expect(subjectsIn(first['client-ca-file'])).toEqual(['CN=keelson-ca', 'CN=users']);
    expect(first).toMatchObject({
      'requestheader-client-ca-file': front,
      'requestheader-allowed-names': '["front"]',
      'requestheader-username-headers': '["X-Acme-User"]',
      'requestheader-group-headers': '[]',
    });
    expect(first).not.toHaveProperty('requestheader-uid-headers');
    file('users.crt', users + moreUsers);
    clock.advance(5000);
    await published(api, (data) =>
      expect(subjectsIn(data['client-ca-file'])).toEqual(['CN=keelson-ca', 'CN=users', 'CN=more users']),
    );
  });
});

describe('the front proxy of a data folder', () => {
  const dataDir = () => join(folder.path, 'data');
  const pki = (name: string) => join(dataDir(), 'pki', name);
  const keep = (name: string): KeyPair => ({
    certificate: readFileSync(pki(`${name}.crt`), 'utf8'),
    privateKey: readFileSync(pki(`${name}.key`), 'utf8'),
  });
  const start = () => startTestServer({ store: 'embedded', dataDir: dataDir() });

  test('is kept over restarts, its keys for the owner only', async () => {
    const first = await start();
    const before = await published(apiOf(first));
    await first.close();
    await using second = await start();
    expect(await published(apiOf(second))).toEqual(before);
    expect(keep('front-proxy-ca').certificate).toBe(before['requestheader-client-ca-file']);
    for (const name of ['front-proxy-ca.key', 'front-proxy-client.key'])
      expect((statSync(pki(name)).mode & 0o777).toString(8)).toBe('600');
  });

  test('names users, and only by its own certificate', async () => {
    await using server = await start();
    await published(apiOf(server));
    const headers = { 'x-remote-user': 'ann', 'x-remote-group': 'devs' };
    const ann = { username: 'ann', groups: ['devs', 'system:authenticated'] };
    // the CA is read when it is first needed, a moment after the start
    await eventually(async () =>
      expect(await whoIs(server, { pair: keep('front-proxy-client'), headers })).toEqual(ann),
    );
    const signed = (ca: string, commonName: string) =>
      signLeaf(keep(ca), { usage: 'client', commonName, organizations: [] }, Date.now());
    const refused = '401 Unauthorized';
    expect(await whoIs(server, { pair: keep('front-proxy-client') })).toBe(refused);
    expect(await whoIs(server, { pair: signed('front-proxy-ca', 'other'), headers })).toBe(refused);
    // a user of this name is a user: headers are not looked at
    expect(await whoIs(server, { pair: signed('ca', 'front-proxy-client'), headers })).toMatchObject({
      username: 'front-proxy-client',
    });
  });
});
