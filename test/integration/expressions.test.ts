// Expressions in objects, through the API: one that could never be answered is refused with the object that holds it.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({
    listen: false,
    controllers: [],
    runtimeConfig: { 'admissionregistration.k8s.io/v1beta1': true, 'resource.k8s.io/v1beta1': true },
  });
  api = apiOf(server);
});
afterAll(() => server.close());

const rule = { operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['pods'] };
const matchConstraints = { resourceRules: [rule] };

const hooks = (expression: string) => ({
  webhooks: [
    {
      name: 'a.b.example',
      clientConfig: { url: 'https://hooks.example' },
      rules: [rule],
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
      matchConditions: [{ name: 'c', expression }],
    },
  ],
});
const checks = (expression: string) => ({ spec: { matchConstraints, validations: [{ expression }] } });
const changes = (expression: string) => ({
  spec: {
    matchConstraints,
    reinvocationPolicy: 'Never',
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  },
});
const selectors = (expression: string) => [{ cel: { expression } }];
const devices = (expression: string) => ({
  devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'c', selectors: selectors(expression) } }] },
});
const olderDevices = (expression: string) => ({
  devices: { requests: [{ name: 'r', deviceClassName: 'c', selectors: selectors(expression) }] },
});

const admission = '/apis/admissionregistration.k8s.io';
const resource = '/apis/resource.k8s.io';
const undeclared = "undeclared reference to 'x' (in container '')\n | x.y\n | ^";

interface Case {
  readonly path: string;
  readonly make: (expression: string) => object;
  readonly right: string;
  readonly at: string;
}

const condition = 'webhooks[0].matchConditions[0].expression';
const check = 'spec.validations[0].expression';
const claim = 'devices.requests[0].exactly.selectors[0].cel.expression';
const device = 'device.attributes["dra.example.com"].model == "a"';

const cases: readonly Case[] = [
  { path: `${admission}/v1/mutatingwebhookconfigurations`, make: hooks, right: "request.name == ''", at: condition },
  { path: `${admission}/v1/validatingwebhookconfigurations`, make: hooks, right: 'object.a == 1', at: condition },
  { path: `${admission}/v1/validatingadmissionpolicies`, make: checks, right: 'has(object.spec)', at: check },
  {
    path: `${admission}/v1/mutatingadmissionpolicies`,
    make: changes,
    right: "Object{metadata: Object.metadata{labels: {'a': 'b'}}}",
    at: 'spec.mutations[0].applyConfiguration.expression',
  },
  {
    path: `${admission}/v1beta1/mutatingadmissionpolicies`,
    make: changes,
    right: 'Object{}',
    at: 'spec.mutations[0].applyConfiguration.expression',
  },
  {
    path: `${resource}/v1/deviceclasses`,
    make: (expression) => ({ spec: { selectors: selectors(expression) } }),
    right: device,
    at: 'spec.selectors[0].cel.expression',
  },
  {
    path: `${resource}/v1/namespaces/default/resourceclaims`,
    make: (expression) => ({ spec: devices(expression) }),
    right: device,
    at: `spec.${claim}`,
  },
  {
    path: `${resource}/v1beta1/namespaces/default/resourceclaims`,
    make: (expression) => ({ spec: olderDevices(expression) }),
    right: device,
    at: `spec.${claim}`,
  },
  {
    path: `${resource}/v1/namespaces/default/resourceclaimtemplates`,
    make: (expression) => ({ spec: { spec: devices(expression) } }),
    right: device,
    at: `spec.spec.${claim}`,
  },
];

describe.each(cases.map((one, index) => [one.path, { ...one, name: `e${index}` }] as const))('%s', (_, one) => {
  const { path, make, right, at, name } = one;
  const body = (expression: string) => ({ metadata: { name }, ...make(expression) });

  test('refuses what cannot be read, and takes what can', async () => {
    const refused = await api.post(path, body('x.y'));
    expect(refused.status).toBe(422);
    expect(refused.body.details.causes).toEqual([
      {
        reason: 'FieldValueInvalid',
        message: `Invalid value: "x.y": compilation failed: ERROR: <input>:1:1: ${undeclared}`,
        field: at,
      },
    ]);
    const other = await api.post(path, body("'text'"));
    expect([other.status, other.body.details.causes]).toEqual([
      422,
      [expect.objectContaining({ field: at, message: expect.stringContaining('must evaluate to ') as string })],
    ]);
    expect((await api.post(path, body(right))).status).toBe(201);
  });
});

test('a change is held to the same', async () => {
  const path = `${admission}/v1/validatingadmissionpolicies`;
  const variables = [{ name: 'n', expression: 'size(object.metadata.name)' }];
  const made = checks('variables.n == 1');
  const created = await api.post(path, { metadata: { name: 'changed' }, spec: { ...made.spec, variables } });
  expect(created.status).toBe(201);
  const patched = await api.patch('merge', `${path}/changed`, { spec: { variables: null } });
  expect([patched.status, patched.body.details.causes[0].field]).toEqual([422, check]);
  const applied = await api.call(
    'PATCH',
    `${path}/changed?fieldManager=m&force=true`,
    { apiVersion: 'admissionregistration.k8s.io/v1', kind: 'ValidatingAdmissionPolicy', ...checks('variables.m == 1') },
    { 'content-type': 'application/apply-patch+yaml' },
  );
  expect([applied.status, applied.body.message]).toEqual([422, expect.stringContaining("undefined field 'm'")]);
  const labelled = await api.patch('merge', `${path}/changed`, { metadata: { labels: { a: 'b' } } });
  expect(labelled.status).toBe(200);
});

test('a selector that could cost too much', async () => {
  const inner =
    'device.attributes.all(a, device.attributes.all(b, device.attributes.all(c, device.attributes.all(d, a == b))))';
  const refused = await api.post(`${resource}/v1/deviceclasses`, {
    metadata: { name: 'expensive' },
    spec: { selectors: selectors(inner) },
  });
  expect(refused.body.details.causes).toEqual([
    {
      reason: 'FieldValueForbidden',
      message: 'Forbidden: too complex, exceeds cost limit',
      field: 'spec.selectors[0].cel.expression',
    },
  ]);
});
