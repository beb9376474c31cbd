// Policies whose parameters are custom resources, and policies that change custom resources.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';
import { bindMutatingPolicy, bindPolicy, mutatingPolicy, policy } from './policies.ts';

let server: Awaited<ReturnType<typeof startTestServer>>;
let api: Api;
const group = 'shop.example.com';
const widgets = `/apis/${group}/v1/namespaces/default/widgets`;
const limits = `/apis/${group}/v1/namespaces/default/limits`;

const part = {
  type: 'object',
  properties: { name: { type: 'string' }, color: { type: 'string' } },
  required: ['name'],
};
const keyed = { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': ['name'] };
const widgetSpec = {
  type: 'object',
  properties: { size: { type: 'integer' }, parts: { type: 'array', items: part, ...keyed } },
};
const limitSpec = { type: 'object', properties: { most: { type: 'integer' } } };

async function define(kind: string, plural: string, spec: object): Promise<void> {
  const openAPIV3Schema = { type: 'object', properties: { spec } };
  const { status, body } = await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `${plural}.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', names: { kind, plural } },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema } }],
    },
  });
  expect([status, body.message]).toEqual([201, undefined]);
  const path = `/apis/${group}/v1/namespaces/default/${plural}`;
  await eventually(async () => expect((await api.get(path)).status).toBe(200));
}

beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
  await define('Widget', 'widgets', widgetSpec);
  await define('Limit', 'limits', limitSpec);
});
afterAll(() => server.close());

const rules = {
  resourceRules: [
    { apiGroups: [group], apiVersions: ['v1'], operations: ['CREATE', 'UPDATE'], resources: ['widgets'] },
  ],
};
const widget = (name: string, spec: object) => ({
  apiVersion: `${group}/v1`,
  kind: 'Widget',
  metadata: { name },
  spec,
});

test('parameters may be of a custom kind, selected by labels', async () => {
  const limit = { apiVersion: `${group}/v1`, kind: 'Limit', metadata: { name: 'usual', labels: { for: 'widgets' } } };
  expect((await api.post(limits, { ...limit, spec: { most: 5 } })).status).toBe(201);
  await policy(api, 'sizes', {
    matchConstraints: rules,
    paramKind: { apiVersion: `${group}/v1`, kind: 'Limit' },
    validations: [
      {
        expression: 'object.spec.size <= params.spec.most',
        messageExpression: "'at most ' + string(params.spec.most)",
      },
    ],
  });
  const byLabels = { selector: { matchLabels: { for: 'widgets' } }, parameterNotFoundAction: 'Deny' };
  await bindPolicy(api, 'sizes', { spec: { paramRef: byLabels } });
  const refused = await api.post(widgets, widget('large', { size: 6 }));
  expect(refused.status).toBe(422);
  expect(refused.body.message).toContain('denied request: at most 5');
  expect((await api.post(widgets, widget('small', { size: 5 }))).status).toBe(201);
  await api.delete(`${limits}/usual`);
  const missing = await api.post(widgets, widget('any', { size: 1 }));
  expect(missing.body.message).toContain('no params found for policy binding with `Deny` parameterNotFoundAction');
  await api.delete('/apis/admissionregistration.k8s.io/v1/validatingadmissionpolicybindings/sizes');
});

test('custom resources are changed by their structural schemas: lists are merged by key', async () => {
  const expression = "Object{spec: Object.spec{parts: [Object.spec.parts{name: 'b', color: 'red'}]}}";
  await mutatingPolicy(api, 'colors', {
    matchConstraints: rules,
    mutations: [{ patchType: 'ApplyConfiguration', applyConfiguration: { expression } }],
  });
  await bindMutatingPolicy(api, 'colors');
  const { status, body } = await api.post(widgets, widget('many', { size: 1, parts: [{ name: 'a' }, { name: 'b' }] }));
  expect([status, body.spec]).toEqual([201, { size: 1, parts: [{ name: 'a' }, { name: 'b', color: 'red' }] }]);
});
