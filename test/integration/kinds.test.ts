// Kinds around services and storage, through the API: what cannot be seen from the rules of a kind alone.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const table = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io' };

describe('an event', () => {
  const core = '/api/v1/namespaces/default/events';
  const newer = '/apis/events.k8s.io/v1/namespaces/default/events';
  const event = {
    kind: 'Event',
    apiVersion: 'events.k8s.io/v1',
    metadata: { name: 'e' },
    eventTime: '2031-01-01T00:00:00.000000Z',
    reportingController: 'a.example/c',
    reportingInstance: 'i',
    action: 'A',
    reason: 'R',
    type: 'Normal',
    regarding: { kind: 'Pod', name: 'p', namespace: 'default' },
    note: 'hello',
  };

  test('is one object in both groups, each with its own fields and selectors', async () => {
    const made = await api.post(newer, event);
    expect(made.status).toBe(201);
    const seen = (await api.get(`${core}/e`)).body;
    expect(seen).toMatchObject({ apiVersion: 'v1', message: 'hello', involvedObject: { name: 'p' } });
    expect(seen.metadata.resourceVersion).toBe(made.body.metadata.resourceVersion);
    expect((await api.get(`${newer}?fieldSelector=regarding.name%3Dp`)).body.items).toHaveLength(1);
    expect((await api.get(`${core}?fieldSelector=involvedObject.name%3Dp`)).body.items).toHaveLength(1);
    expect((await api.get(`${newer}?fieldSelector=involvedObject.name%3Dp`)).status).toBe(400);
    const [row] = (await api.get(newer, table)).body.rows;
    expect(row.cells).toContain('pod/p');
  });

  test('that is invalid is refused in the words of the core group', async () => {
    const { body } = await api.post(newer, { ...event, metadata: { name: 'bad' }, type: 'Loud' });
    expect(body.details).toMatchObject({ kind: 'Event', name: 'bad', causes: [{ field: 'type' }] });
    expect(body.details).not.toHaveProperty('group');
  });

  test('changes only as a series', async () => {
    await api.post(newer, { ...event, metadata: { name: 'more' } });
    const series = { count: 2, lastObservedTime: '2031-01-01T00:10:00.000000Z' };
    expect((await api.patch('merge', `${newer}/more`, { series })).body.series).toEqual(series);
    expect((await api.patch('merge', `${newer}/more`, { note: 'x' })).status).toBe(422);
    expect((await api.patch('merge', `${core}/more`, { message: 'x' })).status).toBe(200);
  });
});

describe('components', () => {
  test('are made for each request, with a warning', async () => {
    const { body, headers } = await api.get('/api/v1/componentstatuses');
    expect(headers.get('warning')).toBe('299 - "v1 ComponentStatus is deprecated in v1.19+"');
    expect(body).toMatchObject({ kind: 'ComponentStatusList', apiVersion: 'v1', metadata: {} });
    const names = body.items.map((item: { metadata: { name: string } }) => item.metadata.name);
    expect(names).toEqual(['controller-manager', 'etcd-0', 'scheduler']);
    const one = (await api.get('/api/v1/componentstatuses/etcd-0')).body;
    expect(one).toEqual({
      kind: 'ComponentStatus',
      apiVersion: 'v1',
      metadata: { name: 'etcd-0' },
      conditions: [{ type: 'Healthy', status: 'True', message: 'ok' }],
    });
    const none = (await api.get('/api/v1/componentstatuses/none')).body;
    expect([none.code, none.message]).toEqual([404, 'componentstatus "none" not found']);
    expect(none.details).toEqual({ name: 'none', kind: 'componentstatus' });
    expect((await api.post('/api/v1/componentstatuses', {})).status).toBe(405);
  });

  test('can be selected and shown as a table', async () => {
    const path = '/api/v1/componentstatuses?fieldSelector=metadata.name%3Detcd-0';
    const { rows, columnDefinitions } = (await api.get(path, table)).body;
    expect(columnDefinitions.map(({ name }: { name: string }) => name)).toEqual(['Name', 'Status', 'Message', 'Error']);
    expect(rows.map(({ cells }: { cells: unknown[] }) => cells)).toEqual([['etcd-0', 'Healthy', 'ok', '']]);
  });
});

test('endpoints come with a warning, and the metrics remember who was asked for', async () => {
  const { headers } = await api.get('/api/v1/namespaces/default/endpoints');
  expect(headers.get('warning')).toContain('use discovery.k8s.io/v1 EndpointSlice');
  const metrics = (await api.get('/metrics')).body as string;
  expect(metrics).toMatch(/^apiserver_requested_deprecated_apis\{.*resource="endpoints".*\} 1$/m);
});

describe('a request for endpoints that comes to nothing', () => {
  const path = '/api/v1/namespaces/default/endpoints';
  const accept = (type: string) => ({ accept: type });
  const sent = (type: string) => ({ 'content-type': type });
  const merge = 'application/merge-patch+json';
  test.each<[boolean, number, string, string, string | undefined, Record<string, string>]>([
    [false, 406, 'GET', path, undefined, accept('text/plain')],
    [false, 406, 'GET', `${path}/a`, undefined, accept('application/*')],
    [false, 406, 'GET', `${path}?watch=1`, undefined, accept('text/plain')],
    [false, 406, 'POST', path, '{}', accept('text/plain')],
    [false, 406, 'PUT', `${path}/a`, '{}', accept('text/plain')],
    [false, 406, 'PATCH', `${path}/a`, '{}', { ...sent(merge), ...accept('text/plain') }],
    [false, 406, 'DELETE', `${path}/a`, undefined, accept('text/plain')],
    [false, 415, 'PATCH', `${path}/a`, '{}', sent('application/json')],
    [false, 415, 'PATCH', `${path}/a`, '{}', sent(merge.toUpperCase())],
    [false, 415, 'PATCH', `${path}/a`, '{}', { ...sent('text/plain'), ...accept('text/plain') }],
    [false, 405, 'POST', `${path}/a`, '{}', {}],
    [false, 404, 'GET', `${path}/a/status`, undefined, {}],
    [true, 406, 'GET', `${path}/a`, undefined, accept('application/json;as=Table;v=v9;g=meta.k8s.io')],
    [true, 415, 'POST', path, '{}', sent('text/plain')],
    [true, 415, 'PUT', `${path}/a`, '{}', sent('text/plain')],
    [true, 415, 'PATCH', `${path}/a`, '{}', sent(`${merge}, text/plain`)],
    [true, 415, 'DELETE', `${path}/a`, '{}', sent('text/plain')],
    [true, 400, 'POST', path, '{', {}],
    [true, 404, 'GET', `${path}/a`, undefined, {}],
  ])('warned %s: %i for %s %s %s %j', async (warns, status, method, url, body, headers) => {
    const answer = await api.call(method, url, body, headers);
    expect(answer.status).toBe(status);
    expect(answer.headers.has('warning')).toBe(warns);
  });

  test('says what its path has', async () => {
    const offered = async (url: string) => (await api.get(url, accept('text/html'))).body.message.split(': ').at(-1);
    const objects = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
    const events = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';
    expect(await offered(`${path}/a`)).toBe(objects);
    expect(await offered(path)).toBe(`${objects}, ${events}`);
    expect(await offered('/api/v1/watch/namespaces/default/endpoints/a')).toBe(`${objects}, ${events}`);
    expect(await offered('/api/v1/namespaces/default/pods/a/log')).toBe(`text/plain, ${objects}`);
    expect((await api.get('/api/v1/namespaces/default/pods/a/log', accept('text/plain'))).status).toBe(406);
  });
});

test('the time of a new phase of a volume is noted', async () => {
  const volumes = '/api/v1/persistentvolumes';
  const spec = { capacity: { storage: '1Gi' }, accessModes: ['ReadWriteOnce'], hostPath: { path: '/x' } };
  const made = (await api.post(volumes, { kind: 'PersistentVolume', apiVersion: 'v1', metadata: { name: 'v' }, spec }))
    .body;
  expect(made.status).toEqual({ phase: 'Pending', lastPhaseTransitionTime: expect.stringMatching(/^\d{4}-/) });
  const written = await api.put(`${volumes}/v/status`, { ...made, status: { phase: 'Available' } });
  expect(written.body.status.lastPhaseTransitionTime).toMatch(/^\d{4}-/);
  expect((await api.delete(`${volumes}/v`)).body.kind).toBe('PersistentVolume');
});

test('a change of labels is a new generation of a slice of endpoints', async () => {
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const slice = {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name: 's' },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['192.0.2.1'], deprecatedTopology: { a: 'b' } }],
    ports: [{ port: 80 }],
  };
  const made = (await api.post(slices, slice)).body;
  expect(made.endpoints).toEqual([{ addresses: ['192.0.2.1'], conditions: {} }]);
  expect(made.ports).toEqual([{ name: '', protocol: 'TCP', port: 80 }]);
  const labelled = await api.patch('merge', `${slices}/s`, { metadata: { labels: { a: 'b' } } });
  expect([made.metadata.generation, labelled.body.metadata.generation]).toEqual([1, 2]);
});

test('classes of the system are not deleted by name', async () => {
  const classes = '/apis/scheduling.k8s.io/v1/priorityclasses';
  const { status, body } = await api.delete(`${classes}/system-node-critical`);
  expect([status, body.message]).toEqual([
    403,
    'priorityclasses.scheduling.k8s.io "system-node-critical" is forbidden: this is a system priority class and cannot be deleted',
  ]);
});

test('who migrates what is stored says so in the status of a definition', async () => {
  const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const version = { name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } };
  const names = { plural: 'pears', kind: 'Pear' };
  const made = await api.post(definitions, {
    kind: 'CustomResourceDefinition',
    apiVersion: 'apiextensions.k8s.io/v1',
    metadata: { name: 'pears.a.example' },
    spec: { group: 'a.example', scope: 'Cluster', names, versions: [version] },
  });
  expect(made.body.status.storedVersions).toEqual(['v1']);
  const written = await api.patch('merge', `${definitions}/pears.a.example/status`, {
    status: { storedVersions: ['v0', 'v1'] },
  });
  expect([written.status, written.body.status.storedVersions]).toEqual([200, ['v0', 'v1']]);
  const changed = await api.patch('merge', `${definitions}/pears.a.example`, { metadata: { labels: { a: 'b' } } });
  expect([changed.status, changed.body.details?.causes?.[0]?.field]).toEqual([422, 'status.storedVersions[0]']);
});
