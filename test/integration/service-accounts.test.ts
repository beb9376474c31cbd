// Accounts and what comes with them (spec: Service account automation).

import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { ServerOptions } from '../../src/config/options.ts';
import type { Server } from '../../src/index.ts';
import { createAuthority, signLeaf } from '../../src/pki/certificates.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually, gone } from './eventually.ts';

const folder = mkdtempSync(join(tmpdir(), 'keelson-keys-'));

/** Made in no time: a server without a key makes one of RSA for its first token, which may take seconds. */
function keyFile(name: string, namedCurve: string): string {
  const path = join(folder, name);
  const { privateKey } = generateKeyPairSync('ec', { namedCurve });
  writeFileSync(path, privateKey.export({ type: 'pkcs8', format: 'pem' }));
  return path;
}

let server: Server;
let api: Api;
beforeAll(async () => {
  const serviceAccountPrivateKeyFile = keyFile('usual.key', 'P-256');
  server = await startTestServer({ listen: false, clock: new FakeClock(), serviceAccountPrivateKeyFile });
  api = apiOf(server);
  await api.post('/api/v1/namespaces', { metadata: { name: 'team' } });
});
afterAll(async () => {
  await server.close();
  rmSync(folder, { recursive: true });
});

const team = '/api/v1/namespaces/team';
const account = `${team}/serviceaccounts/default`;
const rootCa = `${team}/configmaps/kube-root-ca.crt`;

test.each(['default', 'kube-system', 'team'])('%s has a default account', async (namespace) => {
  const path = `/api/v1/namespaces/${namespace}/serviceaccounts/default`;
  await eventually(async () => expect((await api.get(path)).status).toBe(200));
});

test('the default account comes back when it is deleted', async () => {
  await eventually(async () => expect((await api.get(account)).status).toBe(200));
  const { uid } = (await api.get(account)).body.metadata;
  await api.delete(account);
  await eventually(async () => {
    const { status, body } = await api.get(account);
    expect([status, body.metadata.uid === uid]).toEqual([200, false]);
  });
});

test('the CA is published, and put right when it is changed or deleted', async () => {
  const expectCa = () =>
    eventually(async () => {
      const { body } = await api.get(rootCa);
      expect(body.data?.['ca.crt']).toContain('BEGIN CERTIFICATE');
      expect(Object.keys(body.data)).toEqual(['ca.crt']);
      expect(body.metadata.annotations['kubernetes.io/description']).toContain('CA bundle');
    });
  await expectCa();
  await api.patch('merge', rootCa, { data: { 'ca.crt': 'x', more: 'y' } });
  await expectCa();
  await api.delete(rootCa);
  await expectCa();
});

const tokenSecret = (name: string, of: string, annotations: object = {}) => ({
  metadata: { name, annotations: { 'kubernetes.io/service-account.name': of, ...annotations } },
  type: 'kubernetes.io/service-account-token',
});

test('a token Secret goes with its account', async () => {
  await api.post(`${team}/serviceaccounts`, { metadata: { name: 'robot' } });
  expect((await api.post(`${team}/secrets`, tokenSecret('robot-token', 'robot'))).status).toBe(201);
  await api.delete(`${team}/serviceaccounts/robot`);
  await gone(api, `${team}/secrets/robot-token`);
});

test('tokens in Secrets may have a key of their own, and are believed', async () => {
  const serviceAccountPrivateKeyFile = keyFile('other.key', 'P-384');
  await using other = await startTestServer({ listen: false, serviceAccountPrivateKeyFile });
  const own = apiOf(other);
  const home = '/api/v1/namespaces/default';
  await own.post(`${home}/serviceaccounts`, { metadata: { name: 'robot' } });
  await own.post(`${home}/secrets`, tokenSecret('robot-token', 'robot'));
  const token = await eventually(async () => {
    const { data } = (await own.get(`${home}/secrets/robot-token`)).body;
    expect(data?.token).toBeDefined();
    return Buffer.from(data.token, 'base64').toString();
  });
  const [header = ''] = token.split('.');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString()).alg).toBe('ES384');
  const review = await own.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  expect(review.body.status.user.username).toBe('system:serviceaccount:default:robot');
  const { labels, managedFields } = (await own.get(`${home}/secrets/robot-token`)).body.metadata;
  expect(labels).toEqual({ 'kubernetes.io/legacy-token-last-used': expect.stringMatching(/^\d{4}-\d\d-\d\d$/) });
  expect(managedFields).toContainEqual(expect.objectContaining({ manager: 'kube-apiserver', operation: 'Update' }));
  const mark = { metadata: { labels: { 'kubernetes.io/legacy-token-invalid-since': '2026-01-01' } } };
  await own.patch('merge', `${home}/secrets/robot-token`, mark);
  const later = await own.post('/apis/authentication.k8s.io/v1/tokenreviews', { spec: { token } });
  expect(later.body.status.error).toContain('has been marked invalid. Use tokens from the TokenRequest API or');
});

test('tokens are believed by every key that is named, or by the key of the server where none is', async () => {
  const serving = signLeaf(
    createAuthority('a', Date.now()),
    { usage: 'server', commonName: 'a', hosts: ['localhost'] },
    Date.now(),
  );
  const file = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  const [tlsCertFile, tlsPrivateKeyFile] = [file('tls.crt', serving.certificate), file('tls.key', serving.privateKey)];
  const others = ['one.key', 'two.key'].map((name) => keyFile(name, 'P-256'));
  const key = { serviceAccountSigningKeyFile: tlsPrivateKeyFile, serviceAccountKeyFiles: [tlsPrivateKeyFile] };
  await using first = await startTestServer({ listen: false, controllers: [], ...key });
  await apiOf(first).post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'robot' } });
  const { body } = await apiOf(first).post('/api/v1/namespaces/default/serviceaccounts/robot/token', { spec: {} });
  const believes = async (options: ServerOptions) => {
    const signing = { serviceAccountSigningKeyFile: others[0] as string };
    await using server = await startTestServer({ listen: false, controllers: [], ...signing, ...options });
    const spec = { token: body.status.token };
    return (await apiOf(server).post('/apis/authentication.k8s.io/v1/tokenreviews', { spec })).body.status
      .authenticated;
  };
  const anyAccount = { serviceAccountLookup: false };
  expect(await believes({ ...anyAccount, serviceAccountKeyFiles: [...others, tlsPrivateKeyFile] })).toBe(true);
  expect(await believes({ ...anyAccount, serviceAccountKeyFiles: others })).toBeUndefined();
  expect(await believes({ ...anyAccount, tlsCertFile, tlsPrivateKeyFile })).toBe(true);
  // where accounts are looked up, this one is not there
  expect(await believes({ serviceAccountKeyFiles: [tlsPrivateKeyFile] })).toBeUndefined();
});

test('a token Secret for no account, or for an earlier account of that name, goes at once', async () => {
  await api.post(`${team}/serviceaccounts`, { metadata: { name: 'heir' } });
  await api.post(`${team}/secrets`, tokenSecret('for-none', 'missing'));
  const earlier = { 'kubernetes.io/service-account.uid': '00000000-0000-0000-0000-000000000001' };
  await api.post(`${team}/secrets`, tokenSecret('for-the-dead', 'heir', earlier));
  for (const name of ['for-none', 'for-the-dead']) await gone(api, `${team}/secrets/${name}`);
});

test('an account forgets a token Secret that was deleted', async () => {
  const secrets = [{ name: 'keys' }, { name: 'other' }];
  await api.post(`${team}/serviceaccounts`, { metadata: { name: 'keeper' }, secrets });
  await api.post(`${team}/secrets`, tokenSecret('keys', 'keeper'));
  await api.delete(`${team}/secrets/keys`);
  await eventually(async () =>
    expect((await api.get(`${team}/serviceaccounts/keeper`)).body.secrets).toEqual([{ name: 'other' }]),
  );
});
