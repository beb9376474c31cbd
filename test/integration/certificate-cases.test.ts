// The cases that Kubernetes 1.36 itself tests of certificate requests with a server and its controllers, one by one: who may
// approve and sign, which subjects are refused, what is approved without a user, and how long certificates last.

import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { encodedRequest, type RequestParts } from '../../src/testing/certificate-requests.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually, turns } from './eventually.ts';

const requests = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
const rbac = '/apis/rbac.authorization.k8s.io/v1';
const group = 'certificates.k8s.io';
const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

let server: TestServer;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false, clusterSigningDurationSeconds: day });
  api = apiOf(server);
});
afterAll(() => server.close());

interface Asked {
  readonly signerName: string;
  readonly usages?: readonly string[];
  readonly expirationSeconds?: number;
}

async function ask(name: string, spec: Asked, parts: RequestParts = {}, headers: Record<string, string> = {}) {
  const usages = ['digital signature', 'key encipherment'];
  const object = { metadata: { name }, spec: { usages, request: encodedRequest(parts), ...spec } };
  const type = { 'content-type': 'application/json' };
  return api.call('POST', requests, JSON.stringify(object), { ...type, ...headers });
}

let users = 0;
/** A user who may do this, and nothing else. */
async function userWith(...rules: readonly object[]): Promise<Record<string, string>> {
  const name = `user-${++users}`;
  await api.post(`${rbac}/clusterroles`, { metadata: { name }, rules });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const { status } = await api.post(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef,
    subjects: [{ kind: 'User', name }],
  });
  expect(status).toBe(201);
  return { 'impersonate-user': name, 'content-type': 'application/merge-patch+json' };
}

describe.each([
  ['approve', 'approval', { conditions: [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by a test' }] }],
  ['sign', 'status', { conditions: [{ type: 'Failed', status: 'True', reason: 'Test', message: 'by a test' }] }],
])('the right to %s', (verb, part, status) => {
  test.each([
    ['of the signer', 'example.com/something', true],
    ['of all signers of a domain', 'example.com/*', true],
    ['of another signer', 'example.com/not-something', false],
  ])('%s', async (_, resourceName, isEnough) => {
    const name = `${verb}-${users}`;
    expect((await ask(name, { signerName: 'example.com/something' })).status).toBe(201);
    const writes = {
      apiGroups: [group],
      resources: [`certificatesigningrequests/${part}`],
      verbs: ['update', 'patch'],
    };
    const user = await userWith(writes, {
      apiGroups: [group],
      resources: ['signers'],
      resourceNames: [resourceName],
      verbs: [verb],
    });
    const { status: code, body } = await api.call(
      'PATCH',
      `${requests}/${name}/${part}`,
      JSON.stringify({ status }),
      user,
    );
    const refusal = `certificatesigningrequests.certificates.k8s.io "${name}" is forbidden: user not permitted to ${verb} requests with signerName "example.com/something"`;
    expect([code, body.message]).toEqual(isEnough ? [200, undefined] : [403, refusal]);
  });
});

test.each([
  ['system:masters', 403, 'use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed'],
  ['system:admins', 201, undefined],
])('a client certificate for the group %s: %i', async (organization, status, why) => {
  const name = `group-${status}`;
  const made = await ask(
    name,
    { signerName: 'kubernetes.io/kube-apiserver-client' },
    { organizations: [organization] },
  );
  const message =
    why === undefined ? undefined : `certificatesigningrequests.certificates.k8s.io "${name}" is forbidden: ${why}`;
  expect([made.status, made.body.message]).toEqual([status, message]);
});

test.each([
  [
    'of the node itself, which may renew',
    'kubernetes.io/kube-apiserver-client-kubelet',
    'system:node:one',
    'selfnodeclient',
    true,
  ],
  ['of a user who may ask for nodes', 'kubernetes.io/kube-apiserver-client-kubelet', 'not-the-cn', 'nodeclient', true],
  [
    'that only looks like one of a node',
    'kubernetes.io/kube-apiserver-client',
    'system:node:two',
    'selfnodeclient',
    false,
  ],
])('a request %s', async (_, signerName, user, right, isApproved) => {
  const name = `auto-${user.replaceAll(':', '-')}`;
  const create = { apiGroups: [group], resources: ['certificatesigningrequests'], verbs: ['create'] };
  const approved = { apiGroups: [group], resources: [`certificatesigningrequests/${right}`], verbs: ['create'] };
  await api.post(`${rbac}/clusterroles`, { metadata: { name }, rules: [create, approved] });
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  await api.post(`${rbac}/clusterrolebindings`, {
    metadata: { name },
    roleRef,
    subjects: [{ kind: 'User', name: user }],
  });
  const usages = ['digital signature', 'key encipherment', 'client auth'];
  const commonName = user.startsWith('system:') ? user : 'system:node:other';
  const subject = { commonName, organizations: ['system:nodes'] };
  expect((await ask(name, { signerName, usages }, subject, { 'impersonate-user': user })).status).toBe(201);
  const conditions = async () => (await api.get(`${requests}/${name}`)).body.status.conditions;
  if (isApproved) await eventually(async () => expect(await conditions()).toMatchObject([{ type: 'Approved' }]));
  else {
    await turns();
    expect(await conditions()).toBeUndefined();
  }
});

describe('how long a certificate lasts', () => {
  const signerName = 'kubernetes.io/kube-apiserver-client';
  const usages = ['client auth'];
  /** Certificates that were asked for with a time, and those that got it. */
  const counted = async () => {
    const text = await (await server.fetch('/metrics')).text();
    return ['requested', 'honored'].map((what) => {
      const name = `apiserver_certificates_registry_csr_${what}_duration_total`;
      return Number(text.match(new RegExp(`^${name}\\{signerName="${signerName}"\\} (\\d+)$`, 'm'))?.[1] ?? 0);
    });
  };

  test.each([
    ['nothing asked', undefined, day],
    ['what the server gives', day, day],
    ['more than that', 2 * day, day],
    ['a little less', 20 * hour, 20 * hour],
    ['less', 10 * hour, 10 * hour],
    // short ones begin earlier on top, so that clocks may differ
    ['a short time', 2 * hour, 2 * hour + 5 * minute],
    ['a very short time', 30 * minute, 35 * minute],
    ['the shortest time', 10 * minute, 15 * minute],
  ])('%s', async (_, expirationSeconds, expected) => {
    const before = await counted();
    const name = `lasts-${expirationSeconds ?? 'default'}`;
    const made = await ask(name, {
      signerName,
      usages,
      ...(expirationSeconds === undefined ? {} : { expirationSeconds }),
    });
    expect(made.status).toBe(201);
    const conditions = [{ type: 'Approved', status: 'True', reason: 'Test', message: 'by a test' }];
    await api.patch('merge', `${requests}/${name}/approval`, { status: { conditions } });
    const certificate = await eventually(async () => {
      const { certificate: encoded } = (await api.get(`${requests}/${name}`)).body.status;
      return new X509Certificate(Buffer.from(encoded, 'base64'));
    });
    const seconds = (Date.parse(certificate.validTo) - Date.parse(certificate.validFrom)) / 1000;
    expect(Math.abs(seconds - expected)).toBeLessThanOrEqual(1);
    const isAsked = expirationSeconds !== undefined;
    const isHonored = isAsked && expirationSeconds <= day;
    const grown = (await counted()).map((count, at) => count - (before[at] as number));
    expect(grown).toEqual([isAsked ? 1 : 0, isHonored ? 1 : 0]);
  });

  test.each([599, 180, -420])('%i seconds are too short', async (expirationSeconds) => {
    const { status, body } = await ask('short', { signerName, usages, expirationSeconds });
    const why = `spec.expirationSeconds: Invalid value: ${expirationSeconds}: may not specify a duration less than 600 seconds (10 minutes)`;
    expect([status, body.message]).toEqual([
      422,
      `CertificateSigningRequest.certificates.k8s.io "short" is invalid: ${why}`,
    ]);
  });
});

test('requests are selected by their signer, in lists and in watches', async () => {
  for (const [name, at] of [
    ['csr-1', 1],
    ['csr-2', 2],
    ['csr-3', 2],
  ] as const)
    expect((await ask(name, { signerName: `example.com/signer-${at}` })).status).toBe(201);
  const selected = async (at: number) => {
    const selector = encodeURIComponent(`spec.signerName=example.com/signer-${at}`);
    const { items } = (await api.get(`${requests}?fieldSelector=${selector}`)).body;
    return items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  };
  expect(await Promise.all([1, 2].map(selected))).toEqual([['csr-1'], ['csr-2', 'csr-3']]);

  const { resourceVersion } = (await api.get(`${requests}/csr-1`)).body.metadata;
  const watched = `${requests}?watch=1&fieldSelector=metadata.name%3Dcsr-1&resourceVersion=${resourceVersion}`;
  const { body } = await server.fetch(watched);
  const reader = (body as ReadableStream<Uint8Array>).getReader();
  await api.patch('merge', `${requests}/csr-2`, { metadata: { annotations: { seen: 'false' } } });
  await api.patch('merge', `${requests}/csr-1`, { metadata: { annotations: { seen: 'true' } } });
  const event = JSON.parse(Buffer.from((await reader.read()).value ?? []).toString());
  expect([event.type, event.object.metadata.name, event.object.metadata.annotations]).toEqual([
    ...['MODIFIED', 'csr-1'],
    { seen: 'true' },
  ]);
  await reader.cancel();
});
