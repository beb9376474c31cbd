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

const webhooks = 'this server stores webhook configurations but does not call webhooks yet';
const policies = 'this server stores admission policies but does not evaluate them yet';
const bindings = 'this server stores bindings of admission policies but does not evaluate the policies yet';
const definitions = 'this server stores definitions of custom resources but does not serve custom resources yet';
const services = 'this server stores APIServices but does not pass requests on to the services they name yet';
const signing = 'this server stores certificate signing requests but does not sign any for its built-in signers yet';

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['configmaps'] };
const matchConstraints = { resourceRules: [rule] };
const hook = {
  name: 'h.example.com',
  clientConfig: { url: 'https://127.0.0.1/' },
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
};
const mutation = {
  patchType: 'JSONPatch',
  jsonPatch: { expression: '[JSONPatch{op: "add", path: "/data", value: {}}]' },
};
const definition = {
  metadata: { name: 'apples.example.com' },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { plural: 'apples', kind: 'Apple' },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }],
  },
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
    [`${registration}/mutatingwebhookconfigurations`, { metadata, webhooks: [hook] }, webhooks],
    [`${registration}/validatingwebhookconfigurations`, { metadata, webhooks: [hook] }, webhooks],
    [
      `${registration}/validatingadmissionpolicies`,
      { metadata, spec: { matchConstraints, validations: [{ expression: 'true' }] } },
      policies,
    ],
    [
      `${registration}/mutatingadmissionpolicies`,
      { metadata, spec: { matchConstraints, reinvocationPolicy: 'Never', mutations: [mutation] } },
      policies,
    ],
    [
      `${registration}/validatingadmissionpolicybindings`,
      { metadata, spec: { policyName: 'x', validationActions: ['Deny'] } },
      bindings,
    ],
    [`${registration}/mutatingadmissionpolicybindings`, { metadata, spec: { policyName: 'x' } }, bindings],
    [
      '/apis/apiregistration.k8s.io/v1/apiservices',
      apiService({ namespace: 'default', name: 's', port: 443 }),
      services,
    ],
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
    const path = `${registration}/mutatingwebhookconfigurations/applied?fieldManager=m`;
    const body = { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'MutatingWebhookConfiguration' };
    const apply = (labels: object) =>
      api.call('PATCH', path, JSON.stringify({ ...body, metadata: { name: 'applied', labels } }), {
        'content-type': 'application/apply-patch+yaml',
      });
    const created = await apply({});
    expect([created.status, warned(created)]).toEqual([201, header(webhooks)]);
    const changed = await apply({ a: 'b' });
    expect([changed.status, warned(changed)]).toEqual([200, null]);
  });

  test.each<[string, string, object]>([
    ['an API of this server', '/apis/apiregistration.k8s.io/v1/apiservices', apiService()],
    ['a request to a signer elsewhere', certificates, csr('c', 'example.com/signer')],
    ['any other object', '/api/v1/namespaces', { metadata: { name: 'other' } }],
  ])('%s is as good as it looks', async (_, path, body) => {
    lines.length = 0;
    const { status, headers } = await api.post(path, body);
    expect([status, headers.get('warning'), lines]).toEqual([201, null, []]);
  });

  test('what is refused is not told of', async () => {
    lines.length = 0;
    const { status, headers } = await api.post(`${registration}/mutatingwebhookconfigurations`, {
      metadata: { name: 'bad' },
      webhooks: [{ ...hook, sideEffects: 'Some' }],
    });
    expect([status, headers.get('warning'), lines]).toEqual([422, null, []]);
  });

  test('a definition of custom resources is told of in the log alone, as Kubernetes answers without a warning', async () => {
    lines.length = 0;
    const created = await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', definition);
    expect([created.status, warned(created)]).toEqual([201, null]);
    const fields = { kind: 'CustomResourceDefinition', name: 'apples.example.com' };
    expect(lines).toEqual([{ fields, message: definitions }]);
  });
});

test('in the dialect of the specification a definition of custom resources comes with a warning', async () => {
  const lines: Line[] = [];
  await using server = await startTestServer({ listen: false, controllers: [], dialect: 'cluster', log: logOf(lines) });
  const path = '/apis/apiextensions.api.cluster.local/v1/customresourcedefinitions';
  const created = await apiOf(server).post(path, definition);
  expect([created.status, warned(created)]).toEqual([201, header(definitions)]);
  expect(lines.map(({ message }) => message)).toEqual([definitions]);
});
