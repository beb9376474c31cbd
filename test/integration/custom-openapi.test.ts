// What OpenAPI says of the paths of custom resources: no more than Kubernetes says.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
const group = 'example.com';
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
  const spec = { type: 'object', properties: { replicas: { type: 'integer' }, color: { type: 'string' } } };
  const status = { type: 'object', properties: { replicas: { type: 'integer' } } };
  const version = {
    ...{ name: 'v1', served: true, storage: true },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
    subresources: {
      status: {},
      scale: { specReplicasPath: '.spec.replicas', statusReplicasPath: '.status.replicas' },
    },
    selectableFields: [{ jsonPath: '.spec.color' }],
  };
  await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `apples.${group}` },
    spec: {
      ...{ group, scope: 'Namespaced', versions: [version] },
      names: { plural: 'apples', kind: 'Apple', listKind: 'Orchard' },
    },
  });
  await eventually(async () => expect((await api.get(`/apis/${group}/v1/apples`)).status).toBe(200));
});
afterAll(() => server.close());

const root = `/apis/${group}/v1/namespaces/{namespace}/apples`;

interface Operation {
  readonly consumes: readonly string[];
  readonly produces: readonly string[];
  readonly parameters: readonly { readonly name: string }[];
  readonly responses: Readonly<Record<string, unknown>>;
  readonly requestBody?: { readonly content: object };
  readonly 'x-kubernetes-group-version-kind': object;
}

type Paths = Readonly<Record<string, Readonly<Record<string, Operation>>>>;

async function pathsOf(document: string): Promise<Paths> {
  const { paths } = (await api.get(document)).body;
  return Object.fromEntries(Object.entries(paths as Paths).filter(([path]) => path.includes('apples')));
}

const texts = ['application/json', 'application/yaml'];
const patches = ['application/json-patch+json', 'application/merge-patch+json', 'application/apply-patch+yaml'];

test('paths are those of objects and subresources, without older paths of watches', async () => {
  const wanted = [root, `${root}/{name}`, `${root}/{name}/scale`, `${root}/{name}/status`, `/apis/${group}/v1/apples`];
  for (const document of ['/openapi/v2', `/openapi/v3/apis/${group}/v1`])
    expect(Object.keys(await pathsOf(document)).toSorted()).toEqual(wanted.toSorted());
});

test('neither protobuf nor strategic merge patches are offered', async () => {
  const v2 = await pathsOf('/openapi/v2');
  const v3 = await pathsOf(`/openapi/v3/apis/${group}/v1`);
  expect(JSON.stringify([v2, v3])).not.toMatch(/protobuf|strategic|stream=watch/);
  const object = `${root}/{name}`;
  expect(v2[object]?.['patch']).toMatchObject({ consumes: patches, produces: texts });
  expect(v2[object]?.['put']).toMatchObject({ consumes: texts, produces: texts });
  expect(Object.keys(v3[object]?.['patch']?.requestBody?.content ?? {})).toEqual(patches);
  expect(Object.keys(v2[object]?.['patch']?.responses ?? {})).toEqual(['200', '401']);
});

test('a collection is deleted by the parameters of lists alone', async () => {
  const { delete: operation } = (await pathsOf('/openapi/v2'))[root] ?? {};
  const names = operation?.parameters.map(({ name }) => name);
  expect(names).toContain('labelSelector');
  expect(names).not.toContain('body');
  expect(names).not.toContain('propagationPolicy');
});

test('the scale is about the kind itself', async () => {
  const { get } = (await pathsOf('/openapi/v2'))[`${root}/{name}/scale`] ?? {};
  expect(get?.['x-kubernetes-group-version-kind']).toEqual({ group, version: 'v1', kind: 'Apple' });
});

test('schemas name the fields of selectors, and lists have the name that the definition gives them', async () => {
  const { definitions } = (await api.get('/openapi/v2')).body;
  const selectable = { 'x-kubernetes-selectable-fields': [{ fieldPath: 'spec.color' }] };
  expect(definitions['com.example.v1.Apple']).toMatchObject(selectable);
  expect(definitions['com.example.v1.Orchard']).toMatchObject({
    ...selectable,
    description: 'Orchard is a list of Apple',
    'x-kubernetes-group-version-kind': [{ group, kind: 'Orchard', version: 'v1' }],
  });
});

test('built-in kinds go on offering everything', async () => {
  const { paths } = (await api.get('/openapi/v2')).body;
  const { patch } = paths['/api/v1/namespaces/{namespace}/configmaps/{name}'];
  expect(patch.consumes).toContain('application/strategic-merge-patch+json');
  expect(patch.produces).toContain('application/vnd.kubernetes.protobuf');
  expect(paths).toHaveProperty(['/api/v1/watch/configmaps']);
});
