// What a new cluster begins with, compared with what a fresh kube-apiserver 1.36.4 holds.

import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import type { ApiObject } from '../../src/meta/object.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

/** Without what differs from cluster to cluster, prose, and what controllers fill in. */
const recorded = JSON.parse(
  readFileSync(new URL('../conformance/bootstrap-objects.json', import.meta.url), 'utf8'),
) as Readonly<Record<string, readonly ApiObject[]>>;

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const collections = [
  ['apiservices', '/apis/apiregistration.k8s.io/v1/apiservices'],
  ['clusterroles', '/apis/rbac.authorization.k8s.io/v1/clusterroles'],
  ['clusterrolebindings', '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings'],
  ['roles', '/apis/rbac.authorization.k8s.io/v1/roles'],
  ['rolebindings', '/apis/rbac.authorization.k8s.io/v1/rolebindings'],
  ['flowschemas', '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas'],
  ['prioritylevelconfigurations', '/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations'],
  ['priorityclasses', '/apis/scheduling.k8s.io/v1/priorityclasses'],
] as const;

test('every recorded resource is compared', () => {
  expect(Object.keys(recorded).sort()).toEqual(collections.map(([resource]) => resource).sort());
});

describe.each(collections)('%s', (resource, path) => {
  test('are those of a new cluster', async () => {
    // objects in lists do not say what they are
    const wanted = byKey((recorded[resource] ?? []).map(({ kind: _, apiVersion: __, ...rest }) => rest as ApiObject));
    expect(wanted.size).toBeGreaterThan(0);
    await eventually(async () => {
      const { items } = (await api.get(path)).body as { items: readonly ApiObject[] };
      expect(byKey(items.map((object) => comparable(resource, object)))).toEqual(wanted);
    });
  });
});

test('what a new cluster begins with says who owns its fields', async () => {
  const ownersOf = async (path: string) => {
    const { items } = (await api.get(path)).body as { items: readonly ApiObject[] };
    return items.map(({ metadata: { name, managedFields = [] } }) => [name, managedFields.map(shownOwner)] as const);
  };
  for (const resource of ['clusterrolebindings', 'roles', 'rolebindings']) {
    const owners = await ownersOf(`/apis/rbac.authorization.k8s.io/v1/${resource}`);
    expect(owners.length).toBeGreaterThan(5);
    for (const [name, managers] of owners)
      expect(managers, name).toEqual([expect.stringMatching(/^kube-apiserver Update metadata,(rules|roleRef)/)]);
  }
  const roles = new Map(await ownersOf('/apis/rbac.authorization.k8s.io/v1/clusterroles'));
  expect(roles.get('system:node')).toEqual(['kube-apiserver Update metadata,rules']);
  const collected = 'clusterrole-aggregation-controller Apply rules';
  expect(roles.get('view')).toEqual([collected, 'kube-apiserver Update aggregationRule,metadata']);
  const levels = await ownersOf('/apis/flowcontrol.apiserver.k8s.io/v1/prioritylevelconfigurations');
  const producer = 'api-priority-and-fairness-config-producer-v1 Update metadata,spec';
  expect(levels).toEqual(levels.map(([name]) => [name, [producer]]));
});

function shownOwner(entry: unknown): string {
  const { manager, operation, fieldsV1 } = entry as { manager: string; operation: string; fieldsV1: object };
  const fields = Object.keys(fieldsV1).map((field) => field.slice('f:'.length));
  return `${manager} ${operation} ${fields.sort().join()}`;
}

test('a standard flow schema that is deleted comes back', async () => {
  const path = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas/probes';
  const { uid } = (await api.get(path)).body.metadata;
  expect((await api.delete(path)).status).toBe(200);
  await eventually(async () => {
    const found = await api.get(path);
    expect(found.status).toBe(200);
    expect(found.body.metadata.uid).not.toBe(uid);
  });
});

test('a standard flow schema of an older release goes, unless an administrator changed it', async () => {
  const collection = '/apis/flowcontrol.apiserver.k8s.io/v1/flowschemas';
  const { spec } = (await api.get(`${collection}/global-default`)).body;
  const old = (name: string, untouched: string) => ({
    metadata: { name, annotations: { 'apf.kubernetes.io/autoupdate-spec': untouched } },
    spec,
  });
  expect((await api.post(collection, old('changed', 'false'))).status).toBe(201);
  expect((await api.post(collection, old('untouched', 'true'))).status).toBe(201);
  await eventually(async () => expect((await api.get(`${collection}/untouched`)).status).toBe(404));
  expect((await api.get(`${collection}/changed`)).status).toBe(200);
});

test('a flow schema says whether its priority level exists', async () => {
  const root = '/apis/flowcontrol.apiserver.k8s.io/v1';
  const { spec } = (await api.get(`${root}/flowschemas/global-default`)).body;
  const level = { priorityLevelConfiguration: { name: 'later' } };
  await api.post(`${root}/flowschemas`, { metadata: { name: 'early' }, spec: { ...spec, ...level } });
  const dangling = async () => (await api.get(`${root}/flowschemas/early`)).body.status?.conditions?.[0];
  await eventually(async () =>
    expect(await dangling()).toMatchObject({
      type: 'Dangling',
      status: 'True',
      reason: 'NotFound',
      message:
        'This FlowSchema references the PriorityLevelConfiguration object named "later" but there is no such object',
    }),
  );
  const { spec: size } = (await api.get(`${root}/prioritylevelconfigurations/workload-low`)).body;
  await api.post(`${root}/prioritylevelconfigurations`, { metadata: { name: 'later' }, spec: size });
  await eventually(async () => expect(await dangling()).toMatchObject({ status: 'False', reason: 'Found' }));
});

function byKey(objects: readonly ApiObject[]): ReadonlyMap<string, ApiObject> {
  return new Map(objects.map((object) => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]));
}

function comparable(resource: string, object: ApiObject): ApiObject {
  const { uid: _, resourceVersion: __, creationTimestamp: ___, managedFields: ____, ...metadata } = object.metadata;
  const { description: _____, status, rules, ...rest } = object as ApiObject & Readonly<Record<string, object>>;
  return {
    ...rest,
    metadata,
    // filled from other roles
    ...(rules === undefined || 'aggregationRule' in object ? {} : { rules }),
    // a controller says whether they are available
    ...(status === undefined || resource === 'apiservices' ? {} : { status: withoutTimes(status) }),
  } as ApiObject;
}

function withoutTimes(status: { readonly conditions?: readonly object[] }): object {
  const conditions = status.conditions?.map((condition) => ({ ...condition, lastTransitionTime: undefined }));
  return conditions === undefined ? status : { conditions };
}
