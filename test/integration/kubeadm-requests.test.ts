// Each request of `kubeadm join` 1.36 and of the kubelet's TLS bootstrap in the form in which they send it, in their order.
// kubeadm itself and the kubelet's own code were seen to join this way; `joining.test.ts` has the life of a node after it.

import { createHash, createHmac, generateKeyPairSync, type KeyObject, X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KeyPair } from '../../src/pki/certificates.ts';
import { ellipticKeys, encodedRequest } from '../../src/testing/certificate-requests.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { eventually } from './eventually.ts';
import { type GoAnswer, GoClient, type GoCredentials } from './go-client.ts';
import { kubeadmInit, tokenId, tokenSecret } from './kubeadm-init.ts';

const protobuf = 'application/vnd.kubernetes.protobuf';
const information = '/api/v1/namespaces/kube-public/configmaps/cluster-info?timeout=10s';
const inSystem = (name: string) => `/api/v1/namespaces/kube-system/configmaps/${name}?timeout=10s`;
const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const client = 'kubernetes.io/kube-apiserver-client-kubelet';
const serving = 'kubernetes.io/kubelet-serving';

interface Keys {
  readonly publicKey: KeyObject;
  readonly privateKey: KeyObject;
}

let server: TestServer;
let ca = '';
beforeAll(async () => {
  server = await startTestServer({
    enableBootstrapTokenAuth: true,
    controllers: ['*', 'bootstrapsigner', 'tokencleaner'],
    enableAdmissionPlugins: ['NodeRestriction'],
  });
  await kubeadmInit(apiOf(server));
});
afterAll(() => server.close());

const bootstrap = () => ({ ca, token: `${tokenId}.${tokenSecret}` });
const kubeadm = (credentials?: GoCredentials) => new GoClient(server, 'kubeadm', credentials);
const kubelet = (credentials: GoCredentials) => new GoClient(server, 'kubelet', credentials);

/** The name the kubelet gives to its first request: a digest of all that makes the request what it is. */
function digestedName({ publicKey }: Keys, commonName: string, others: readonly string[]): string {
  const hash = createHash('sha512-256');
  const parts = [
    publicKey.export({ type: 'spki', format: 'der' }),
    ...[commonName, ...others].map((one) => Buffer.from(one)),
  ];
  for (const part of parts) hash.update(`${part.toString('base64url')}|`);
  return `node-csr-${hash.digest('base64url')}`;
}

/** Empty until the request is approved and the certificate is there. */
function certificateIn(type: string, { metadata, status }: GoAnswer['body'], uid: string): string {
  expect([type, metadata.uid]).toEqual([expect.stringMatching(/^(ADDED|MODIFIED)$/), uid]);
  const isApproved = status?.conditions?.some((one: { type: string }) => one.type === 'Approved') ?? false;
  return isApproved ? Buffer.from(status.certificate ?? '', 'base64').toString() : '';
}

/** Waits as client-go does: a list that finds out whether the version is served, then a watch that begins with what there is. */
async function certificateOf(by: GoClient, { name, uid }: { name: string; uid: string }): Promise<string> {
  const selector = `fieldSelector=${encodeURIComponent(`metadata.name=${name}`)}`;
  const listed = await by.get(`${requests}?${selector}`);
  expect([listed.status, listed.body.kind, listed.body.items.length]).toEqual([
    200,
    'CertificateSigningRequestList',
    1,
  ]);
  const wanted = `allowWatchBookmarks=true&${selector}&resourceVersionMatch=NotOlderThan&sendInitialEvents=true`;
  let began = false;
  let issued = '';
  for await (const { type, object } of by.watch(`${requests}?${wanted}&timeout=9m3s&timeoutSeconds=543&watch=true`)) {
    if (type === 'BOOKMARK') began ||= object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true';
    else issued = certificateIn(type, object, uid);
    if (began && issued !== '') return issued;
  }
  throw new Error('the watch ended');
}

const pem = ({ privateKey }: Keys) => privateKey.export({ type: 'pkcs8', format: 'pem' }) as string;
const asked = (metadata: object, spec: object) => ({
  kind: 'CertificateSigningRequest',
  apiVersion: 'certificates.k8s.io/v1',
  metadata: metadata as { name?: string },
  spec: spec as { request: string },
});

describe('kubeadm join', () => {
  test('discovers the cluster without knowing it, and again with the CA that it found', async () => {
    using stranger = kubeadm();
    const found = await eventually(async () => {
      const { status, type, body } = await stranger.get(information);
      expect([status, type, body.kind]).toEqual([200, protobuf, 'ConfigMap']);
      expect(body.data).toHaveProperty(`jws-kubeconfig-${tokenId}`);
      return body.data as Record<string, string>;
    });
    const [header = '', detached, signature] = (found[`jws-kubeconfig-${tokenId}`] as string).split('.');
    expect(JSON.parse(Buffer.from(header, 'base64url').toString())).toEqual({ alg: 'HS256', kid: tokenId });
    const signed = `${header}.${Buffer.from(found['kubeconfig'] as string).toString('base64url')}`;
    expect([detached, signature]).toEqual(['', createHmac('sha256', tokenSecret).update(signed).digest('base64url')]);

    // the first cluster of the kubeconfig is taken, and the hash of its CA's key is what the user gave
    const { clusters, contexts, users } = parse(found['kubeconfig'] as string);
    expect([clusters.length, contexts, users, clusters[0].cluster.server]).toEqual([1, null, null, server.url]);
    ca = Buffer.from(clusters[0].cluster['certificate-authority-data'], 'base64').toString();
    const own = Buffer.from(parse(server.kubeconfig).clusters[0].cluster['certificate-authority-data'], 'base64');
    const pin = (one: string | Buffer) =>
      createHash('sha256')
        .update(new X509Certificate(one).publicKey.export({ type: 'spki', format: 'der' }))
        .digest('hex');
    expect(pin(ca)).toBe(pin(own));
    using trusting = kubeadm({ ca });
    expect((await trusting.get(information)).body.data['kubeconfig']).toBe(found['kubeconfig']);
  });

  test('reads its configuration with the token, and nothing else', async () => {
    using joining = kubeadm(bootstrap());
    for (const name of ['kubeadm-config', 'kube-proxy', 'kubelet-config']) {
      const { status, type, body } = await joining.get(inSystem(name));
      expect([status, type, body.metadata.name, Object.values(body.data)]).toEqual([
        ...[200, protobuf, name, ['kind: Configuration']],
      ]);
    }
    const other = await joining.get(inSystem('extension-apiserver-authentication'));
    expect([other.status, other.type, other.body]).toMatchObject([
      ...[403, protobuf],
      { kind: 'Status', reason: 'Forbidden', message: expect.stringContaining(`User "system:bootstrap:${tokenId}"`) },
    ]);
    // no such node is what kubeadm wants to hear; it must be able to tell it from a refusal
    const { status, body } = await joining.get('/api/v1/nodes/n1?timeout=10s');
    expect([status, body.kind, body.reason, body.details]).toMatchObject([
      ...[404, 'Status', 'NotFound'],
      { name: 'n1', kind: 'nodes' },
    ]);
    expect((await joining.get('/api/v1/nodes?timeout=10s')).status).toBe(403);
  });

  test.each([
    ['another secret', `${tokenId}.0000000000000000`],
    ['another id', `zzzzzz.${tokenSecret}`],
    ['no dot', 'abcdef0123456789abcdef'],
  ])('is told 401 for a token with %s, as a Status', async (_, token) => {
    using joining = kubeadm({ ca, token });
    const { status, type, body } = await joining.get(inSystem('kubeadm-config'));
    expect([status, type, body.reason]).toEqual([401, protobuf, 'Unauthorized']);
  });
});

describe('the kubelet', () => {
  const keys = ellipticKeys();
  const usages = ['digital signature', 'client auth'];
  const subject = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
  const name = digestedName(keys, subject.commonName, [...subject.organizations, ...usages]);
  let node: KeyPair;
  let made: { name: string; uid: string };

  test('waits for the server, asks for its first certificate, and gets it', async () => {
    using starting = kubelet(bootstrap());
    expect(await starting.get('/healthz?timeout=1s')).toMatchObject({ status: 200, body: 'ok' });
    const request = encodedRequest({ ...subject, keys });
    const { status, type, body } = await starting.create(
      requests,
      asked({ name }, { request, usages, signerName: client }),
    );
    expect([status, type, body.metadata?.name]).toEqual([201, protobuf, name]);
    expect(body.spec.username).toBe(`system:bootstrap:${tokenId}`);
    made = body.metadata;
    const certificate = await certificateOf(starting, made);
    node = { certificate, privateKey: pem(keys) };
    expect(new X509Certificate(certificate).verify(new X509Certificate(ca).publicKey)).toBe(true);
  });

  test('finds its request again after a restart: the same name, subject, signer and key', async () => {
    using starting = kubelet(bootstrap());
    const request = encodedRequest({ ...subject, keys });
    const again = await starting.create(requests, asked({ name }, { request, usages, signerName: client }));
    expect([again.status, again.body.reason]).toEqual([409, 'AlreadyExists']);
    const { status, body } = await starting.get(`${requests}/${name}`);
    expect([status, body.metadata.uid, body.spec.signerName]).toEqual([200, made.uid, client]);
    expect(await certificateOf(starting, made)).toBe(node.certificate);
  });

  test('registers its node, and kubeadm marks it with the socket of the runtime', async () => {
    using running = kubelet({ ca, pair: node });
    const labels = { 'kubernetes.io/hostname': 'n1', 'kubernetes.io/os': 'linux' };
    const registered = await running.create('/api/v1/nodes', {
      kind: 'Node',
      apiVersion: 'v1',
      metadata: { name: 'n1', labels },
    });
    expect([registered.status, registered.body.metadata.name]).toEqual([201, 'n1']);
    // kubeadm uses the kubelet's credentials for it: a get, and a patch of what is different
    using marking = kubeadm({ ca, pair: node });
    expect((await marking.get('/api/v1/nodes/n1?timeout=10s')).body.metadata.labels).toEqual(labels);
    const annotations = { 'kubeadm.alpha.kubernetes.io/cri-socket': 'unix:///run/containerd/containerd.sock' };
    const patched = await marking.patch('/api/v1/nodes/n1?timeout=10s', { metadata: { annotations } });
    expect([patched.status, patched.type, patched.body.metadata.annotations]).toEqual([200, protobuf, annotations]);
    await apiOf(server).post('/api/v1/nodes', { metadata: { name: 'n2' } });
    expect((await marking.patch('/api/v1/nodes/n2?timeout=10s', { metadata: { annotations } })).status).toBe(403);
    expect((await marking.get(inSystem('kubelet-config'))).status).toBe(200);
  });

  test.each([
    ['an elliptic key', () => ellipticKeys(), usages],
    [
      'an RSA key',
      () => generateKeyPairSync('rsa', { modulusLength: 2048 }),
      ['digital signature', 'key encipherment', 'client auth'],
    ],
  ])('rotates its certificate with %s', async (_, generate, wanted) => {
    using running = kubelet({ ca, pair: node });
    const fresh = generate();
    const request = encodedRequest({ ...subject, keys: fresh });
    const { status, body } = await running.create(
      requests,
      asked({ generateName: 'csr-' }, { request, usages: wanted, signerName: client, expirationSeconds: 86_400 }),
    );
    expect([status, body.metadata.name]).toEqual([201, expect.stringMatching(/^csr-[a-z0-9]{5}$/)]);
    const certificate = await certificateOf(running, body.metadata);
    using rotated = kubelet({ ca, pair: { certificate, privateKey: pem(fresh) } });
    expect((await rotated.get('/api/v1/nodes/n1')).status).toBe(200);
  });

  test('gets a serving certificate for its names when a user approves', async () => {
    using running = kubelet({ ca, pair: node });
    const fresh = ellipticKeys();
    const names = { hosts: ['n1'], addresses: [Buffer.of(127, 0, 0, 1)] };
    const request = encodedRequest({ ...subject, ...names, keys: fresh });
    const spec = { request, usages: ['digital signature', 'server auth'], signerName: serving };
    const { status, body } = await running.create(requests, asked({ generateName: 'csr-' }, spec));
    expect([status, body.status?.conditions]).toEqual([201, undefined]);
    const waiting = certificateOf(running, body.metadata);
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Known', message: 'a machine of ours' }];
    const path = `${requests}/${body.metadata.name}/approval`;
    expect((await apiOf(server).patch('merge', path, { status: { conditions } })).status).toBe(200);
    expect(new X509Certificate(await waiting).subjectAltName).toBe('DNS:n1, IP Address:127.0.0.1');
  });
});
