// The scale of custom resources: patches and configurations that leave the number out, numbers that are none, and what else changes.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
const group = 'example.com';
const path = `/apis/${group}/v1/namespaces/default/crews`;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
  const scale = {
    ...{ specReplicasPath: '.spec.size.replicas', statusReplicasPath: '.status.replicas' },
    labelSelectorPath: '.status.selector',
  };
  const open = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const version = {
    ...{ name: 'v1', served: true, storage: true, subresources: { status: {}, scale } },
    schema: { openAPIV3Schema: { type: 'object', properties: { spec: open, status: open } } },
  };
  await api.post('/apis/apiextensions.k8s.io/v1/customresourcedefinitions', {
    metadata: { name: `crews.${group}` },
    spec: { group, scope: 'Namespaced', names: { plural: 'crews', kind: 'Crew' }, versions: [version] },
  });
  await eventually(async () => expect((await api.get(path)).status).toBe(200));
});

test('a path that leads through something else is told where it ends', async () => {
  const { status, body } = await api.post(path, {
    ...{ apiVersion: `${group}/v1`, kind: 'Crew', metadata: { name: 'odd' } },
    spec: { size: 'x' },
  });
  expect(status).toBe(422);
  expect(body.message).toContain(
    '.spec.size.replicas: Invalid value: 0: .spec.size.replicas accessor error: x is of the type string, expected map[string]interface{}',
  );
});
afterAll(() => server.close());

async function make(name: string, spec: object): Promise<string> {
  const body = { kind: 'Crew', apiVersion: `${group}/v1`, metadata: { name }, spec };
  expect((await api.post(path, body)).status).toBe(201);
  return `${path}/${name}`;
}

const apply = (at: string, spec: object, manager = 'm') =>
  api.call(
    'PATCH',
    `${at}/scale?fieldManager=${manager}`,
    { kind: 'Scale', apiVersion: 'autoscaling/v1', metadata: {}, spec },
    { 'content-type': 'application/apply-patch+yaml' },
  );
const empty = 'the spec replicas field ".spec.size.replicas" cannot be empty';

test('a patch that leaves the number out is refused where there is none, and changes nothing where there is one', async () => {
  const none = await make('none', { other: 1 });
  const refused = await api.patch('merge', `${none}/scale`, { spec: {} });
  expect(refused).toMatchObject({ status: 400, body: { reason: 'BadRequest', message: empty } });
  expect((await api.get(none)).body.spec).toEqual({ other: 1 });
  const some = await make('some', { size: { replicas: 3 } });
  const kept = await api.patch('merge', `${some}/scale`, { spec: {} });
  expect(kept).toMatchObject({ status: 200, body: { spec: { replicas: 3 } } });
  expect((await api.get(some)).body.metadata.generation).toBe(1);
});

test('a number can be set where there was none, by each of the writes', async () => {
  for (const [index, write] of [
    (at: string) => api.patch('merge', `${at}/scale`, { spec: { replicas: 2 } }),
    (at: string) => api.patch('json', `${at}/scale`, [{ op: 'add', path: '/spec/replicas', value: 2 }]),
    (at: string) => api.put(`${at}/scale`, { metadata: { name: at.split('/').at(-1) }, spec: { replicas: 2 } }),
  ].entries()) {
    const at = await make(`set-${index}`, { other: 1 });
    expect(await write(at)).toMatchObject({ status: 200, body: { kind: 'Scale', spec: { replicas: 2 } } });
    const { spec, metadata } = (await api.get(at)).body;
    expect(spec).toEqual({ other: 1, size: { replicas: 2 } });
    expect(metadata.generation).toBe(2);
  }
});

test('a body without a number means none, and so does null', async () => {
  const at = await make('zero', { size: { replicas: 3 } });
  expect((await api.put(`${at}/scale`, { metadata: { name: 'zero' }, spec: {} })).body.spec).toEqual({});
  expect((await api.get(at)).body.spec).toEqual({ size: { replicas: 0 } });
  const bare = await make('bare', {});
  expect((await api.patch('merge', `${bare}/scale`, { spec: { replicas: null } })).status).toBe(200);
  expect((await api.get(bare)).body.spec).toEqual({ size: { replicas: 0 } });
});

test('an apply may say what is there, and changes nothing', async () => {
  const at = await make('applied', { size: { replicas: 3 } });
  expect((await apply(at, { replicas: 3 })).body.spec).toEqual({ replicas: 3 });
  const refused = await apply(at, { replicas: 4 });
  expect(refused.status).toBe(500);
  expect(refused.body.message).toContain('request to convert CR to an invalid group/version: autoscaling/v1');
  expect((await api.get(at)).body.spec).toEqual({ size: { replicas: 3 } });
});

test('numbers that make no sense are told as those of the object', async () => {
  const at = await make('wrong', { size: { replicas: 1 } });
  const negative = await api.patch('merge', `${at}/scale`, { spec: { replicas: -1 } });
  expect(negative).toMatchObject({ status: 422, body: { details: { kind: 'Crew', group } } });
  expect(negative.body.message).toContain('.spec.size.replicas: Invalid value: -1: should be a non-negative integer');
  expect((await api.patch('merge', `${at}/scale`, { spec: { replicas: 2147483648 } })).status).toBe(422);
  expect((await api.patch('merge', `${at}/scale`, { spec: { replicas: 'x' } })).status).toBe(422);
});

test('what is no number or no text cannot be shown, and is told', async () => {
  const at = await make('odd', { size: { replicas: 1 } });
  const status = { status: { replicas: 1, selector: 'a=b' } };
  expect((await api.patch('merge', `${at}/status`, status)).status).toBe(200);
  expect((await api.get(`${at}/scale`)).body.status).toEqual({ replicas: 1, selector: 'a=b' });
  const refused = await api.patch('merge', at, { spec: { size: { replicas: 'x' } } });
  expect(refused.body.message).toContain('.spec.size.replicas accessor error: x is of the type string, expected int64');
  const absent = await make('absent', { size: {} });
  const unshown = await api.get(`${absent}/scale`);
  expect(unshown.status).toBe(500);
  expect(unshown.body.message).toContain('the spec replicas field ".spec.size.replicas" does not exist');
});

test('metadata is not written through the scale, and an older version is a conflict', async () => {
  const at = await make('meta', { size: { replicas: 1 } });
  const { metadata } = (await api.get(`${at}/scale`)).body;
  const change = { metadata: { labels: { a: 'b' }, finalizers: ['x/y'] }, spec: { replicas: 2 } };
  expect((await api.patch('merge', `${at}/scale`, change)).status).toBe(200);
  const { metadata: after } = (await api.get(at)).body;
  expect([after.labels, after.finalizers, after.generation]).toEqual([undefined, undefined, 2]);
  const stale = await api.put(`${at}/scale`, { metadata, spec: { replicas: 3 } });
  expect(stale.status).toBe(409);
});

const ownersOf = async (at: string): Promise<readonly string[]> => {
  const { metadata } = (await api.get(at)).body;
  const entries = (metadata.managedFields ?? []) as readonly Record<string, unknown>[];
  return entries
    .filter(({ fieldsV1 }) => JSON.stringify(fieldsV1).includes('"f:replicas"'))
    .map(({ manager, operation, subresource = '' }) => `${manager} ${operation} ${subresource}`.trim());
};

test('the manager that sets the number through the scale owns it, where another one did before', async () => {
  const at = await make('owned', { size: { replicas: 1 } });
  const patch = (query: string, replicas: number) =>
    api.patch('merge', `${at}/scale?fieldManager=${query}`, { spec: { replicas } });
  expect((await patch('scaler', 3)).status).toBe(200);
  expect(await ownersOf(at)).toEqual(['scaler Update scale']);
  expect((await apply(at, { replicas: 3 }, 'applier')).status).toBe(200);
  expect(await ownersOf(at)).toEqual(['applier Apply scale', 'scaler Update scale']);
  const unowned = await make('unowned', { other: 1 });
  expect((await api.patch('merge', `${unowned}/scale`, { spec: { replicas: 2 } })).status).toBe(200);
  expect(await ownersOf(unowned)).toEqual([]);
  expect((await apply(unowned, { replicas: 2 }, 'applier')).status).toBe(500);
  expect(await ownersOf(unowned)).toEqual([]);
});

test('a table of it has the columns of custom resources', async () => {
  const at = await make('shown', { size: { replicas: 4 } });
  const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io';
  const { columnDefinitions, rows } = (await api.call('GET', `${at}/scale`, undefined, { accept })).body;
  const columns = (columnDefinitions as readonly Record<string, string>[]).map(
    ({ name, type, format }) => `${name} ${type} ${format}`,
  );
  expect(columns).toEqual(['Name string name', 'Desired integer ', 'Available integer ', 'Age date ']);
  expect(rows[0].cells.slice(0, 3)).toEqual(['shown', 4, 0]);
});

test('is named as what it is where a list of metadata is asked for', async () => {
  const at = await make('plain', { size: { replicas: 1 } });
  const accept = 'application/json;as=PartialObjectMetadataList;v=v1;g=meta.k8s.io';
  const scale = await api.get(`${at}/scale`, { accept });
  expect([scale.status, scale.body.message]).toEqual([
    406,
    'you requested PartialObjectMetadataList, but the requested object is not a list (*v1.Scale)',
  ]);
  expect((await api.get(at, { accept })).body.message).toBe('content is not a list');
});

test('a patch of all objects is refused by its form first, then for the name it lacks', async () => {
  const unknown = await server.fetch(path, { method: 'PATCH', headers: { 'content-type': 'text/plain' }, body: '{}' });
  expect(unknown.status).toBe(415);
  const nameless = await api.patch('merge', path, {});
  expect([nameless.status, nameless.body.message]).toEqual([400, 'name must be provided']);
});
