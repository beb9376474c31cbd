// Certificate requests that are approved get signed, by the rules of their signers, and nothing else does.

import { generateKeyPairSync, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sequence } from '../../src/pki/der.ts';
import { ellipticKeys, encodedRequest, extension, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually, turns } from './eventually.ts';
import { whoIs } from './secure-call.ts';

const group = 'certificates.k8s.io';
const requestsIn = (api = group) => `/apis/${api}/v1/certificatesigningrequests`;
const signer = (name: string) => `kubernetes.io/${name}`;
const node: RequestParts = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const clientUsages = ['digital signature', 'key encipherment', 'client auth'];
const serverUsages = ['digital signature', 'key encipherment', 'server auth'];

async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const clock = new FakeClock(Date.now());
  const server = await startTestServer({ clock, listen: false, ...options });
  return { clock, server, api: apiOf(server), [Symbol.asyncDispose]: () => server.close() };
}

interface Asked {
  readonly signerName: string;
  readonly usages?: readonly string[];
  readonly expirationSeconds?: number;
}

async function ask(
  api: Api,
  name: string,
  { usages = clientUsages, ...more }: Asked,
  parts: RequestParts,
  in_ = group,
) {
  const { status, body } = await api.post(requestsIn(in_), {
    metadata: { name },
    spec: { request: encodedRequest(parts), usages, ...more },
  });
  expect([status, body.message]).toEqual([201, undefined]);
}

async function decide(api: Api, name: string, type: 'Approved' | 'Denied', in_ = group) {
  const path = `${requestsIn(in_)}/${name}/approval`;
  const conditions = [{ type, status: 'True', reason: 'Test', message: 'by a test' }];
  expect((await api.patch('merge', path, { status: { conditions } })).status).toBe(200);
}

const statusOf = async (api: Api, name: string, in_ = group) =>
  (await api.get(`${requestsIn(in_)}/${name}`)).body.status;

const issued = (api: Api, name: string): Promise<X509Certificate> =>
  eventually(async () => {
    const { certificate } = await statusOf(api, name);
    expect(certificate).toBeTypeOf('string');
    return new X509Certificate(Buffer.from(certificate, 'base64'));
  });

describe('an approved request', () => {
  let shared: Awaited<ReturnType<typeof start>>;
  let count = 0;
  beforeAll(async () => {
    shared = await start();
  });
  afterAll(() => shared.server.close());

  /** Asks and approves; the name under which that happened. */
  async function asked(spec: Asked, parts: RequestParts): Promise<string> {
    const name = `asked-${count++}`;
    await ask(shared.api, name, spec, parts);
    await decide(shared.api, name, 'Approved');
    return name;
  }

  test('of a client gets a certificate that the server believes', async () => {
    await using it = await start({ listen: true });
    const { api, server } = it;
    const keys = ellipticKeys();
    await ask(api, 'jane', { signerName: signer('kube-apiserver-client') }, { organizations: ['devs', 'ops'], keys });
    await turns();
    expect(await statusOf(api, 'jane')).toEqual({});
    await decide(api, 'jane', 'Approved');
    const certificate = await issued(api, 'jane');
    expect(certificate.subject).toBe('O=ops + O=devs\nCN=jane');
    const privateKey = keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
    expect(await whoIs(server, { pair: { certificate: certificate.toString(), privateKey } })).toMatchObject({
      username: 'jane',
      groups: expect.arrayContaining(['devs', 'ops', 'system:authenticated']),
    });
  });

  test.each<[string, Asked, RequestParts]>([
    ['a client of a node', { signerName: signer('kube-apiserver-client-kubelet') }, node],
    [
      'a client of a node without key encipherment',
      { signerName: signer('kube-apiserver-client-kubelet'), usages: ['client auth', 'digital signature'] },
      node,
    ],
    [
      'a server on a node',
      { signerName: signer('kubelet-serving'), usages: serverUsages },
      { ...node, hosts: ['n1'], addresses: [Buffer.of(10, 0, 0, 1)] },
    ],
    [
      'a client with odd extensions',
      { signerName: signer('kube-apiserver-client') },
      { extensions: [extension('1.2.3', sequence(), true)] },
    ],
  ])('for %s is signed', async (_, spec, parts) => {
    const certificate = await issued(shared.api, await asked(spec, parts));
    expect(certificate.ca).toBe(false);
    expect(certificate.subject).toContain(`CN=${parts.commonName ?? 'jane'}`);
  });

  test.each<[string, Asked, RequestParts, string]>([
    [
      'kube-apiserver-client',
      { signerName: '', usages: ['client auth', 'server auth'] },
      {},
      'invalid usage for client certificate: server auth',
    ],
    [
      'kube-apiserver-client',
      { signerName: '', usages: ['digital signature'] },
      {},
      'missing required usage for client certificate: client auth',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '' },
      { ...node, organizations: ['a'] },
      'subject organization is not system:nodes',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '' },
      { ...node, organizations: ['system:nodes', 'b'] },
      'subject organization is not system:nodes',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '' },
      { ...node, commonName: 'n1' },
      'subject common name does not begin with system:node:',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '' },
      { ...node, hosts: ['a'] },
      'DNS subjectAltNames are not allowed',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '' },
      { ...node, addresses: [Buffer.alloc(4)] },
      'IP subjectAltNames are not allowed',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '' },
      { ...node, emails: ['a'] },
      'Email subjectAltNames are not allowed',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '' },
      { ...node, uris: ['a'] },
      'URI subjectAltNames are not allowed',
    ],
    [
      'kube-apiserver-client-kubelet',
      { signerName: '', usages: ['client auth'] },
      node,
      'usages did not match [client auth digital signature key encipherment]',
    ],
    ['kubelet-serving', { signerName: '', usages: serverUsages }, node, 'DNS or IP subjectAltName is required'],
    [
      'kubelet-serving',
      { signerName: '', usages: serverUsages },
      { ...node, hosts: ['a'], emails: ['a'] },
      'Email subjectAltNames are not allowed',
    ],
    [
      'kubelet-serving',
      { signerName: '', usages: serverUsages },
      { ...node, hosts: ['a'], uris: ['a'] },
      'URI subjectAltNames are not allowed',
    ],
    [
      'kubelet-serving',
      { signerName: '' },
      { ...node, hosts: ['a'] },
      'usages did not match [digital signature key encipherment server auth]',
    ],
  ])('to %s, %#, that it does not sign is marked as failed', async (name, spec, parts, message) => {
    const made = await asked({ ...spec, signerName: signer(name) }, parts);
    await eventually(async () => {
      const { conditions, certificate } = await statusOf(shared.api, made);
      expect(certificate).toBeUndefined();
      expect(conditions).toMatchObject([
        { type: 'Approved' },
        { type: 'Failed', status: 'True', reason: 'SignerValidationFailure', message },
      ]);
    });
  });

  test('is only logged in the cluster dialect, where key encipherment is required', async () => {
    const warned: object[] = [];
    const log = { info() {}, warn: (fields: object) => void warned.push(fields), error() {} };
    await using it = await start({ dialect: 'cluster', log });
    const api = 'certificates.api.cluster.local';
    const asked = {
      signerName: 'cluster.local/apiserver-client-nodeagent',
      usages: ['client auth', 'digital signature'],
    };
    await ask(it.api, 'asked', asked, node, api);
    await decide(it.api, 'asked', 'Approved', api);
    const why = 'usages did not match [client auth digital signature key encipherment]';
    await eventually(async () => expect(warned).toContainEqual({ request: 'asked', why }));
    expect((await statusOf(it.api, 'asked', api)).conditions).toHaveLength(1);
  });
});

describe('no certificate gets', () => {
  test('a request that is denied, that failed, or that is for another signer', async () => {
    await using it = await start();
    const { api } = it;
    const signerName = signer('kube-apiserver-client');
    for (const name of ['denied', 'failed', 'foreign', 'right'])
      await ask(api, name, { signerName: name === 'foreign' ? 'example.com/x' : signerName }, {});
    const failed = { type: 'Failed', status: 'True', reason: 'No', message: 'by another signer' };
    const path = `${requestsIn()}/failed`;
    expect((await api.patch('merge', `${path}/status`, { status: { conditions: [failed] } })).status).toBe(200);
    const approved = { type: 'Approved', status: 'True', reason: 'Test', message: '' };
    const both = { status: { conditions: [failed, approved] } };
    expect((await api.patch('merge', `${path}/approval`, both)).status).toBe(200);
    await decide(api, 'denied', 'Denied');
    for (const name of ['foreign', 'right']) await decide(api, name, 'Approved');
    await issued(api, 'right');
    await turns();
    for (const name of ['denied', 'failed', 'foreign'])
      expect((await statusOf(api, name)).certificate, name).toBeUndefined();
  });

  test('a request a second time', async () => {
    await using it = await start();
    await ask(it.api, 'asked', { signerName: signer('kube-apiserver-client') }, {});
    await decide(it.api, 'asked', 'Approved');
    const { serialNumber } = await issued(it.api, 'asked');
    await it.api.patch('merge', `${requestsIn()}/asked`, { metadata: { labels: { a: 'b' } } });
    await turns();
    expect((await issued(it.api, 'asked')).serialNumber).toBe(serialNumber);
  });

  test('a request while the controller is off', async () => {
    await using it = await start({ controllers: ['*', '-csrsigning'] });
    await ask(it.api, 'asked', { signerName: signer('kube-apiserver-client') }, {});
    await decide(it.api, 'asked', 'Approved');
    await turns();
    expect((await statusOf(it.api, 'asked')).certificate).toBeUndefined();
  });
});

test('other writers of a request do not keep it from being signed', async () => {
  await using it = await start();
  const names = Array.from({ length: 8 }, (_, index) => `r${index}`);
  for (const name of names)
    await ask(it.api, name, { signerName: signer('kube-apiserver-client') }, { keys: generateKeyPairSync('ed25519') });
  const disturb = (name: string) =>
    Promise.all(
      Array.from({ length: 10 }, (_, index) =>
        it.api.patch('merge', `${requestsIn()}/${name}`, { metadata: { labels: { n: String(index) } } }),
      ),
    );
  await Promise.all(names.flatMap((name) => [decide(it.api, name, 'Approved'), disturb(name)]));
  // a lost race is tried again after a pause
  const done = eventually(async () => {
    it.clock.advance(100);
    for (const name of names) expect((await statusOf(it.api, name)).certificate).toBeTypeOf('string');
  });
  await done;
});

test('a request from before there were signers gets what it asks for, through the API that had it', async () => {
  await using it = await start({ runtimeConfig: { [`${group}/v1beta1/certificatesigningrequests`]: true } });
  const { api } = it;
  const old = requestsIn().replace('/v1/', '/v1beta1/');
  const parts: RequestParts = { commonName: 'any', hosts: ['any.example'], addresses: [Buffer.of(10, 1, 2, 3)] };
  const usages = [...clientUsages, 'server auth'];
  const { status, body } = await api.post(old, {
    metadata: { name: 'old' },
    spec: { request: encodedRequest(parts), usages, expirationSeconds: 7200 },
  });
  expect([status, body.spec?.signerName ?? body]).toEqual([201, signer('legacy-unknown')]);
  await decide(api, 'old', 'Approved');
  const { subject, subjectAltName, keyUsage, validFrom, validTo } = await issued(api, 'old');
  expect([subject, subjectAltName]).toEqual(['CN=any', 'DNS:any.example, IP Address:10.1.2.3']);
  expect([...(keyUsage ?? [])].sort()).toEqual(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']);
  expect(Date.parse(validTo) - Date.parse(validFrom)).toBe((7200 + 300) * 1000);
});
