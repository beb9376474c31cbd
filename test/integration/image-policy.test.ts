// ImagePolicyWebhook through the API: a backend over TLS decides which images run.

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { ServerOptions } from '../../src/config/options.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { TlsPeer } from '../../src/testing/tls-peer.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf } from './api.ts';
import { eventually } from './eventually.ts';

const home = '/api/v1/namespaces/default/pods';
const pod = (name: string, image: string) => ({ metadata: { name }, spec: { containers: [{ name: 'c', image }] } });

/** Options of a server that asks `peer`. */
function asking(folder: string, peer: TlsPeer, said: object = {}, group = 'apiserver.config.k8s.io'): ServerOptions {
  const kubeConfigFile = join(folder, 'backend.kubeconfig');
  writeFileSync(kubeConfigFile, peer.kubeconfig({ user: { token: 'from-the-server' }, path: '//images/' }));
  const file = join(folder, 'admission.json');
  const configuration = { imagePolicy: { kubeConfigFile, ...said } };
  const plugins = [{ name: 'ImagePolicyWebhook', configuration }];
  writeFileSync(file, JSON.stringify({ kind: 'AdmissionConfiguration', apiVersion: `${group}/v1`, plugins }));
  return { enableAdmissionPlugins: ['ImagePolicyWebhook'], admissionControlConfigFile: file };
}

/** Allows images of one registry. */
const strict = async () =>
  TlsPeer.open(({ body }) => {
    const { kind, apiVersion, spec } = JSON.parse(body);
    const bad = spec.containers.find(({ image }: { image: string }) => !image.startsWith('good/'));
    const status = bad === undefined ? { allowed: true } : { allowed: false, reason: `${bad.image} is not good` };
    return { kind, apiVersion, status: { ...status, auditAnnotations: { seen: 'yes' } } };
  });

test('pods run images that the backend allows, also those of containers that are added', async () => {
  using folder = new TempFolder();
  await using peer = await strict();
  await using server = await startTestServer({ listen: false, ...asking(folder.path, peer) });
  const api = apiOf(server);
  expect((await api.post(home, pod('a', 'good/x'))).status).toBe(201);
  const refused = await api.post(home, pod('b', 'evil/x'));
  expect([refused.status, refused.body.message]).toEqual([
    403,
    'pods "b" is forbidden: image policy webhook backend denied one or more images: evil/x is not good',
  ]);
  const added = { spec: { ephemeralContainers: [{ name: 'e', image: 'evil/shell' }] } };
  const later = await api.patch('strategic', `${home}/a/ephemeralcontainers`, added);
  expect([later.status, later.body.message]).toEqual([
    403,
    'pods "a" is forbidden: image policy webhook backend denied one or more images: evil/shell is not good',
  ]);
  expect(peer.requests[0]).toMatchObject({ method: 'POST', path: '/images?timeout=30s' });
  expect(peer.requests[0]?.headers.authorization).toBe('Bearer from-the-server');
  expect((await api.post(home, pod('c', 'good/x'))).status).toBe(201);
  expect(peer.requests).toHaveLength(3);
});

test.each([
  [true, 201],
  [false, 403],
])('without a backend, and with defaultAllow %s, a pod gets %i', async (defaultAllow, status) => {
  using folder = new TempFolder();
  const peer = await strict();
  const { port } = peer;
  const options = asking(folder.path, peer, { defaultAllow });
  await peer[Symbol.asyncDispose]();
  const logPath = join(folder.path, 'audit.log');
  const policyFile = join(folder.path, 'policy.json');
  const rules = [
    { level: 'Metadata', resources: [{ group: '', resources: ['pods'] }], omitStages: ['RequestReceived'] },
  ];
  writeFileSync(policyFile, JSON.stringify({ kind: 'Policy', apiVersion: 'audit.k8s.io/v1', rules }));
  await using server = await startTestServer({
    listen: false,
    ...options,
    audit: { policyFile, log: { path: logPath } },
  });
  const made = await apiOf(server).post(home, pod('a', 'good/x'));
  expect(made.status).toBe(status);
  if (!defaultAllow)
    expect(made.body.message).toBe(
      `pods "a" is forbidden: Post "https://127.0.0.1:${port}/images?timeout=30s": dial tcp 127.0.0.1:${port}: connect: connection refused`,
    );
  await eventually(async () => {
    const event = JSON.parse(readFileSync(logPath, 'utf8').trim().split('\n')[0] ?? '');
    const noted = event.annotations?.['imagepolicywebhook.image-policy.k8s.io/failed-open'];
    expect(noted).toBe(defaultAllow ? 'true' : undefined);
  });
});

test('the cluster dialect wants the group of reviews turned on', async () => {
  using folder = new TempFolder();
  await using peer = await strict();
  const options = { listen: false, dialect: 'cluster' } as const;
  const asked = asking(folder.path, peer, {}, 'apiserver.config.api.cluster.local');
  await expect(startTestServer({ ...options, ...asked })).rejects.toThrow(
    'enableAdmissionPlugins: ImagePolicyWebhook needs imagepolicy.api.cluster.local/v1alpha1=true in runtimeConfig',
  );
  const runtimeConfig = { 'imagepolicy.api.cluster.local/v1alpha1': true };
  await using server = await startTestServer({ ...options, ...asked, runtimeConfig });
  const ticket = { 'team.image-policy.api.cluster.local/ticket': '7' };
  const { spec } = pod('a', 'evil/x');
  const marked = { metadata: { name: 'a', annotations: { ...ticket, other: 'x' } }, spec };
  expect((await apiOf(server).post(home, marked)).status).toBe(403);
  expect(JSON.parse(peer.requests[0]?.body ?? '')).toMatchObject({
    apiVersion: 'imagepolicy.api.cluster.local/v1alpha1',
    spec: { containers: [{ image: 'evil/x' }], annotations: ticket, namespace: 'default' },
  });
});

test('Kubernetes accepts the switch of the group', async () => {
  const runtimeConfig = { 'imagepolicy.k8s.io/v1alpha1': true };
  await using server = await startTestServer({ listen: false, runtimeConfig });
  expect((await apiOf(server).get('/apis/imagepolicy.k8s.io/v1alpha1')).status).toBe(404);
});
