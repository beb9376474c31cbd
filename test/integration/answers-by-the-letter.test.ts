// Answers as Kubernetes 1.36 gives them, down to texts, codes and line ends. Each was compared with a live one.

import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { eventually } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer();
  api = apiOf(server);
});
afterAll(() => server.close());

const pods = '/api/v1/namespaces/default/pods';
const pod = (name: string, metadata: object = {}) => ({
  metadata: { name, ...metadata },
  spec: { containers: [{ name: 'c', image: 'i' }] },
});
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io';
const partial = 'application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io';

describe('the port', () => {
  test('tells a client that speaks HTTP without TLS', async () => {
    const { hostname, port } = new URL(server.url);
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write('GET /api HTTP/1.1\r\nHost: x\r\n\r\n'));
      let heard = '';
      socket.on('data', (part) => {
        heard += part.toString();
      });
      socket.on('close', () => resolve(heard));
      socket.on('error', reject);
    });
    expect(text).toBe('HTTP/1.0 400 Bad Request\r\n\r\nClient sent an HTTP request to an HTTPS server.\n');
  });
});

describe('a path', () => {
  test.each([
    ['/api/v1//namespaces', 404, 'NotFound'],
    ['/api//v1/namespaces', 404, 'NotFound'],
    ['/api/v1/namespaces/default//pods', 404, 'NotFound'],
    ['/apis/apps//v1/deployments', 404, 'NotFound'],
    ['/api/v1/namespaces//pods/x', 400, 'BadRequest'],
    ['/api/v1/namespaces//pods', 200, undefined],
    ['/api/v1/namespaces/default//', 200, undefined],
    ['/apis/apps//', 200, undefined],
    ['/version//', 200, undefined],
  ])('%s is answered %i', async (path, status, reason) => {
    const answer = await api.get(path);
    expect([answer.status, answer.body.reason]).toEqual([status, reason]);
  });

  test.each(['//api/v1/namespaces', '/apis//apps/v1'])('%s leads nowhere', async (path) => {
    expect(await api.get(path)).toMatchObject({ status: 404, body: '404 page not found\n' });
  });

  test.each([
    ['abc', 'time: invalid duration "abc"'],
    ['5', 'time: missing unit in duration "5"'],
    ['1h5x', 'time: unknown unit "x" in duration "1h5x"'],
  ])('with timeout=%s is refused', async (timeout, why) => {
    const { status, body } = await api.get(`${configMaps}?timeout=${timeout}`);
    expect([status, body.message]).toEqual([400, `invalid timeout specified in the request URL - ${why}`]);
  });
});

describe('text', () => {
  test('ends with a newline unless it is indented', async () => {
    await api.post(configMaps, configMap('ends'));
    const ending = async (path: string, headers = {}) => (await (await server.fetch(path, { headers })).text()).at(-1);
    for (const path of [`${configMaps}/ends`, configMaps, `${configMaps}/none`, '/api/v1', '/apis']) {
      expect([path, await ending(path)]).toEqual([path, '\n']);
      expect([path, await ending(`${path}?pretty=1`)]).toEqual([path, '}']);
    }
    expect(await ending(configMaps, { accept: table })).toBe('\n');
    const discovery = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    expect(await ending('/apis', { accept: discovery })).toBe('\n');
    expect(await ending('/apis?pretty=1', { accept: discovery })).toBe('}');
    const version = await (await server.fetch('/version')).text();
    expect(version).toBe(JSON.stringify(JSON.parse(version), undefined, 2));
  });
});

describe('a watch', () => {
  test('does not go on from a list, unless it names a version', async () => {
    const refused = await api.get(`${configMaps}?watch=1&continue=abc&timeoutSeconds=1`);
    const cause = { field: 'resourceVersionMatch', reason: 'FieldValueForbidden' };
    expect(refused).toMatchObject({ status: 422, body: { details: { kind: 'ListOptions', causes: [cause] } } });
    const { resourceVersion } = (await api.get(configMaps)).body.metadata;
    const path = `${configMaps}?watch=1&continue=abc&timeoutSeconds=1&resourceVersion=${resourceVersion}`;
    expect((await api.get(path)).status).toBe(200);
  });

  test('has a row for a bookmark in a table', async () => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const selected = `${query}&timeoutSeconds=1&labelSelector=no%3Dne`;
    const response = await server.fetch(`${pods}?${selected}`, { headers: { accept: table } });
    const { type, object } = JSON.parse((await response.text()).split('\n')[0] as string);
    expect([type, Object.keys(object.metadata)]).toEqual(['BOOKMARK', ['resourceVersion']]);
    const annotations = { 'k8s.io/initial-events-end': 'true' };
    expect(object.rows).toMatchObject([{ object: { kind: 'PartialObjectMetadata', metadata: { annotations } } }]);
    expect(object.rows[0].cells[0]).toBe('');
  });
});

describe('a review', () => {
  const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
  const review = { spec: { resourceAttributes: { verb: 'get', resource: 'pods' } } };
  const post = (accept: string) => api.call('POST', path, review, { accept, 'user-agent': 'tester/1' });

  test('has no rows, and metadata of its own', async () => {
    expect(await post(table)).toMatchObject({ status: 406, body: { reason: 'NotAcceptable' } });
    expect((await post(`${table},application/json`)).status).toBe(201);
    const { status, body } = await post(partial);
    expect([status, body.kind, Object.keys(body)]).toEqual([
      201,
      'PartialObjectMetadata',
      ['kind', 'apiVersion', 'metadata'],
    ]);
  });

  test('says who owns what of it', async () => {
    const { body } = await post('application/json');
    const fieldsV1 = { 'f:spec': { 'f:resourceAttributes': { '.': {}, 'f:resource': {}, 'f:verb': {} } } };
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'tester', operation: 'Update', fieldsV1 }]);
  });

  test('of a token puts its user among the authenticated', async () => {
    await api.post('/api/v1/namespaces/default/serviceaccounts', { metadata: { name: 'known' } });
    const request = { spec: { audiences: [] } };
    const tokens = '/api/v1/namespaces/default/serviceaccounts/known/token';
    const { body } = await api.call('POST', tokens, request, { 'user-agent': 'tester/1' });
    expect(body.metadata.managedFields).toMatchObject([{ manager: 'tester', subresource: 'token' }]);
    const reviewed = await api.post('/apis/authentication.k8s.io/v1/tokenreviews', {
      spec: { token: body.status.token },
    });
    expect(reviewed.body.status.user.groups).toEqual([
      'system:serviceaccounts',
      'system:serviceaccounts:default',
      'system:authenticated',
    ]);
  });
});

describe('a delete', () => {
  test.each([
    ['storage.k8s.io/v1/storageclasses', { provisioner: 'a.b/c' }],
    ['storage.k8s.io/v1/csidrivers', { spec: {} }],
    ['storage.k8s.io/v1/csinodes', { spec: { drivers: [] } }],
    ['resource.k8s.io/v1/deviceclasses', { spec: {} }],
  ])('of %s answers with the object', async (resource, fields) => {
    const made = await api.post(`/apis/${resource}`, { metadata: { name: 'gone' }, ...fields });
    expect(made.status).toBe(201);
    const { status, body } = await api.delete(`/apis/${resource}/gone`);
    expect([status, body.metadata.uid]).toEqual([200, made.body.metadata.uid]);
  });

  test('that has to wait is accepted only by the old option', async () => {
    for (const name of ['fg', 'old'])
      await api.post(configMaps, configMap(name, {}, { finalizers: ['example.com/x'] }));
    expect((await api.delete(`${configMaps}/fg`, { propagationPolicy: 'Foreground' })).status).toBe(200);
    expect((await api.delete(`${configMaps}/old`, { orphanDependents: false })).status).toBe(202);
  });

  test('takes all its options from the body, where there is one', async () => {
    await api.post(configMaps, configMap('bodied'));
    expect((await api.delete(`${configMaps}/bodied?dryRun=All`, { kind: 'DeleteOptions' })).status).toBe(200);
    expect((await api.get(`${configMaps}/bodied`)).status).toBe(404);
  });

  test.each([
    ['{', "couldn't get version/kind; json parse error: unexpected end of JSON input"],
    [{ kind: 'ConfigMap', apiVersion: 'v1' }, 'no kind "ConfigMap" is registered for version "v1" in scheme '],
  ])('with the body %j is refused', async (body, why) => {
    await api.post(configMaps, configMap('stays'));
    const answer = await api.delete(`${configMaps}/stays`, body);
    expect([answer.status, answer.body.message]).toEqual([400, expect.stringMatching(new RegExp(`^${why}`))]);
  });

  test('of another object than the client knows is refused in the name of the kind', async () => {
    await api.post(pods, pod('known'));
    for (const preconditions of [{ uid: 'other' }, { resourceVersion: '1' }]) {
      const details = { name: 'known', kind: 'Pod' };
      const refused = { status: 409, body: { reason: 'Conflict', details } };
      expect(await api.delete(`${pods}/known`, { preconditions })).toMatchObject(refused);
      const eviction = { metadata: { name: 'known' }, deleteOptions: { preconditions } };
      expect(await api.post(`${pods}/known/eviction`, eviction)).toMatchObject(refused);
    }
  });
});

describe('an update', () => {
  test('of another object with the same name fails in the words of the store', async () => {
    await api.post(configMaps, configMap('same'));
    const { status, body } = await api.put(`${configMaps}/same`, configMap('same', {}, { uid: 'other' }));
    expect([status, body.message]).toEqual([
      409,
      expect.stringMatching(/: StorageError: invalid object, Code: 4, Key: \/\S+\/same, ResourceVersion: 0, /),
    ]);
  });

  test('cannot change when an object was made', async () => {
    const { metadata } = (await api.post(configMaps, configMap('dated'))).body;
    const other = configMap('dated', {}, { creationTimestamp: '2001-01-01T00:00:00Z' });
    const { status, body } = await api.put(`${configMaps}/dated`, other);
    expect([status, body.metadata.creationTimestamp]).toEqual([200, metadata.creationTimestamp]);
  });

  test('of a service to a name takes away what only traffic has', async () => {
    const services = '/api/v1/namespaces/default/services';
    await api.post(services, { metadata: { name: 's' }, spec: { ports: [{ port: 80 }] } });
    const spec = { type: 'ExternalName', externalName: 'a.b' };
    const { body } = await api.patch('merge', `${services}/s`, { spec });
    expect(Object.keys(body.spec).sort()).toEqual(['externalName', 'ports', 'sessionAffinity', 'type']);
  });
});

describe('a generation', () => {
  test('that a client gives is kept by kinds without one, and must be none below zero', async () => {
    expect((await api.post(configMaps, configMap('seven', {}, { generation: 7 }))).body.metadata.generation).toBe(7);
    const kept = await api.put(`${configMaps}/seven`, configMap('seven', { a: 'b' }, { generation: 9 }));
    expect(kept.body.metadata.generation).toBe(7);
    expect(await api.post(configMaps, configMap('less', {}, { generation: -1 }))).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.generation' }] } },
    });
  });

  test('of a CSIDriver begins with its first change', async () => {
    const drivers = '/apis/storage.k8s.io/v1/csidrivers';
    const made = await api.post(drivers, { metadata: { name: 'later' }, spec: {} });
    expect(made.body.metadata).not.toHaveProperty('generation');
    const same = await api.patch('merge', `${drivers}/later`, { metadata: { labels: { a: 'b' } } });
    expect(same.body.metadata).not.toHaveProperty('generation');
    const changed = await api.patch('merge', `${drivers}/later`, { spec: { requiresRepublish: true } });
    expect(changed.body.metadata.generation).toBe(1);
  });
});

describe('what is wrong', () => {
  test.each(['a/b', '..', 'x'.repeat(254)])('with the name %s is told once', async (name) => {
    const { status, body } = await api.post(pods, pod(name));
    expect([status, body.details.causes.length]).toEqual([422, 1]);
  });

  test('with the name of a service is its dot', async () => {
    const service = { metadata: { name: 'x.y' }, spec: { ports: [{ port: 1 }] } };
    const { body } = await api.post('/api/v1/namespaces/default/services', service);
    expect(body.details.causes[0].message).toBe('Invalid value: "x.y": must not contain dots');
  });

  test('with a binding is told in plain words', async () => {
    await api.post(pods, pod('unbound'));
    const bind = (body: object) => api.post(`${pods}/unbound/binding`, { metadata: { name: 'unbound' }, ...body });
    const message = 'target.kind: Unsupported value: "Foo": supported values: "Node", "<empty>"';
    const odd = await bind({ target: { kind: 'Foo', name: 'x' } });
    expect([odd.status, odd.body.message, odd.body.reason]).toEqual([500, message, undefined]);
    const uid = await bind({ metadata: { name: 'unbound', uid: 'other' }, target: { name: 'x' } });
    expect(uid).toMatchObject({ status: 409, body: { details: { kind: 'pods' } } });
    const nameless = await api.post('/api/v1/namespaces/default/bindings', { target: { name: 'x' } });
    expect([nameless.status, nameless.body.message]).toEqual([400, 'Name parameter required.']);
  });

  test.each([
    ['a/b/c', 'unexpected GroupVersion string: a/b/c'],
    ['', 'apiVersion must specify API group'],
    ['v1', 'apiVersion must specify API group'],
  ])('with %j as the version of what is scaled', async (apiVersion, why) => {
    const { status, body } = await api.post('/apis/autoscaling/v2/namespaces/default/horizontalpodautoscalers', {
      metadata: { name: 'h' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion, kind: 'Deployment', name: 'd' } },
    });
    expect([status, body.details.causes]).toEqual([
      422,
      [{ reason: 'FieldValueInvalid', message: `Invalid value: "${apiVersion}": ${why}`, field: expect.any(String) }],
    ]);
  });
});

describe('managedFields', () => {
  const owned = async (path: string, body: object, field: string) =>
    (await api.post(path, body)).body.metadata.managedFields?.[0].fieldsV1[field];

  test('name what the server fills in for the first manager', async () => {
    const scaler = {
      metadata: { name: 'owned' },
      spec: { maxReplicas: 3, scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'd' } },
    };
    const scalers = '/apis/autoscaling/v1/namespaces/default/horizontalpodautoscalers';
    expect(await owned(scalers, scaler, 'f:spec')).toHaveProperty('f:targetCPUUtilizationPercentage');
    const labels = { a: 'b' };
    const daemons = {
      metadata: { name: 'owned' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    };
    const metadata = await owned('/apis/apps/v1/namespaces/default/daemonsets', daemons, 'f:metadata');
    expect(metadata['f:annotations']).toEqual({ '.': {}, 'f:deprecated.daemonset.template.generation': {} });
  });

  test('have no time for what was written through a view', async () => {
    const deployments = '/apis/apps/v1/namespaces/default/deployments';
    const labels = { a: 'b' };
    await api.post(deployments, {
      metadata: { name: 'scaled' },
      spec: {
        selector: { matchLabels: labels },
        template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'i' }] } },
      },
    });
    await api.patch('merge', `${deployments}/scaled/scale`, { spec: { replicas: 2 } });
    const { managedFields } = (await api.get(`${deployments}/scaled`)).body.metadata;
    expect(managedFields[0]).toMatchObject({ operation: 'Update', subresource: 'scale' });
    expect(managedFields[0]).not.toHaveProperty('time');
  });
});

test('a list that is always written and empty is none', async () => {
  const slices = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices';
  const slice = { metadata: { name: 'none' }, addressType: 'IPv4', endpoints: [], ports: [] };
  expect((await api.post(slices, slice)).body).toMatchObject({ endpoints: null, ports: null });
});

test('a delete of a job that does not say what becomes of its pods is warned of', async () => {
  const jobs = '/apis/batch/v1/namespaces/default/jobs';
  const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
  await api.post(jobs, { metadata: { name: 'j' }, spec: { template } });
  const warning = async (query: string) => (await api.delete(`${jobs}/j?dryRun=All${query}`)).headers.get('warning');
  expect(await warning('')).toMatch(/^299 - "child pods are preserved by default when jobs are deleted; /);
  expect(await warning('&propagationPolicy=Orphan')).toBeNull();
});

test('errors name the group that was asked', async () => {
  const { body } = await api.get('/apis/events.k8s.io/v1/namespaces/default/events/none');
  expect(body).toMatchObject({ message: 'events.events.k8s.io "none" not found', details: { group: 'events.k8s.io' } });
});

test('some parts have no rows', async () => {
  await api.post(pods, pod('rowless'));
  for (const [part, status] of [
    ['resize', 406],
    ['ephemeralcontainers', 406],
    ['status', 200],
  ] as const)
    expect([part, (await api.get(`${pods}/rowless/${part}`, { accept: table })).status]).toEqual([part, status]);
});

test('a quota counts claims of devices, and devices by their class', async () => {
  const quotas = '/api/v1/namespaces/default/resourcequotas';
  const devices = 'gpu.deviceclass.resource.k8s.io/devices';
  const hard = { 'count/resourceclaims.resource.k8s.io': '2', [devices]: '3' };
  await api.post(quotas, { metadata: { name: 'devices' }, spec: { hard } });
  const used = async () => (await api.get(`${quotas}/devices`)).body.status?.used;
  await eventually(async () => expect(await used()).toEqual({ ...hard, ...mapValues(hard, '0') }));
  const claim = (name: string, count: number) =>
    api.post('/apis/resource.k8s.io/v1/namespaces/default/resourceclaims', {
      metadata: { name },
      spec: { devices: { requests: [{ name: 'r', exactly: { deviceClassName: 'gpu', count } }] } },
    });
  expect((await claim('many', 4)).body.message).toContain(
    `exceeded quota: devices, requested: ${devices}=4, used: ${devices}=0, limited: ${devices}=3`,
  );
  expect((await claim('two', 2)).status).toBe(201);
  expect((await claim('more', 2)).status).toBe(403);
  await eventually(async () => expect(await used()).toMatchObject({ [devices]: '2' }));
});

const mapValues = (object: object, value: string) => Object.fromEntries(Object.keys(object).map((key) => [key, value]));

describe('documents', () => {
  test('say what they are as those of Kubernetes do', async () => {
    const v2 = await api.get('/openapi/v2');
    expect([v2.body.info, v2.headers.get('vary')]).toEqual([
      { title: 'Kubernetes', version: '1.36' },
      'Accept-Encoding, Accept',
    ]);
    const index = await api.get('/openapi/v3');
    expect([index.headers.get('content-type'), index.headers.get('vary')]).toEqual(['text/plain; charset=utf-8', null]);
  });

  test('name kinds of other groups whole, and their own by name', async () => {
    const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
    const { items } = (await api.get('/apis', { accept })).body;
    const apps = items.find(({ metadata }: { metadata: { name: string } }) => metadata.name === 'apps');
    const { resources } = apps.versions[0];
    const deployments = resources.find(({ resource }: { resource: string }) => resource === 'deployments');
    expect(deployments).toMatchObject({
      responseKind: { group: '', version: '', kind: 'Deployment' },
      subresources: [
        { responseKind: { group: 'autoscaling', version: 'v1', kind: 'Scale' } },
        { responseKind: { group: '', version: '', kind: 'Deployment' } },
      ],
    });
  });
});

describe('a strategic merge patch of another type', () => {
  test.each<[object, string, string]>([
    [{ metadata: { labels: 'x' } }, 'map[metadata:map[labels:x]]', 'cannot restore map from string'],
    [{ metadata: { labels: ['x'] } }, 'map[metadata:map[labels:[x]]]', 'cannot restore map from slice'],
    [{ metadata: 'x' }, 'map[metadata:x]', 'cannot restore struct from: string'],
    [{ data: { a: 1 } }, 'map[data:map[a:1]]', 'cannot convert int64 to string'],
    [
      { metadata: { finalizers: { a: 'b' } } },
      'map[metadata:map[finalizers:map[a:b]]]',
      'cannot restore slice from map',
    ],
    [{ immutable: 'x' }, 'map[immutable:x]', 'unrecognized type: bool'],
  ])('%j is refused', async (patch, shown, why) => {
    await api.post(configMaps, configMap('typed'));
    const { status, body } = await api.patch('strategic', `${configMaps}/typed`, patch);
    const message = `Invalid value: "${shown}": ${why}`;
    expect([status, body.message, body.details]).toEqual([
      422,
      ` "" is invalid: patch: ${message}`,
      { causes: [{ reason: 'FieldValueInvalid', message, field: 'patch' }] },
    ]);
  });
});
