// Creating, reading, changing objects, and the metadata rules (spec: Names and scope, Object metadata, Verbs).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

describe('create', () => {
  test('fills in what the server owns and answers 201 with fields in declared order', async () => {
    const input = {
      data: { b: '2', a: '1' },
      kind: 'ConfigMap',
      metadata: { labels: { x: 'y' }, name: 'fresh' },
      apiVersion: 'v1',
    };
    const { status, body } = await api.post(configMaps, {
      ...input,
      metadata: { ...input.metadata, uid: 'mine', generation: 9, selfLink: '/x' },
    });
    expect(status).toBe(201);
    expect(Object.keys(body)).toEqual(['kind', 'apiVersion', 'metadata', 'data']);
    expect(Object.keys(body.metadata)).toEqual([
      'name',
      'namespace',
      'uid',
      'resourceVersion',
      'generation',
      'creationTimestamp',
      'labels',
      'managedFields',
    ]);
    expect(body.metadata.generation).toBe(9);
    expect(body.metadata.uid).toMatch(/^[0-9a-f-]{36}$/);
    expect(body.metadata.creationTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
    expect(Object.keys(body.data)).toEqual(['a', 'b']);
  });

  test('refuses a name that is taken, per kind and namespace', async () => {
    await api.post(configMaps, configMap('taken'));
    const again = await api.post(configMaps, configMap('taken'));
    expect(again.status).toBe(409);
    expect(again.body).toMatchObject({
      kind: 'Status',
      reason: 'AlreadyExists',
      message: 'configmaps "taken" already exists',
    });
    expect((await api.post('/api/v1/namespaces/kube-public/configmaps', configMap('taken'))).status).toBe(201);
    expect((await api.post('/api/v1/namespaces/default/secrets', { metadata: { name: 'taken' } })).status).toBe(201);
  });

  test('generates a name from generateName and tries again when it is taken', async () => {
    const names = await Promise.all(
      Array.from(
        { length: 20 },
        async () => (await api.post(configMaps, { metadata: { generateName: 'gen-' } })).body.metadata.name,
      ),
    );
    expect(new Set(names).size).toBe(20);
    for (const name of names) expect(name).toMatch(/^gen-[bcdfghjklmnpqrstvwxz2456789]{5}$/);
  });

  test.each([
    ['no name', {}, ['metadata.name']],
    ['bad characters', { name: 'Bad_' }, ['metadata.name']],
    ['bad labels', { name: 'a', labels: { 'a b': 'c d' } }, ['metadata.labels', 'metadata.labels']],
    ['bad annotation key', { name: 'a', annotations: { 'a/b/c': '' } }, ['metadata.annotations']],
    ['unqualified finalizer', { name: 'a', finalizers: ['mine'] }, ['metadata.finalizers[0]']],
    [
      'owner without a name',
      { name: 'a', ownerReferences: [{ apiVersion: 'v1', kind: 'X', uid: 'u' }] },
      ['metadata.ownerReferences.name'],
    ],
  ])('refuses %s with a 422 that names the field', async (_, metadata, fields) => {
    const { status, body } = await api.post(configMaps, { metadata });
    expect(status).toBe(422);
    expect(body).toMatchObject({ reason: 'Invalid', details: { kind: 'ConfigMap' } });
    expect(body.details.causes.map((cause: { field: string }) => cause.field)).toEqual(fields);
  });

  test('takes the namespace from the URL and refuses another one', async () => {
    const other = await api.post(configMaps, configMap('elsewhere', {}, { namespace: 'kube-system' }));
    expect(other).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    expect(other.body.message).toContain('does not match the namespace sent on the request');
  });

  test('refuses a namespace that does not exist, a version, another kind and another apiVersion', async () => {
    expect((await api.post('/api/v1/namespaces/nowhere/configmaps', configMap('a'))).body.message).toBe(
      'namespaces "nowhere" not found',
    );
    expect((await api.post(configMaps, configMap('a', {}, { resourceVersion: '5' }))).status).toBe(500);
    expect((await api.post(configMaps, { kind: 'Secret', apiVersion: 'v1', metadata: { name: 'a' } })).status).toBe(
      400,
    );
    expect((await api.post(configMaps, { kind: 'ConfigMap', apiVersion: 'v2', metadata: { name: 'a' } })).status).toBe(
      400,
    );
  });

  test('treats __proto__ and constructor as ordinary keys', async () => {
    const body = '{"metadata":{"name":"proto"},"data":{"__proto__":"a","constructor":"b"}}';
    await api.call('POST', configMaps, body);
    const found = await server.fetch(`${configMaps}/proto`);
    expect(await found.text()).toContain('"data":{"__proto__":"a","constructor":"b"}');
    expect(({} as Record<string, unknown>)['a']).toBeUndefined();
  });
});

describe('update', () => {
  test('replaces the whole object and keeps what the server owns', async () => {
    const created = (await api.post(configMaps, configMap('replaced', { a: '1' }))).body;
    const { status, body } = await api.put(`${configMaps}/replaced`, configMap('replaced', { b: '2' }));
    expect(status).toBe(200);
    expect(body.data).toEqual({ b: '2' });
    expect(body.metadata.uid).toBe(created.metadata.uid);
    expect(body.metadata.creationTimestamp).toBe(created.metadata.creationTimestamp);
    expect(Number(body.metadata.resourceVersion)).toBeGreaterThan(Number(created.metadata.resourceVersion));
  });

  test('is refused when the version is stale, and does not write when nothing changes', async () => {
    const first = (await api.post(configMaps, configMap('raced', { a: '1' }))).body;
    const second = (await api.put(`${configMaps}/raced`, { ...first, data: { a: '2' } })).body;
    const stale = await api.put(`${configMaps}/raced`, { ...first, data: { a: '3' } });
    expect(stale).toMatchObject({
      status: 409,
      body: { reason: 'Conflict', details: { name: 'raced', kind: 'configmaps' } },
    });
    const same = (await api.put(`${configMaps}/raced`, second)).body;
    expect(same.metadata.resourceVersion).toBe(second.metadata.resourceVersion);
  });

  test('refuses another name, another uid and changed immutable metadata', async () => {
    const made = (await api.post(configMaps, configMap('fixed'))).body;
    expect((await api.put(`${configMaps}/fixed`, configMap('other'))).status).toBe(400);
    expect((await api.put(`${configMaps}/fixed`, configMap('fixed', {}, { uid: 'other' }))).status).toBe(409);
    const moved = await api.put(`${configMaps}/fixed`, {
      ...made,
      metadata: { ...made.metadata, creationTimestamp: '2001-01-01T00:00:00Z', deletionGracePeriodSeconds: 3 },
    });
    expect(moved).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: 'metadata.deletionGracePeriodSeconds' }, {}] } },
    });
  });

  test('creates a missing object only where Kubernetes allows it', async () => {
    expect((await api.put(`${configMaps}/absent`, configMap('absent'))).status).toBe(404);
    const leases = '/apis/coordination.k8s.io/v1/namespaces/default/leases';
    expect(
      (await api.put(`${leases}/by-put`, { metadata: { name: 'by-put' }, spec: { holderIdentity: 'me' } })).status,
    ).toBe(201);
    expect((await api.put(`${leases}/by-put`, { metadata: { name: 'by-put' }, spec: {} })).status).toBe(422);
  });

  test('status and finalize change their own part of a namespace only', async () => {
    const made = (await api.post('/api/v1/namespaces', { metadata: { name: 'parts' } })).body;
    expect(made).toMatchObject({ spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } });
    const wrong = { ...made, spec: { finalizers: ['example.com/x'] }, status: { phase: 'Terminating' } };
    expect((await api.put('/api/v1/namespaces/parts', wrong)).body).toMatchObject({
      spec: made.spec,
      status: made.status,
    });
    const conditions = [{ type: 'Test', status: 'True', lastTransitionTime: null }];
    const byStatus = await api.put('/api/v1/namespaces/parts/status', {
      ...wrong,
      metadata: { name: 'parts' },
      status: { phase: 'Active', conditions },
    });
    expect(byStatus.body).toMatchObject({ spec: made.spec, status: { phase: 'Active', conditions } });
    const badPhase = await api.put('/api/v1/namespaces/parts/status', { ...wrong, metadata: { name: 'parts' } });
    expect(badPhase).toMatchObject({ status: 422, body: { details: { causes: [{ field: 'status.Phase' }] } } });
    const byFinalize = await api.put('/api/v1/namespaces/parts/finalize', {
      ...wrong,
      metadata: { name: 'parts' },
      status: {},
    });
    expect(byFinalize.body).toMatchObject({
      spec: { finalizers: ['example.com/x'] },
      status: { phase: 'Active', conditions },
    });
  });
});

describe('patch', () => {
  test('merges, edits and removes by each of the three formats', async () => {
    await api.post(configMaps, configMap('patched', { a: '1', b: '2' }));
    expect((await api.patch('merge', `${configMaps}/patched`, { data: { a: null, c: '3' } })).body.data).toEqual({
      b: '2',
      c: '3',
    });
    const operations = [
      { op: 'test', path: '/data/b', value: '2' },
      { op: 'replace', path: '/data/b', value: '4' },
    ];
    expect((await api.patch('json', `${configMaps}/patched`, operations)).body.data).toEqual({ b: '4', c: '3' });
    const strategic = { metadata: { finalizers: ['example.com/a'] } };
    expect((await api.patch('strategic', `${configMaps}/patched`, strategic)).body.metadata.finalizers).toEqual([
      'example.com/a',
    ]);
    expect(
      (await api.patch('json', `${configMaps}/patched`, [{ op: 'test', path: '/data/b', value: 'no' }])).status,
    ).toBe(422);
  });

  test('by many at once loses none of them', async () => {
    await api.post(configMaps, configMap('busy'));
    await Promise.all(
      Array.from({ length: 25 }, (_, i) => api.patch('merge', `${configMaps}/busy`, { data: { [`k${i}`]: 'x' } })),
    );
    expect(Object.keys((await api.get(`${configMaps}/busy`)).body.data)).toHaveLength(25);
  });

  test('refuses unknown formats and broken documents', async () => {
    await api.post(configMaps, configMap('odd'));
    expect((await api.call('PATCH', `${configMaps}/odd`, {}, { 'content-type': 'text/plain' })).status).toBe(415);
    expect((await api.patch('json', `${configMaps}/odd`, { not: 'a list' })).status).toBe(400);
    expect((await api.patch('merge', `${configMaps}/odd`, '{"data":')).status).toBe(400);
    expect((await api.patch('merge', `${configMaps}/missing`, {})).status).toBe(404);
  });
});

describe('dry run and field validation', () => {
  test('a dry run answers as the real request would and stores nothing', async () => {
    const created = await api.post(`${configMaps}?dryRun=All`, configMap('ghost', { a: '1' }));
    expect(created.status).toBe(201);
    expect(created.body.metadata.uid).toBeDefined();
    expect(created.body.metadata.resourceVersion).toBeUndefined();
    expect((await api.get(`${configMaps}/ghost`)).status).toBe(404);
    const real = (await api.post(configMaps, configMap('solid', { a: '1' }))).body;
    expect((await api.put(`${configMaps}/solid?dryRun=All`, configMap('solid', { a: '2' }))).body.data).toEqual({
      a: '2',
    });
    expect((await api.delete(`${configMaps}/solid?dryRun=All`)).body.status).toBe('Success');
    expect((await api.get(`${configMaps}/solid`)).body).toEqual(real);
    expect((await api.post(`${configMaps}?dryRun=Some`, configMap('x'))).status).toBe(422);
  });

  test('unknown fields are dropped with a warning, refused, or dropped in silence', async () => {
    const body = { ...configMap('extra'), top: 1, metadata: { name: 'extra', odd: true } };
    const warned = await api.post(configMaps, body);
    expect(warned.status).toBe(201);
    expect(warned.headers.get('warning')).toBe(
      '299 - "unknown field \\"metadata.odd\\"", 299 - "unknown field \\"top\\""',
    );
    expect(warned.body.top).toBeUndefined();
    const strict = await api.put(`${configMaps}/extra?fieldValidation=Strict`, body);
    expect(strict).toMatchObject({
      status: 400,
      body: {
        message:
          'ConfigMap in version "v1" cannot be handled as a ConfigMap: strict decoding error: unknown field "metadata.odd", unknown field "top"',
      },
    });
    const ignored = await api.put(`${configMaps}/extra?fieldValidation=Ignore`, body);
    expect([ignored.status, ignored.headers.get('warning')]).toEqual([200, null]);
  });

  test('a wrong type is a 400 that names the field', async () => {
    const { status, body } = await api.post(configMaps, { metadata: { name: 'typed' }, data: { a: 5 } });
    expect([status, body.reason]).toEqual([400, 'BadRequest']);
    expect(body.message).toContain('json: cannot unmarshal number into Go struct field ConfigMap.data of type string');
  });
});
