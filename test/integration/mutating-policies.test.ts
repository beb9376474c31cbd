// Mutating admission policies through the API.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/server/server.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import {
  bindMutatingPolicy,
  bindPolicy,
  matching,
  mutatingBindings,
  mutatingPolicies,
  mutatingPolicy,
  policy,
} from './policies.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false, controllers: [], disableAdmissionPlugins: ['ServiceAccount'] });
  api = apiOf(server);
});
afterAll(() => server.close());

async function home(name: string): Promise<string> {
  const { status } = await api.post('/api/v1/namespaces', { metadata: { name } });
  expect(status).toBe(201);
  return `/api/v1/namespaces/${name}`;
}

const apply = (expression: string) => ({ patchType: 'ApplyConfiguration', applyConfiguration: { expression } });
const patch = (expression: string) => ({ patchType: 'JSONPatch', jsonPatch: { expression } });

/** A policy and its binding, for one namespace. */
async function inForce(name: string, mutations: readonly object[], spec: object = {}): Promise<string> {
  const path = await home(name);
  await mutatingPolicy(api, name, { mutations, ...spec });
  await bindMutatingPolicy(api, name, { namespace: name });
  return path;
}

describe('apply configurations', () => {
  test('are merged by the keys of lists, and defaults are filled in', async () => {
    const sidecar =
      'Object{metadata: Object.metadata{labels: {"mesh": "on"}}, spec: Object.spec{containers: [Object.spec.containers{name: "mesh", image: "mesh/proxy:1", ports: [Object.spec.containers.ports{containerPort: 15001}]}]}}';
    const path = await inForce('sidecar', [apply(sidecar)], {
      matchConstraints: matching('pods'),
      matchConditions: [{ name: 'new', expression: '!object.spec.containers.exists(c, c.name == "mesh")' }],
    });
    const containers = [{ name: 'app', image: 'app:1', env: [{ name: 'A', value: 'b' }] }];
    const { body } = await api.post(`${path}/pods`, {
      metadata: { name: 'p', labels: { app: 'p' } },
      spec: { containers },
    });
    expect(body.metadata.labels).toEqual({ app: 'p', mesh: 'on' });
    expect(body.spec.containers.map(({ name }: { name: string }) => name)).toEqual(['app', 'mesh']);
    expect(body.spec.containers[1]).toMatchObject({
      image: 'mesh/proxy:1',
      imagePullPolicy: 'IfNotPresent',
      terminationMessagePath: '/dev/termination-log',
      ports: [{ containerPort: 15001, protocol: 'TCP' }],
    });
    expect(body.spec.containers[0].env).toEqual([{ name: 'A', value: 'b' }]);
  });

  test.each([
    [
      'atomic',
      'Object{spec: Object.spec{containers: [Object.spec.containers{name: "app", command: ["x"]}]}}',
      'error applying patch: invalid ApplyConfiguration: may not mutate atomic arrays, maps or structs: .spec.containers[0].command',
    ],
    [
      'undeclared',
      'Object{spec: Object.spec{nothing: "x"}}',
      'error applying patch: failed to convert patch object to typed object: .spec.nothing: field not declared in schema',
    ],
    [
      'misnamed',
      'Object{spec: Object.wrong{hostname: "x"}}',
      'type mismatch: unexpected type name "Object.wrong", expected "Object.spec", which matches field name path from root Object type',
    ],
  ])('that are wrong (%s) refuse the request in words', async (name, expression, why) => {
    const path = await inForce(name, [apply(expression)], { matchConstraints: matching('pods') });
    const body = { metadata: { name: 'p' }, spec: { containers: [{ name: 'app', image: 'i' }] } };
    const refused = await api.post(`${path}/pods`, body);
    const message = `policy '${name}' with binding '${name}' denied request: ${why}`;
    expect(refused.body).toMatchObject({
      code: 403,
      reason: 'Invalid',
      message,
      details: { name: 'p', kind: 'pods', causes: [{ message }] },
    });
    await api.patch('merge', `${mutatingPolicies}/${name}`, { spec: { failurePolicy: 'Ignore' } });
    expect((await api.post(`${path}/pods`, body)).status).toBe(201);
  });
});

describe('JSON patches', () => {
  test('are carried out step by step, values of every form among them', async () => {
    const steps =
      '[JSONPatch{op: "test", path: "/data/a", value: "b"}, JSONPatch{op: "add", path: "/metadata/labels", value: {"n": string(object.data.size())}}, JSONPatch{op: "add", path: "/metadata/annotations", value: Object.metadata.annotations{note: "x"}}, JSONPatch{op: "copy", from: "/data/a", path: "/metadata/annotations/" + jsonpatch.escapeKey("c/d")}, JSONPatch{op: "move", from: "/data/a", path: "/data/c"}]';
    const path = await inForce('steps', [patch(steps)]);
    const made = await api.post(`${path}/configmaps`, { metadata: { name: 'a' }, data: { a: 'b' } });
    expect(made.body.data ?? made.body).toEqual({ c: 'b' });
    expect(made.body.metadata).toMatchObject({ labels: { n: '1' }, annotations: { note: 'x', 'c/d': 'b' } });
    const untouched = await api.post(`${path}/configmaps`, { metadata: { name: 'b' }, data: { a: 'other' } });
    expect([untouched.status, untouched.body.data]).toEqual([201, { a: 'other' }]);
  });

  test('that cannot be carried out refuse the request', async () => {
    const path = await inForce('impossible', [patch('[JSONPatch{op: "remove", path: "/data/missing/deeper"}]')]);
    const { body } = await api.post(`${path}/configmaps`, { metadata: { name: 'a' }, data: {} });
    expect(body.message).toMatch(/^policy 'impossible' with binding 'impossible' denied request: JSON Patch: /);
  });

  test('leave the object in its namespace, whoever may write elsewhere', async () => {
    await home('elsewhere');
    for (const [name, change] of [
      ['moved', patch('[JSONPatch{op: "replace", path: "/metadata/namespace", value: "elsewhere"}]')],
      ['moved-too', apply('Object{metadata: Object.metadata{namespace: "elsewhere"}}')],
    ] as const) {
      const path = await inForce(name, [change], { failurePolicy: 'Ignore' });
      const { body } = await api.post(`${path}/configmaps`, { metadata: { name } });
      expect([body.code, body.message]).toEqual([
        400,
        'the namespace of the provided object does not match the namespace sent on the request',
      ]);
      expect((await api.get(`/api/v1/namespaces/elsewhere/configmaps/${name}`)).status).toBe(404);
    }
  });

  test('that make something else of the object are an error of the server', async () => {
    const path = await inForce('nonsense', [patch('[JSONPatch{op: "add", path: "/spec", value: "x"}]')], {
      failurePolicy: 'Ignore',
    });
    const { body } = await api.post(`${path}/configmaps`, { metadata: { name: 'a' } });
    expect([body.code, body.message]).toEqual([
      500,
      'Internal error occurred: strict decoding error: unknown field "spec"',
    ]);
  });
});

test('changes see those before them, parameters, variables and rights; updates are changed too', async () => {
  const path = await home('together');
  await api.post(`${path}/secrets`, { metadata: { name: 'p', labels: { suffix: 'x' } } });
  await mutatingPolicy(api, 'together', {
    paramKind: { apiVersion: 'v1', kind: 'Secret' },
    variables: [{ name: 'label', expression: 'request.operation + "-" + params.metadata.labels.suffix' }],
    mutations: [
      apply('Object{metadata: Object.metadata{labels: {"by": variables.label}}}'),
      patch(
        '[JSONPatch{op: "add", path: "/metadata/labels/again", value: object.metadata.labels.by + (authorizer.requestResource.check("get").allowed() ? "-yes" : "-no")}]',
      ),
    ],
  });
  await bindMutatingPolicy(api, 'together', {
    namespace: 'together',
    spec: { paramRef: { name: 'p', parameterNotFoundAction: 'Deny' } },
  });
  const created = await api.post(`${path}/configmaps`, { metadata: { name: 'a' } });
  expect(created.body.metadata.labels).toEqual({ by: 'CREATE-x', again: 'CREATE-x-yes' });
  const updated = await api.patch('merge', `${path}/configmaps/a`, { data: { a: 'b' } });
  expect(updated.body.metadata.labels).toEqual({ by: 'UPDATE-x', again: 'UPDATE-x-yes' });
});

test('validating policies see what mutating ones made, and plugins of the server see it too', async () => {
  const path = await inForce('order', [apply('Object{metadata: Object.metadata{labels: {"team": "blue"}}}')]);
  await policy(api, 'order', { validations: [{ expression: 'object.metadata.labels.team == "blue"' }] });
  await bindPolicy(api, 'order', { namespace: 'order' });
  expect((await api.post(`${path}/configmaps`, { metadata: { name: 'a' } })).status).toBe(201);
  await api.delete(`${mutatingBindings}/order`);
  expect((await api.post(`${path}/configmaps`, { metadata: { name: 'b' } })).status).toBe(422);
});

test('a policy that may run again sees the changes of later ones, once', async () => {
  const path = await home('again');
  const count = (label: string) =>
    apply(
      `Object{metadata: Object.metadata{labels: {"${label}": string(int(object.metadata.?labels["${label}"].orValue("0")) + 1), "${label}-saw": string(object.metadata.?labels["z-late"].hasValue())}}}`,
    );
  await mutatingPolicy(api, 'a-again', { mutations: [count('a-again')], reinvocationPolicy: 'IfNeeded' });
  await mutatingPolicy(api, 'b-once', { mutations: [count('b-once')], reinvocationPolicy: 'Never' });
  await mutatingPolicy(api, 'z-late', { mutations: [count('z-late')], reinvocationPolicy: 'Never' });
  for (const name of ['a-again', 'b-once', 'z-late']) await bindMutatingPolicy(api, name, { namespace: 'again' });
  const { body } = await api.post(`${path}/configmaps`, { metadata: { name: 'a' } });
  expect(body.metadata.labels).toEqual({
    ...{ 'a-again': '2', 'a-again-saw': 'true', 'b-once': '1', 'b-once-saw': 'false' },
    ...{ 'z-late': '1', 'z-late-saw': 'false' },
  });
});

test('a subresource that shows another kind is changed as that kind', async () => {
  const scale = {
    resourceRules: [
      { apiGroups: ['apps'], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['deployments/scale'] },
    ],
  };
  await inForce(
    'scales',
    [apply('Object{spec: Object.spec{replicas: object.spec.replicas > 3 ? 3 : object.spec.replicas}}')],
    {
      matchConstraints: scale,
    },
  );
  const path = '/apis/apps/v1/namespaces/scales/deployments';
  const template = { metadata: { labels: { a: 'b' } }, spec: { containers: [{ name: 'c', image: 'i' }] } };
  const made = await api.post(path, {
    metadata: { name: 'd' },
    spec: { selector: { matchLabels: { a: 'b' } }, template },
  });
  expect(made.status).toBe(201);
  const scaled = await api.patch('merge', `${path}/d/scale`, { spec: { replicas: 9 } });
  expect(scaled.body).toMatchObject({ kind: 'Scale', spec: { replicas: 3 } });
  expect((await api.get(`${path}/d`)).body.spec.replicas).toBe(3);
});

test('policies that change objects are stored and do nothing with their gate off', async () => {
  const options = { listen: false, controllers: [], disableAdmissionPlugins: ['ServiceAccount'] };
  await using other = await startTestServer({ ...options, featureGates: { MutatingAdmissionPolicy: false } });
  const there = apiOf(other);
  await mutatingPolicy(there, 'idle', { mutations: [apply('Object{metadata: Object.metadata{labels: {"a": "b"}}}')] });
  await bindMutatingPolicy(there, 'idle', { namespace: 'default' });
  const { status, body } = await there.post('/api/v1/namespaces/default/configmaps', { metadata: { name: 'c' } });
  expect(status).toBe(201);
  expect(body.metadata.labels).toBeUndefined();
});
