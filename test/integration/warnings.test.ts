// Warnings of kinds through the API: what is in order and still odd is told in headers, and nothing else changes.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { createAuthority } from '../../src/pki/certificates.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({
    listen: false,
    controllers: [],
    disableAdmissionPlugins: ['ServiceAccount'],
    runtimeConfig: { 'networking.k8s.io/v1beta1/ingresses': true },
  });
  api = apiOf(server);
});
afterAll(() => server.close());

const pods = '/api/v1/namespaces/default/pods';
const deployments = '/apis/apps/v1/namespaces/default/deployments';
const labels = { app: 'a' };
const odd = { nodeSelector: { 'beta.kubernetes.io/os': 'linux' }, containers: [{ name: 'c', image: 'i:1' }] };
const deployment = (name: string, spec: object) => ({
  metadata: { name },
  spec: { selector: { matchLabels: labels }, template: { metadata: { labels }, spec } },
});
const advice = (at: string) =>
  `299 - "${at}.nodeSelector[beta.kubernetes.io/os]: deprecated since v1.14; use \\"kubernetes.io/os\\" instead"`;
const warned = ({ headers }: Answer) => headers.get('warning');

test('a create and its dry run say the same', async () => {
  const body = { metadata: { name: 'odd' }, spec: odd };
  const dry = await api.post(`${pods}?dryRun=All`, body);
  const created = await api.post(pods, body);
  expect([dry.status, created.status]).toEqual([201, 201]);
  expect(warned(dry)).toBe(advice('spec'));
  expect(warned(created)).toBe(advice('spec'));
});

test('what stands in an annotation alone is told before a pod is looked at, also where it is refused, and first', async () => {
  const key = 'container.apparmor.security.beta.kubernetes.io/c';
  const told = `299 - "metadata.annotations[${key}]: deprecated since v1.30; use \\"appArmorProfile\\" field instead"`;
  const metadata = { name: 'annotated', annotations: { [key]: 'runtime/default' } };
  const post = (spec: object) => api.post(`${pods}?dryRun=All`, { metadata, spec: { ...odd, ...spec } });
  const early = told.replace('use ', 'use the ');
  expect(warned(await post({}))).toBe(`${early}, ${advice('spec')}`);
  const refused = await post({ restartPolicy: 'Perhaps' });
  expect([refused.status, warned(refused)]).toEqual([422, early]);
  expect(warned(await post({ os: { name: 'windows' } }))).toBe(advice('spec'));
  const template = await api.post(`${deployments}?dryRun=All`, {
    ...deployment('annotated', {}),
    spec: {
      selector: { matchLabels: labels },
      template: {
        metadata: { labels, annotations: metadata.annotations },
        spec: { containers: odd.containers, securityContext: { appArmorProfile: { type: 'Unconfined' } } },
      },
    },
  });
  // a template whose pod says something else in its field is told too, but not where it is refused
  expect([template.status, warned(template)]).toEqual([422, null]);
});

test('what is refused gets no warnings', async () => {
  const answer = await api.post(pods, { metadata: { name: 'bad' }, spec: { ...odd, restartPolicy: 'Perhaps' } });
  expect(answer.status).toBe(422);
  expect(warned(answer)).toBeNull();
});

test('a change of the template is told every way it is written, a change of labels is not', async () => {
  expect(warned(await api.post(deployments, deployment('d', { containers: odd.containers })))).toBeNull();
  const path = `${deployments}/d`;
  expect(warned(await api.patch('merge', path, { spec: { template: { spec: odd } } }))).toBe(
    advice('spec.template.spec'),
  );
  expect(warned(await api.patch('merge', path, { metadata: { labels } }))).toBeNull();
  expect(warned(await api.patch('merge', `${path}/scale`, { spec: { replicas: 3 } }))).toBe(
    advice('spec.template.spec'),
  );
  expect(warned(await api.patch('merge', `${path}/status`, { status: { replicas: 3 } }))).toBeNull();
  const applied = await api.call(
    'PATCH',
    `${deployments}/e?fieldManager=m`,
    {
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      ...deployment('e', odd),
    },
    { 'content-type': 'application/apply-patch+yaml' },
  );
  expect(applied.status).toBe(201);
  expect(warned(applied)).toBe(advice('spec.template.spec'));
});

test('a part says what it has to say', async () => {
  const answer = await api.patch('merge', `${pods}/odd/status`, { status: { podIPs: [{ ip: '2001:DB8::1' }] } });
  expect(answer.status).toBe(200);
  expect(warned(answer)).toBe(
    '299 - "status.podIPs[0].ip: IPv6 address \\"2001:DB8::1\\" should be in RFC 5952 canonical format (\\"2001:db8::1\\")"',
  );
});

test('other versions of a kind say what the stored one says', async () => {
  const answer = await api.post('/apis/networking.k8s.io/v1beta1/namespaces/default/ingresses', {
    metadata: { name: 'i', annotations: { 'kubernetes.io/ingress.class': 'x' } },
    spec: { backend: { serviceName: 's', servicePort: 80 } },
  });
  expect(answer.status, JSON.stringify(answer.body)).toBe(201);
  expect(warned(answer)).toContain(
    `annotation \\"kubernetes.io/ingress.class\\" is deprecated, please use 'spec.ingressClassName' instead`,
  );
});

test('a TLS secret whose certificate cannot be used is stored with a warning', async () => {
  const secrets = '/api/v1/namespaces/default/secrets';
  const base64 = (text: string) => Buffer.from(text).toString('base64');
  const secretOf = (certificate: string, key: string) => ({
    metadata: { name: 'tls' },
    type: 'kubernetes.io/tls',
    data: { 'tls.crt': base64(certificate), 'tls.key': base64(key) },
  });
  const created = await api.post(secrets, secretOf('', ''));
  expect([created.status, warned(created)]).toEqual([
    201,
    '299 - "tls: failed to find any PEM data in certificate input"',
  ]);
  const { certificate, privateKey } = createAuthority('a test', Date.now());
  const updated = await api.put(`${secrets}/tls`, secretOf(certificate, ''));
  expect([updated.status, warned(updated)]).toEqual([200, '299 - "tls: failed to find any PEM data in key input"']);
  expect(warned(await api.put(`${secrets}/tls`, secretOf(certificate, privateKey)))).toBeNull();
});

test('a field name with quotes: escaped in a warning for custom resources, and within it for the others', async () => {
  await using other = await startTestServer({ listen: false });
  const defined = apiOf(other);
  const schema = { openAPIV3Schema: { type: 'object', properties: { spec: { type: 'object' } } } };
  const group = 'warn.example.com';
  const created = await defined.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `things.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { plural: 'things', kind: 'Thing' } },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  });
  expect(created.status).toBe(201);
  const things = `/apis/${group}/v1/namespaces/default/things`;
  await eventually(async () => expect((await defined.get(things)).status).toBe(200));
  const body = { apiVersion: `${group}/v1`, kind: 'Thing', metadata: { name: 'a' }, spec: { 'x"y': 1 } };
  const custom = await defined.post(`${things}?dryRun=All`, body);
  expect([custom.status, warned(custom)]).toEqual([201, '299 - "unknown field \\"spec.x\\"y\\""']);
  const strict = await defined.post(`${things}?fieldValidation=Strict`, body);
  expect([strict.status, strict.body.message]).toEqual([400, expect.stringContaining('unknown field "spec.x"y"')]);
  const builtIn = await api.post(`${pods}?dryRun=All`, { metadata: { name: 'a' }, spec: { ...odd, 'x"y': 1 } });
  expect(warned(builtIn)).toContain('unknown field \\"spec.x\\\\\\"y\\"');
});
