// Objects that are stored while the part of the server that would act on them is missing: clients and the log are told.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { signingRequest } from './manifests.ts';

interface Line {
  readonly fields: object;
  readonly message: string;
}

const logOf = (lines: Line[]) => ({
  info() {},
  warn: (fields: object, message: string) => void lines.push({ fields, message }),
  error() {},
});
const warned = ({ headers }: Answer) => headers.get('warning');
const header = (text: string) => `299 - "${text}"`;

const signing = 'this server stores certificate signing requests but does not sign any for its built-in signers yet';

const hook = {
  name: 'h.example.com',
  clientConfig: { url: 'https://127.0.0.1/' },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
};
const apiService = (service?: object) => ({
  metadata: { name: `v1.${service ? 'remote' : 'local'}.example.com` },
  spec: {
    group: `${service ? 'remote' : 'local'}.example.com`,
    version: 'v1',
    groupPriorityMinimum: 1,
    versionPriority: 1,
    ...(service && { service, insecureSkipTLSVerify: true }),
  },
});
const csr = (name: string, signerName: string) => ({
  metadata: { name },
  spec: { request: Buffer.from(signingRequest).toString('base64'), signerName, usages: ['client auth'] },
});

describe('in the dialect of Kubernetes', () => {
  const lines: Line[] = [];
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer({ listen: false, controllers: [], log: logOf(lines) });
    api = apiOf(server);
  });
  afterAll(() => server.close());

  const registration = '/apis/admissionregistration.k8s.io/v1';
  const certificates = '/apis/certificates.k8s.io/v1/certificatesigningrequests';
  const metadata = { name: 'x' };

  test.each<[string, object, string]>([
    [certificates, csr('a', 'kubernetes.io/kube-apiserver-client'), signing],
    [certificates, csr('b', 'kubernetes.io/kubelet-serving'), signing],
  ])('a create of %s is stored with a warning and a line in the log', async (path, body, text) => {
    lines.length = 0;
    const dry = await api.post(`${path}?dryRun=All`, body);
    expect([dry.status, warned(dry), lines]).toEqual([201, null, []]);
    const created = await api.post(path, body);
    expect([created.status, warned(created)]).toEqual([201, header(text)]);
    const { kind, metadata: made } = created.body;
    expect(lines).toEqual([{ fields: { kind, name: made.name }, message: text }]);
    const changed = await api.patch('merge', `${path}/${made.name}`, { metadata: { labels: { a: 'b' } } });
    expect([changed.status, warned(changed), lines.length]).toEqual([200, null, 1]);
  });

  test('an apply that creates says so too, one that changes does not', async () => {
    const { metadata, spec } = csr('applied', 'kubernetes.io/kube-apiserver-client');
    const path = `${certificates}/${metadata.name}?fieldManager=m`;
    const body = { apiVersion: 'certificates.k8s.io/v1', kind: 'CertificateSigningRequest', spec };
    const apply = (labels: object) =>
      api.call('PATCH', path, JSON.stringify({ ...body, metadata: { ...metadata, labels } }), {
        'content-type': 'application/apply-patch+yaml',
      });
    const created = await apply({});
    expect([created.status, warned(created)]).toEqual([201, header(signing)]);
    const changed = await apply({ a: 'b' });
    expect([changed.status, warned(changed)]).toEqual([200, null]);
  });

  test.each<[string, string, object]>([
    ['an API of this server', '/apis/apiregistration.k8s.io/v1/apiservices', apiService()],
    [
      'an API of another server',
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService({ namespace: 'default', name: 's', port: 443 }),
    ],
    ['a request to a signer elsewhere', certificates, csr('c', 'example.com/signer')],
    ['any other object', '/api/v1/namespaces', { metadata: { name: 'other' } }],
  ])('%s is as good as it looks', async (_, path, body) => {
    lines.length = 0;
    const { status, headers } = await api.post(path, body);
    expect([status, headers.get('warning'), lines]).toEqual([201, null, []]);
  });

  test('what is refused is not told of', async () => {
    lines.length = 0;
    const { metadata, spec } = apiService({ namespace: 'default', name: 's', port: 443 });
    const body = { metadata: { ...metadata, name: 'bad' }, spec };
    const { status, headers } = await api.post('/apis/apiregistration.k8s.io/v1/apiservices', body);
    expect([status, headers.get('warning'), lines]).toEqual([422, null, []]);
  });

  test.each(['mutating', 'validating'])(
    'a %s webhook configuration acts, and is stored without a warning',
    async (type) => {
      lines.length = 0;
      const created = await api.post(`${registration}/${type}webhookconfigurations`, { metadata, webhooks: [hook] });
      expect([created.status, warned(created), lines]).toEqual([201, null, []]);
    },
  );
});
