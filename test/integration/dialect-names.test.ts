// No name of Kubernetes in any answer of the cluster dialect: documents, objects of every kind that clients, controllers and
// admission have written, errors, warnings, tokens, certificates, metrics.

import { X509Certificate } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { servedPart } from '../../src/config/runtime-config.ts';
import { builtInGroups } from '../../src/groups/catalog.ts';
import { cluster } from '../../src/meta/dialect.ts';
import type { ResourceDefinition } from '../../src/schema/resource.ts';
import { startTestServer, type TestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { credentialsOf } from './credentials.ts';
import { eventually, gone } from './eventually.ts';
import { manifestOf } from './manifests.ts';

/** Fields of Node objects, names of feature gates and of formats, and what a client's own file is called, are the same in every dialect. */
const shared =
  /^(kubelet(ConfigKey|Endpoint|Version)|kubeProxyVersion|(jws-)?kubeconfig.*|k8s(short|long)name|\w*Kube(let|Proxy)\w*|kube-api-access-\w*)$/;

/** Words with the name of the other product in them. */
/** Certificates are random letters, of which some spell anything. */
const certificates = /-----BEGIN CERTIFICATE-----.*?-----END CERTIFICATE-----/gs;

const leaksIn = (text: string): string[] => [
  ...new Set(
    (text.replace(certificates, '').match(/[\w.:-]*(?:kube|k8s)[\w.:-]*/gi) ?? []).filter((word) => !shared.test(word)),
  ),
];

let server: TestServer;
let api: Api;
const everything = { 'api/all': true };
const featureGates = {
  ...{ ClusterTrustBundle: true, PodCertificateRequest: true, GenericWorkload: true, StorageVersionMigrator: true },
};
beforeAll(async () => {
  server = await startTestServer({ dialect: 'cluster', runtimeConfig: everything, featureGates });
  api = apiOf(server);
});
afterAll(() => server.close());

/** What an answer says in its headers and its body. */
async function answerTo(path: string, init: { method?: string; body?: string; headers?: Record<string, string> } = {}) {
  const response = await server.fetch(path, { method: 'GET', ...init });
  return `${JSON.stringify([...response.headers])}${await response.text()}`;
}

const dialect = cluster();
const kinds = builtInGroups(dialect)
  .flatMap((group) => servedPart(group, everything, featureGates)?.resources ?? [])
  .filter(({ action, verbs }) => action === undefined && verbs.includes('create'));

function collectionOf({ group, version, plural, namespaced }: ResourceDefinition): string {
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${root}${namespaced ? '/namespaces/default' : ''}/${plural}`;
}

const post = (path: string, body: string) =>
  answerTo(path, { method: 'POST', body, headers: { 'content-type': 'application/json' } });

test('namespaces that go, and what they say meanwhile', async () => {
  const path = '/api/v1/namespaces/going';
  await api.post('/api/v1/namespaces', { metadata: { name: 'going' } });
  await api.post(`${path}/configmaps`, configMap('held', {}, { finalizers: ['example.com/x'] }));
  await api.delete(path);
  const told = await eventually(async () => {
    const { body } = await api.get(path);
    expect(body.status.conditions).toHaveLength(5);
    return JSON.stringify(body);
  });
  await api.patch('merge', `${path}/configmaps/held`, { metadata: { finalizers: null } });
  await gone(api, path);
  expect(leaksIn(told)).toEqual([]);
});

test('objects of every kind, as they are created', async () => {
  const odd: Record<string, string[]> = {};
  for (const kind of kinds) {
    const answer = await post(collectionOf(kind), JSON.stringify(manifestOf(kind, dialect)));
    // versions of a kind have their objects in common
    expect(answer).toMatch(/"uid"|"AlreadyExists"/);
    const leaks = leaksIn(answer);
    if (leaks.length > 0) odd[`${kind.group}/${kind.version} ${kind.kind}`] = leaks;
  }
  expect(odd).toEqual({});
});

test('what is wrong with objects of every kind', async () => {
  const odd: Record<string, string[]> = {};
  for (const kind of kinds)
    for (const body of ['{"metadata":{"name":"_","finalizers":["x"]},"odd":1}', '{"spec":[],"webhooks":{}}', '[]']) {
      const leaks = leaksIn(await post(collectionOf(kind), body));
      if (leaks.length > 0) odd[`${kind.kind} ${body}`] = leaks;
    }
  expect(odd).toEqual({});
});

describe('documents', () => {
  test.each([
    ...['/', '/api', '/apis', '/version', '/metrics', '/statusz', '/healthz?verbose', '/livez?verbose'],
    ...['/readyz?verbose', '/openapi/v2', '/.well-known/openid-configuration', '/openid/v1/jwks', '/none'],
  ])('%s', async (path) => {
    expect(leaksIn(await answerTo(path))).toEqual([]);
  });

  test('OpenAPI v3 of every group-version', async () => {
    const paths = Object.keys((await api.get('/openapi/v3')).body.paths);
    const found = await Promise.all(paths.map(async (path) => leaksIn(await answerTo(`/openapi/v3/${path}`))));
    expect(paths.length).toBeGreaterThan(30);
    expect(found.flat()).toEqual([]);
  });

  test('aggregated discovery', async () => {
    const accept = 'application/json;g=apidiscovery.api.cluster.local;v=v2;as=APIGroupDiscoveryList';
    for (const path of ['/api', '/apis']) {
      const answer = await answerTo(path, { headers: { accept } });
      expect([answer.includes('APIGroupDiscoveryList'), leaksIn(answer)]).toEqual([true, []]);
    }
  });
});

test('everything that is stored, as objects and as tables', async () => {
  const { groups } = (await api.get('/apis')).body as { groups: { versions: { groupVersion: string }[] }[] };
  const roots = ['/api/v1', ...groups.flatMap(({ versions }) => versions.map((one) => `/apis/${one.groupVersion}`))];
  const odd: Record<string, string[]> = {};
  let count = 0;
  for (const root of roots) {
    // the server of an APIService that was created above does not answer
    const { resources = [] } = (await api.get(root)).body as { resources?: { name: string; verbs: string[] }[] };
    for (const { name, verbs } of resources) {
      if (name.includes('/') || !verbs.includes('list')) continue;
      for (const accept of ['application/json', 'application/json;as=Table;g=meta.api.cluster.local;v=v1']) {
        const leaks = leaksIn(await answerTo(`${root}/${name}`, { headers: { accept } }));
        if (leaks.length > 0) odd[`${root}/${name}`] = leaks;
        count++;
      }
    }
  }
  expect(count).toBeGreaterThan(100);
  expect(odd).toEqual({});
});

test('tokens, and what is known of their users', async () => {
  const { body } = await api.post('/api/v1/namespaces/default/serviceaccounts/default/token', { spec: {} });
  const claims = Buffer.from(body.status.token.split('.')[1], 'base64url').toString();
  const spec = { token: body.status.token };
  const review = await post('/apis/authentication.api.cluster.local/v1/tokenreviews', JSON.stringify({ spec }));
  expect(claims).toContain('cluster.local');
  expect(review).toContain('"authenticated":true');
  expect([leaksIn(claims), leaksIn(review.replaceAll(body.status.token, ''))]).toEqual([[], []]);
});

test('certificates and the kubeconfig', () => {
  const { ca, cert } = credentialsOf(server.kubeconfig);
  for (const pem of [ca, cert]) {
    const { subject, issuer, subjectAltName = '' } = new X509Certificate(pem);
    expect(leaksIn(`${subject} ${issuer} ${subjectAltName}`)).toEqual([]);
  }
  expect(leaksIn(server.kubeconfig.replaceAll(/[\w+/=]{60,}/g, ''))).toEqual([]);
});

test('the word is found where there is one', async () => {
  const answer = await api.post(configMaps, configMap('named', {}, { labels: { 'kubernetes.io/x': 'y' } }));
  expect(leaksIn(JSON.stringify(answer.body))).toEqual(['kubernetes.io', 'f:kubernetes.io']);
});
