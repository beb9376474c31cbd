// A node joins as `kubeadm join` and the kubelet do it: the same calls in the same order, over the port of the server,
// with the rights that `kubeadm init` gives. Then its certificates are renewed, and what is done with is removed.

import { createHmac, X509Certificate } from 'node:crypto';
import { expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KeyPair } from '../../src/pki/certificates.ts';
import { ellipticKeys, encodedRequest, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { eventually, gone, turns } from './eventually.ts';
import { kubeadmInit, tokenId, tokenSecret } from './kubeadm-init.ts';
import { bearer, type CallOptions, secureCall, whoIs } from './secure-call.ts';

const minute = 60_000;
const [id, secret] = [tokenId, tokenSecret];
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const information = '/api/v1/namespaces/kube-public/configmaps/cluster-info';
const inSystem = '/api/v1/namespaces/kube-system/configmaps';
const nodes = '/api/v1/nodes';

test('a node joins, serves, renews its certificates in time, and leaves nothing behind', async () => {
  const clock = new FakeClock(Date.now());
  await using server = await startTestServer({
    clock,
    enableBootstrapTokenAuth: true,
    controllers: ['*', 'bootstrapsigner', 'tokencleaner'],
    enableAdmissionPlugins: ['NodeRestriction'],
  });
  const api = apiOf(server);
  await kubeadmInit(api);
  const call = async (method: string, path: string, options: CallOptions = {}) =>
    secureCall(server, method, path, options);

  // discovery: anyone may read where the server is, and the token proves that it is right
  const { data } = await eventually(async () => {
    const { status, body } = await call('GET', information);
    expect([status, Object.keys(body.data)]).toEqual([200, expect.arrayContaining([`jws-kubeconfig-${id}`])]);
    return body;
  });
  const [header, between, signature] = data[`jws-kubeconfig-${id}`].split('.');
  const payload = Buffer.from(data.kubeconfig).toString('base64url');
  expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: id });
  expect([between, signature]).toEqual([
    '',
    createHmac('sha256', secret).update(`${header}.${payload}`).digest('base64url'),
  ]);
  const [{ cluster }] = parse(data.kubeconfig).clusters;
  expect(cluster.server).toBe(server.url);
  const authority = new X509Certificate(Buffer.from(cluster['certificate-authority-data'], 'base64'));

  // preflight with the token
  const token = { headers: bearer(`${id}.${secret}`) };
  expect(await whoIs(server, token)).toMatchObject({ username: `system:bootstrap:${id}` });
  for (const name of ['kubeadm-config', 'kubelet-config'])
    expect((await call('GET', `${inSystem}/${name}`, token)).status).toBe(200);
  expect((await call('GET', `${nodes}/n1`, token)).status).toBe(404);
  expect((await call('GET', nodes, token)).status).toBe(403);
  expect((await call('GET', '/api/v1/secrets', token)).status).toBe(403);

  /** Asks as a kubelet does, and waits for the certificate. */
  async function certificateFor(name: string, by: CallOptions, parts: RequestParts, more: object, approve = false) {
    const keys = ellipticKeys();
    const request = encodedRequest({ commonName: 'system:node:n1', organizations: ['system:nodes'], keys, ...parts });
    const body = { metadata: { name }, spec: { request, expirationSeconds: 3600, ...more } };
    const made = await call('POST', requests, { ...by, body });
    expect([made.status, made.body.message]).toEqual([201, undefined]);
    if (approve) {
      const conditions = [{ type: 'Approved', status: 'True', reason: 'Admin', message: 'known machine' }];
      expect((await api.patch('merge', `${requests}/${name}/approval`, { status: { conditions } })).status).toBe(200);
    }
    const encoded = await eventually(async () => {
      const { status } = (await call('GET', `${requests}/${name}`, by)).body;
      expect(status.certificate).toBeTypeOf('string');
      return status.certificate as string;
    });
    const certificate = Buffer.from(encoded, 'base64').toString();
    const pair: KeyPair = {
      certificate,
      privateKey: keys.privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
    };
    expect(new X509Certificate(certificate).verify(authority.publicKey)).toBe(true);
    return pair;
  }
  const client = {
    signerName: 'kubernetes.io/kube-apiserver-client-kubelet',
    usages: ['digital signature', 'client auth'],
  };

  // TLS bootstrap: the token gets a certificate of a node, and with it the rights of that node and no other's
  const first = await certificateFor('node-csr-1', token, {}, client);
  const asNode = { pair: first };
  expect(await whoIs(server, asNode)).toMatchObject({
    username: 'system:node:n1',
    groups: ['system:nodes', 'system:authenticated'],
  });
  const node = (name: string) => ({ metadata: { name, labels: { 'kubernetes.io/hostname': name } } });
  expect((await call('POST', nodes, { ...asNode, body: node('n1') })).status).toBe(201);
  const other = await call('POST', nodes, { ...asNode, body: node('n2') });
  expect([other.status, other.body.message]).toEqual([403, expect.stringContaining('n2')]);
  expect((await call('GET', '/api/v1/secrets', asNode)).status).toBe(403);
  expect((await call('GET', `${inSystem}/kubelet-config`, asNode)).status).toBe(200);

  // a serving certificate waits for a user; a request for another node is refused at once
  const serving = { signerName: 'kubernetes.io/kubelet-serving', usages: ['digital signature', 'server auth'] };
  const names = { hosts: ['n1'], addresses: [Buffer.of(127, 0, 0, 1)] };
  const shown = await certificateFor('serving', asNode, names, serving, true);
  expect(new X509Certificate(shown.certificate).subjectAltName).toBe('DNS:n1, IP Address:127.0.0.1');
  const foreign = encodedRequest({ commonName: 'system:node:n2', organizations: ['system:nodes'] });
  const refused = await call('POST', requests, {
    ...asNode,
    body: { metadata: { name: 'foreign' }, spec: { request: foreign, ...client } },
  });
  expect([refused.status, refused.body.message]).toEqual([
    403,
    expect.stringContaining('can only create a node CSR with CN=system:node:n1'),
  ]);

  // rotation: the node itself asks before the end; after it only the new certificate counts
  clock.advance(50 * minute);
  const second = await certificateFor('node-csr-2', asNode, {}, client);
  const [condition] = (await api.get(`${requests}/node-csr-2`)).body.status.conditions;
  expect(condition.message).toBe('Auto approving self kubelet client certificate after SubjectAccessReview.');
  await turns();
  clock.advance(11 * minute);
  expect(await whoIs(server, asNode)).toBe('401 Unauthorized');
  expect(await whoIs(server, { pair: second })).toMatchObject({ username: 'system:node:n1' });

  // cleaning: an hour after the decision, by the server's clock
  for (const name of ['node-csr-1', 'serving']) await gone(api, `${requests}/${name}`);
  expect((await api.get(`${requests}/node-csr-2`)).status).toBe(200);
  clock.advance(50 * minute);
  await gone(api, `${requests}/node-csr-2`);
});
