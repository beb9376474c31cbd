// Custom resources over the API: a definition is served moments after it was made, and goes with its objects.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { expectNoWait } from '../../src/testing/processor-time.ts';
import { type Answer, type Api, apiOf } from './api.ts';
import { eventually, gone } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

function definition(plural: string, kind: string, { group = 'example.com', names = {}, ...spec }: Options = {}) {
  return {
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { plural, kind, ...names },
      versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: open } }],
      ...spec,
    },
  };
}

interface Options {
  readonly group?: string;
  readonly names?: object;
  readonly scope?: string;
  readonly versions?: readonly object[];
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
  readonly message: string;
}

const conditionsOf = ({ body }: Answer): readonly Condition[] => body.status?.conditions ?? [];
const reasonsOf = (answer: Answer) =>
  Object.fromEntries(conditionsOf(answer).map(({ type, status, reason }) => [type, `${status} ${reason}`]));

/** The definition once a condition has the wanted status. */
function until(name: string, type: string, status = 'True'): Promise<Answer> {
  return eventually(async () => {
    const answer = await api.get(`${definitions}/${name}`);
    expect(conditionsOf(answer)).toContainEqual(expect.objectContaining({ type, status }));
    return answer;
  });
}

async function established(...given: Parameters<typeof definition>): Promise<void> {
  const body = definition(...given);
  expect((await api.post(definitions, body)).status).toBe(201);
  await until(body.metadata.name, 'Established');
}

test('a new definition has no names and no conditions in its answer, and gets both', async () => {
  const names = { shortNames: ['ap'], categories: ['fruit'] };
  const created = await api.post(definitions, definition('apples', 'Apple', { names }));
  expect(created.body.metadata.finalizers).toBeUndefined();
  expect(created.body.status).toEqual({
    acceptedNames: { kind: '', plural: '' },
    conditions: null,
    storedVersions: ['v1'],
  });
  const answer = await until('apples.example.com', 'Established');
  expect(reasonsOf(answer)).toEqual({ NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' });
  expect(answer.body.status.acceptedNames).toEqual({
    ...{ plural: 'apples', singular: 'apple', kind: 'Apple', listKind: 'AppleList' },
    ...names,
  });
});

test('its objects are served by the time it says that it is established', async () => {
  const apiVersion = 'example.com/v1';
  const pears = '/apis/example.com/v1/namespaces/default/pears';
  await expectNoWait(1000, async () => {
    await established('pears', 'Pear');
    const created = await api.post(pears, { kind: 'Pear', apiVersion, metadata: { name: 'a' }, spec: { size: 1 } });
    expect(created.status).toBe(201);
  });
  expect((await api.get(`${pears}/a`)).body.spec).toEqual({ size: 1 });
  expect((await api.get(pears)).body.kind).toBe('PearList');
  expect((await api.patch('merge', `${pears}/a`, { spec: { size: 2 } })).body.metadata.generation).toBe(2);
  const discovered = (await api.get('/apis/example.com/v1')).body.resources.map(({ name }: { name: string }) => name);
  expect(discovered).toContain('pears');
  expect((await api.delete(`${pears}/a`)).status).toBe(200);
});

describe('names', () => {
  test('that another definition of the group has are refused, one reason each, and free ones are taken', async () => {
    const group = 'names.example.com';
    await established('ones', 'One', { group, names: { shortNames: ['o'] } });
    const second = definition('twos', 'Two', { group, names: { singular: 'one', shortNames: ['o', 'ones', 't'] } });
    await api.post(definitions, second);
    const answer = await until('twos.names.example.com', 'NamesAccepted', 'False');
    expect(conditionsOf(answer).find(({ type }) => type === 'NamesAccepted')).toMatchObject({
      reason: 'ShortNamesConflict',
      message: '["o" is already in use, "ones" is already in use]',
    });
    expect(reasonsOf(answer)['Established']).toBe('False NotAccepted');
    expect(answer.body.status.acceptedNames).toEqual({ plural: 'twos', kind: 'Two', listKind: 'TwoList' });
    expect((await api.get('/apis/names.example.com/v1/twos')).status).toBe(404);
    expect((await api.get('/apis/names.example.com/v1/ones')).status).toBe(200);
  });

  test('go to the definition that waits for them once the other one is gone', async () => {
    await api.delete(`${definitions}/ones.names.example.com`);
    const answer = await until('twos.names.example.com', 'Established');
    expect(reasonsOf(answer)).toEqual({ NamesAccepted: 'True NoConflicts', Established: 'True InitialNamesAccepted' });
    expect((await api.get('/apis/names.example.com/v1/twos')).status).toBe(200);
  });

  test('of kinds are told apart from those of resources', async () => {
    const group = 'kinds.example.com';
    await established('ones', 'One', { group });
    await api.post(definitions, definition('twos', 'One', { group, names: { singular: 'two', listKind: 'TwoList' } }));
    expect(reasonsOf(await until('twos.kinds.example.com', 'NamesAccepted', 'False'))).toMatchObject({
      NamesAccepted: 'False KindConflict',
    });
  });
});

test('a definition in a reserved group says whether it was approved', async () => {
  const approved = async (plural: string, annotation: string) => {
    const body = definition(plural, plural.toUpperCase(), { group: 'new.k8s.io' });
    const annotations = { 'api-approved.kubernetes.io': annotation };
    await api.post(definitions, { ...body, metadata: { ...body.metadata, annotations } });
    const answer = await until(`${plural}.new.k8s.io`, 'Established');
    const found = conditionsOf(answer).find(({ type }) => type === 'KubernetesAPIApprovalPolicyConformant');
    return found && [found.status, found.reason, found.message];
  };
  const url = 'https://example.com/1';
  expect(await approved('goods', url)).toEqual(['True', 'ApprovedAnnotation', `approved in ${url}`]);
  expect(await approved('bads', 'unapproved, for a test')).toEqual([
    'False',
    'UnapprovedAnnotation',
    'not approved: "unapproved, for a test"',
  ]);
});

describe('deleting a definition', () => {
  const path = `${definitions}/plums.going.example.com`;
  const plums = '/apis/going.example.com/v1/namespaces/default/plums';
  const plum = (name: string, finalizers: readonly string[] = []) => ({
    ...{ kind: 'Plum', apiVersion: 'going.example.com/v1', metadata: { name, finalizers } },
  });

  test('marks it, deletes its objects, and waits for those that are held', async () => {
    await established('plums', 'Plum', { group: 'going.example.com' });
    await api.post(plums, plum('free'));
    await api.post(plums, plum('held', ['example.com/hold']));
    const deleted = await api.delete(path);
    expect(deleted.body.kind).toBe('CustomResourceDefinition');
    expect(deleted.body.metadata).toMatchObject({
      finalizers: ['customresourcecleanup.apiextensions.k8s.io'],
      generation: 1,
    });
    expect(reasonsOf(deleted)['Terminating']).toBe('True InstanceDeletionPending');
    await gone(api, `${plums}/free`);
    expect(reasonsOf(await api.get(path))['Terminating']).toBe('True InstanceDeletionInProgress');
    expect((await api.get(`${plums}/held`)).body.metadata.deletionTimestamp).toBeDefined();
  });

  test('meanwhile no object can be made, and discovery names no verb that writes', async () => {
    const refused = await api.post(plums, plum('late'));
    expect([refused.status, refused.body.message]).toEqual([
      403,
      'plums.going.example.com "late" is forbidden: create not allowed while custom resource definition is terminating',
    ]);
    const [resource] = (await api.get('/apis/going.example.com/v1')).body.resources;
    expect([...resource.verbs].sort()).toEqual(['delete', 'deletecollection', 'get', 'list', 'watch']);
    expect((await api.patch('merge', `${plums}/held`, { spec: { a: 1 } })).status).toBe(200);
  });

  test('ends when the last object goes, with the path and the watches on it', async () => {
    const response = await server.fetch(`${plums}?watch=1`);
    await api.patch('merge', `${plums}/held`, { metadata: { finalizers: null } });
    const text = await response.text();
    const events = text
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(events.map(({ type }) => type)).toEqual(['ADDED', 'DELETED', 'ERROR']);
    await gone(api, path);
    await gone(api, plums);
    expect((await api.get('/apis/going.example.com')).status).toBe(404);
  });

  test('one that was never established goes at once', async () => {
    await established('ones', 'One', { group: 'never.example.com' });
    await api.post(definitions, definition('twos', 'One', { group: 'never.example.com' }));
    await until('twos.never.example.com', 'NamesAccepted', 'False');
    await api.delete(`${definitions}/twos.never.example.com`);
    await gone(api, `${definitions}/twos.never.example.com`);
  });
});

describe('objects of custom resources', () => {
  const group = 'all.example.com';
  const figs = (namespace: string) => `/apis/${group}/v1/namespaces/${namespace}/figs`;
  const fig = (name: string, metadata: object = {}) => ({
    ...{ kind: 'Fig', apiVersion: `${group}/v1`, metadata: { name, ...metadata } },
  });

  test('may have finalizers without a domain, and go with their owners', async () => {
    await established('figs', 'Fig', { group });
    const owner = (await api.post(figs('default'), fig('owner'))).body;
    const { kind, apiVersion, metadata } = owner;
    const ownerReferences = [{ kind, apiVersion, name: 'owner', uid: metadata.uid }];
    expect((await api.post(figs('default'), fig('owned', { ownerReferences }))).status).toBe(201);
    expect((await api.post(figs('default'), fig('plain', { finalizers: ['plain.example.com'] }))).status).toBe(201);
    await api.delete(`${figs('default')}/owner`);
    await gone(api, `${figs('default')}/owned`);
  });

  test('count against a quota, and go with their namespace', async () => {
    await api.post('/api/v1/namespaces', { metadata: { name: 'orchard' } });
    await api.post('/api/v1/namespaces/orchard/resourcequotas', {
      metadata: { name: 'few' },
      spec: { hard: { [`count/figs.${group}`]: '1' } },
    });
    const quota = '/api/v1/namespaces/orchard/resourcequotas/few';
    await eventually(async () => expect((await api.get(quota)).body.status?.hard).toBeDefined());
    expect((await api.post(figs('orchard'), fig('one'))).status).toBe(201);
    expect((await api.post(figs('orchard'), fig('two'))).status).toBe(403);
    await api.delete('/api/v1/namespaces/orchard');
    await gone(api, '/api/v1/namespaces/orchard');
    expect((await api.get(figs('orchard'))).body.items).toEqual([]);
  });

  test('are held to a changed schema from the next request on', async () => {
    const path = `${definitions}/figs.${group}`;
    const spec = { type: 'object', properties: { size: { type: 'integer', maximum: 3 } } };
    const schema = { openAPIV3Schema: { type: 'object', properties: { spec } } };
    const versions = [{ name: 'v1', served: true, storage: true, schema }];
    expect((await api.patch('merge', path, { spec: { versions } })).status).toBe(200);
    expect((await api.post(figs('default'), { ...fig('large'), spec: { size: 4 } })).status).toBe(422);
    const pruned = await api.post(figs('default'), { ...fig('small'), spec: { size: 3, odd: 1 } });
    expect([pruned.status, pruned.body.spec]).toEqual([201, { size: 3 }]);
  });

  test('are read in a version that is no longer the stored one', async () => {
    const schema = { openAPIV3Schema: open };
    const versions = ['v1', 'v2'].map((name) => ({ name, served: name === 'v2', storage: name === 'v2', schema }));
    expect((await api.patch('merge', `${definitions}/figs.${group}`, { spec: { versions } })).status).toBe(200);
    expect((await api.get(`${figs('default')}/small`)).status).toBe(404);
    const newer = await api.get(`/apis/${group}/v2/namespaces/default/figs/small`);
    expect([newer.status, newer.body.apiVersion, newer.body.spec]).toEqual([200, `${group}/v2`, { size: 3 }]);
    expect((await api.get(`${definitions}/figs.${group}`)).body.status.storedVersions).toEqual(['v1', 'v2']);
  });
});

test('a definition never takes the place of what is built in', async () => {
  const annotations = { 'api-approved.kubernetes.io': 'unapproved' };
  const claim = async (plural: string, kind: string, group: string, versions: readonly string[]) => {
    const schema = { openAPIV3Schema: open };
    const body = definition(plural, kind, {
      group,
      versions: versions.map((name, index) => ({ name, served: true, storage: index === 0, schema })),
    });
    await api.post(definitions, { ...body, metadata: { ...body.metadata, annotations } });
    await until(body.metadata.name, 'Established');
  };
  await claim('leases', 'Lease', 'coordination.k8s.io', ['v1', 'v9']);
  const lease = { kind: 'Lease', apiVersion: 'coordination.k8s.io/v1', metadata: { name: 'mine' }, spec: { odd: 1 } };
  const stored = await api.post('/apis/coordination.k8s.io/v1/namespaces/default/leases', lease);
  expect([stored.status, stored.body.spec]).toEqual([201, {}]);
  expect((await api.get('/apis/coordination.k8s.io/v9/namespaces/default/leases')).body.items).toEqual([]);
  await claim('customresourcedefinitions', 'Fake', 'apiextensions.k8s.io', ['v9']);
  expect((await api.get('/apis/apiextensions.k8s.io/v9/customresourcedefinitions')).status).toBe(404);
  expect((await api.delete(`${definitions}/customresourcedefinitions.apiextensions.k8s.io`)).status).toBe(200);
  await gone(api, `${definitions}/customresourcedefinitions.apiextensions.k8s.io`);
  expect((await api.get(definitions)).body.items.length).toBeGreaterThan(3);
});

test('versions are ordered as clients expect, whatever the order of the definition', async () => {
  const schema = { openAPIV3Schema: open };
  const names = ['v1beta1', 'v2', 'v1', 'v1alpha1'];
  const versions = names.map((name) => ({ name, served: true, storage: name === 'v1', schema }));
  await established('many', 'Many', { group: 'order.example.com', versions });
  const { preferredVersion, versions: shown } = (await api.get('/apis/order.example.com')).body;
  expect(preferredVersion.version).toBe('v2');
  expect(shown.map(({ version }: { version: string }) => version)).toEqual(['v2', 'v1', 'v1beta1', 'v1alpha1']);
});

test('definitions that are stored are served before a new server is ready', async () => {
  const store = openMemoryStore();
  const first = await startTestServer({ listen: false, store });
  await apiOf(first).post(definitions, definition('olds', 'Old'));
  await eventually(async () => expect((await apiOf(first).get('/apis/example.com/v1/olds')).status).toBe(200));
  await using second = await startTestServer({ listen: false, store, controllers: [] });
  expect((await apiOf(second).get('/apis/example.com/v1/olds')).status).toBe(200);
  await first.close();
});
