// Which certificate requests are approved without a user, and what becomes of those that are done with.

import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { encodedRequest, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually, gone, turns } from './eventually.ts';
import { rootCertificate } from './manifests.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const node: RequestParts = { commonName: 'system:node:n1', organizations: ['system:nodes'] };
const usages = ['digital signature', 'key encipherment', 'client auth'];
const hour = 3_600_000;

async function start(options: Parameters<typeof startTestServer>[0] = {}) {
  const clock = new FakeClock(Date.now());
  const server = await startTestServer({ clock, listen: false, ...options });
  const api = apiOf(server);
  const rules = [{ apiGroups: ['certificates.k8s.io'], resources: ['certificatesigningrequests'], verbs: ['create'] }];
  await api.post(`${rbac}/clusterroles`, { metadata: { name: 'asks' }, rules });
  await bind(api, 'askers', 'asks', { kind: 'Group', name: 'askers' });
  return { clock, server, api, [Symbol.asyncDispose]: () => server.close() };
}

async function bind(api: Api, name: string, role: string, subject: object): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const { status } = await api.post(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
    subjects: [{ apiGroup, ...subject }],
  });
  expect(status).toBe(201);
}

interface Asking {
  readonly as?: string;
  readonly parts?: RequestParts;
  readonly signerName?: string;
  readonly usages?: readonly string[];
}

async function ask(api: Api, name: string, asking: Asking = {}): Promise<void> {
  const {
    as = 'system:bootstrap:abcdef',
    parts = node,
    signerName = 'kubernetes.io/kube-apiserver-client-kubelet',
  } = asking;
  const spec = { request: encodedRequest(parts), signerName, usages: asking.usages ?? usages };
  const headers = { 'impersonate-user': as, 'impersonate-group': 'askers', 'content-type': 'application/json' };
  const { status, body } = await api.call('POST', requests, JSON.stringify({ metadata: { name }, spec }), headers);
  expect([status, body.message]).toEqual([201, undefined]);
}

/** Lets a user have certificates approved, by the roles that every cluster has. */
async function allow(api: Api, user: string, kind: 'nodeclient' | 'selfnodeclient'): Promise<void> {
  const role = `system:certificates.k8s.io:certificatesigningrequests:${kind}`;
  await bind(api, `${kind}-${user.replaceAll(':', '-')}`, role, { kind: 'User', name: user });
}

const statusOf = async (api: Api, name: string) =>
  (await api.get(`${requests}/${encodeURIComponent(name)}`)).body.status;
const approved = (api: Api, name: string, message: string) =>
  eventually(async () => {
    const { conditions, certificate } = await statusOf(api, name);
    expect(conditions).toMatchObject([{ type: 'Approved', status: 'True', reason: 'AutoApproved', message }]);
    expect(certificate).toBeTypeOf('string');
  });

const firstMessage = 'Auto approving kubelet client certificate after SubjectAccessReview.';
const renewalMessage = 'Auto approving self kubelet client certificate after SubjectAccessReview.';

describe('a certificate of a node', () => {
  test('is approved and signed for a user who may have it', async () => {
    await using it = await start();
    await allow(it.api, 'joiner', 'nodeclient');
    await ask(it.api, 'first', { as: 'joiner' });
    await approved(it.api, 'first', firstMessage);
  });

  test('is approved for the node itself by the right to renew, and for no other node', async () => {
    await using it = await start();
    await allow(it.api, 'system:node:n1', 'selfnodeclient');
    await ask(it.api, 'own', { as: 'system:node:n1' });
    await approved(it.api, 'own', renewalMessage);
    await ask(it.api, 'foreign', { as: 'system:node:n1', parts: { ...node, commonName: 'system:node:n2' } });
    await turns();
    expect(await statusOf(it.api, 'foreign')).toEqual({});
  });

  test('is approved later, when the right was given later', async () => {
    await using it = await start();
    await ask(it.api, 'early', { as: 'joiner' });
    await turns();
    expect(await statusOf(it.api, 'early')).toEqual({});
    await allow(it.api, 'joiner', 'nodeclient');
    await eventually(async () => {
      it.clock.advance(1000);
      expect((await statusOf(it.api, 'early')).certificate).toBeTypeOf('string');
    });
  });

  test('under a name with odd characters is not mistaken for another', async () => {
    await using it = await start();
    await ask(it.api, 'victim', { as: 'stranger' });
    await allow(it.api, 'joiner', 'nodeclient');
    const odd = 'victim?dryRun=All#ä ö';
    await ask(it.api, odd, { as: 'joiner' });
    await approved(it.api, odd, firstMessage);
    expect(await statusOf(it.api, 'victim')).toEqual({});
  });

  test.each<[string, Asking]>([
    ['with further names', { parts: { ...node, hosts: ['n1'] } }],
    ['with further groups', { parts: { ...node, organizations: ['system:nodes', 'system:masters'] } }],
    ['with further usages', { usages: [...usages, 'server auth'] }],
    ['of a server', { parts: { ...node, hosts: ['n1'] }, signerName: 'kubernetes.io/kubelet-serving' }],
    ['for any client', { signerName: 'kubernetes.io/kube-apiserver-client' }],
  ])('%s is not approved', async (_, asking) => {
    await using it = await start();
    await allow(it.api, 'joiner', 'nodeclient');
    await ask(it.api, 'odd', { as: 'joiner', ...asking });
    await ask(it.api, 'right', { as: 'joiner' });
    await approved(it.api, 'right', firstMessage);
    await turns();
    expect(await statusOf(it.api, 'odd')).toEqual({});
  });
});

test('requests go when they are done with, by the clock of the server', async () => {
  await using it = await start();
  const { api, clock } = it;
  await ask(api, 'pending', { signerName: 'example.com/x' });
  await ask(api, 'pending?odd', { signerName: 'example.com/x' });
  await ask(api, 'denied', { signerName: 'example.com/x' });
  const conditions = [{ type: 'Denied', status: 'True', reason: 'Test', message: '' }];
  await api.patch('merge', `${requests}/denied/approval`, { status: { conditions } });
  await allow(api, 'joiner', 'nodeclient');
  await ask(api, 'issued', { as: 'joiner' });
  await approved(api, 'issued', firstMessage);
  await turns();
  clock.advance(hour - 2000);
  await turns();
  for (const name of ['denied', 'issued']) expect((await api.get(`${requests}/${name}`)).status).toBe(200);
  clock.advance(4000);
  for (const name of ['denied', 'issued']) await gone(api, `${requests}/${name}`);
  expect((await api.get(`${requests}/pending`)).status).toBe(200);
  clock.advance(23 * hour);
  for (const name of ['pending', 'pending%3Fodd']) await gone(api, `${requests}/${name}`);
});

describe('behind its feature gate', () => {
  const beta = { 'certificates.k8s.io/v1beta1': true };
  const bundles = '/apis/certificates.k8s.io/v1beta1/clustertrustbundles';
  const signerName = 'kubernetes.io/kube-apiserver-serving';

  test('the CA of the server is published as a trust bundle, and nothing else under its name', async () => {
    await using it = await start({ runtimeConfig: beta, featureGates: { ClusterTrustBundle: true }, listen: true });
    const { api } = it;
    const old = {
      metadata: { name: `${signerName.replace('/', ':')}:old` },
      spec: { signerName, trustBundle: rootCertificate },
    };
    const ca = (await api.get('/api/v1/namespaces/default/configmaps/kube-root-ca.crt')).body.data?.['ca.crt'];
    expect((await api.post(bundles, old)).status).toBe(201);
    await eventually(async () => {
      const { items } = (await api.get(bundles)).body;
      expect(items).toHaveLength(1);
      const [{ metadata, spec }] = items;
      expect(spec.signerName).toBe(signerName);
      if (ca !== undefined) expect(spec.trustBundle).toBe(ca);
      const digest = createHash('sha256').update(spec.trustBundle).digest('hex').slice(0, 24);
      expect(metadata.name).toBe(`kubernetes.io:kube-apiserver-serving:${digest}`);
    });
  });

  test('requests of pods for certificates go after fifteen minutes', async () => {
    await using it = await start({ runtimeConfig: beta, featureGates: { PodCertificateRequest: true } });
    const { api, clock } = it;
    const path = '/apis/certificates.k8s.io/v1beta1/namespaces/default/podcertificaterequests';
    const identity = {
      podName: 'p',
      podUID: 'u1',
      serviceAccountName: 'default',
      serviceAccountUID: 'u2',
      nodeName: 'n',
      nodeUID: 'u3',
    };
    const der = Buffer.from(
      Buffer.from(encodedRequest(), 'base64')
        .toString()
        .replace(/-----.*-----|\n/g, ''),
      'base64',
    );
    const spec = {
      ...identity,
      signerName: 'example.com/x',
      maxExpirationSeconds: 3600,
      stubPKCS10Request: der.toString('base64'),
    };
    const { status, body } = await api.post(path, { metadata: { name: 'asked' }, spec });
    expect([status, body.message]).toEqual([201, undefined]);
    await turns();
    clock.advance(14 * 60_000);
    await turns();
    expect((await api.get(`${path}/asked`)).status).toBe(200);
    clock.advance(2 * 60_000);
    await gone(api, `${path}/asked`);
  });

  test('neither happens without it', async () => {
    await using it = await start({ runtimeConfig: beta });
    await turns();
    // nor is there an API for it, although its version is turned on
    expect((await it.api.get(bundles)).status).toBe(404);
  });
});
