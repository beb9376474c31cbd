// How objects end (spec: Object deletion).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Answer, type Api, apiOf, configMap, configMaps } from './api.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

interface Named {
  readonly metadata: { readonly name: string };
}

describe('delete', () => {
  test('removes an object without finalizers at once and answers with a Status', async () => {
    const { metadata } = (await api.post(configMaps, configMap('plain'))).body;
    const { status, body } = await api.delete(`${configMaps}/plain`);
    expect(status).toBe(200);
    expect(body).toMatchObject({
      kind: 'Status',
      status: 'Success',
      details: { name: 'plain', kind: 'configmaps', uid: metadata.uid },
    });
    expect((await api.delete(`${configMaps}/plain`)).status).toBe(404);
    expect((await api.post(configMaps, configMap('plain'))).body.metadata.uid).not.toBe(metadata.uid);
  });

  test('marks an object with finalizers, which goes with the last of them', async () => {
    await api.post(configMaps, configMap('held', {}, { finalizers: ['example.com/x', 'example.com/y'] }));
    const first = await api.delete(`${configMaps}/held`);
    expect(first.body.metadata).toMatchObject({
      deletionGracePeriodSeconds: 0,
      finalizers: ['example.com/x', 'example.com/y'],
    });
    const again = await api.delete(`${configMaps}/held`);
    expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    const added = await api.patch('merge', `${configMaps}/held`, {
      metadata: { finalizers: ['example.com/x', 'example.com/z'] },
    });
    expect(added).toMatchObject({
      status: 422,
      body: { details: { causes: [{ reason: 'FieldValueForbidden', field: 'metadata.finalizers' }, {}] } },
    });
    const undeleted = await api.patch('merge', `${configMaps}/held`, { metadata: { deletionTimestamp: null } });
    expect(undeleted.body.metadata.deletionTimestamp).toBe(first.body.metadata.deletionTimestamp);
    await api.patch('merge', `${configMaps}/held`, { metadata: { finalizers: ['example.com/y'] } });
    const last = await api.patch('merge', `${configMaps}/held`, { metadata: { finalizers: null } });
    expect(last.status).toBe(200);
    expect((await api.get(`${configMaps}/held`)).status).toBe(404);
  });

  test('honours preconditions in the body', async () => {
    const { metadata } = (await api.post(configMaps, configMap('guarded'))).body;
    expect((await api.delete(`${configMaps}/guarded`, { preconditions: { uid: 'other' } })).status).toBe(409);
    expect((await api.delete(`${configMaps}/guarded`, { preconditions: { resourceVersion: '1' } })).status).toBe(409);
    const { uid, resourceVersion } = metadata;
    expect((await api.delete(`${configMaps}/guarded`, { preconditions: { uid, resourceVersion } })).status).toBe(200);
  });

  test('refuses options it does not know', async () => {
    await api.post(configMaps, configMap('kept'));
    expect((await api.delete(`${configMaps}/kept?propagationPolicy=Sideways`)).status).toBe(422);
    expect((await api.delete(`${configMaps}/kept`, { kind: 'ConfigMap' })).status).toBe(400);
    expect((await api.delete(`${configMaps}/kept`, { gracePeriodSeconds: 'soon' })).status).toBe(400);
    expect((await api.get(`${configMaps}/kept`)).status).toBe(200);
  });

  test('takes its options from the query as well', async () => {
    await api.post(configMaps, configMap('by-query'));
    const path = `${configMaps}/by-query`;
    const dry = await api.delete(`${path}?dryRun=All&propagationPolicy=Foreground`);
    expect([dry.status, dry.body.metadata.finalizers]).toEqual([200, ['foregroundDeletion']]);
    const old = await api.delete(`${path}?dryRun=All&orphanDependents=false`);
    expect(old.status).toBe(200);
    const orphaned = await api.delete(`${path}?dryRun=All&orphanDependents=true`);
    expect([orphaned.status, orphaned.body.metadata.finalizers]).toEqual([200, ['orphan']]);
    expect((await api.get(path)).body.metadata.deletionTimestamp).toBeUndefined();
    expect((await api.delete(`${path}?gracePeriodSeconds=soon`)).status).toBe(400);
    const both = await api.delete(path, { orphanDependents: true, propagationPolicy: 'Orphan' });
    expect([both.status, both.body.reason]).toEqual([422, 'Invalid']);
    expect((await api.delete(`${path}?gracePeriodSeconds=0`)).status).toBe(200);
    expect((await api.get(path)).status).toBe(404);
  });

  test('leaves a name taken until the last finalizer is gone, and everything but finalizers free to change', async () => {
    await api.post(configMaps, configMap('slow', { color: 'blue' }, { finalizers: ['example.com/x'] }));
    const path = `${configMaps}/slow`;
    const { body: going } = await api.delete(path);
    const taken = await api.post(configMaps, configMap('slow'));
    expect([taken.status, taken.body.reason, taken.body.message]).toEqual([
      409,
      'AlreadyExists',
      'object is being deleted: configmaps "slow" already exists',
    ]);
    const changed = await api.put(path, { ...going, data: { color: 'red' } });
    expect([changed.status, changed.body.data]).toEqual([200, { color: 'red' }]);
    expect(changed.body.metadata.deletionTimestamp).toBe(going.metadata.deletionTimestamp);
    // a replacement without finalizers removes it too
    const { finalizers: _, ...metadata } = changed.body.metadata;
    expect((await api.put(path, { ...changed.body, metadata })).status).toBe(200);
    expect((await api.get(path)).status).toBe(404);
  });

  test('knows finalizers by names that any client could use', async () => {
    const refused = await api.post(configMaps, configMap('odd', {}, { finalizers: ['No Good', 'example.com/ok'] }));
    expect(refused.status).toBe(422);
    expect(refused.body.details.causes.map(({ field }: { field: string }) => field)).toEqual([
      'metadata.finalizers',
      'metadata.finalizers[0]',
    ]);
    const bare = await api.post(configMaps, configMap('bare', {}, { finalizers: ['bare'] }));
    expect(bare.body.details.causes).toContainEqual(expect.objectContaining({ field: 'metadata.finalizers[0]' }));
  });

  test('gives a pod on a node its time, less when asked again, none when forced', async () => {
    const clock = new FakeClock('2030-01-01T00:00:00Z');
    await using own = await startTestServer({ listen: false, clock });
    const pods = '/api/v1/namespaces/default/pods';
    const client = apiOf(own);
    const containers = [{ name: 'c', image: 'i' }];
    for (const [name, spec] of Object.entries({ running: { nodeName: 'n', containers }, waiting: { containers } }))
      expect((await client.post(pods, { metadata: { name }, spec })).status).toBe(201);
    const times = ({ metadata }: Answer['body']) => [metadata.deletionTimestamp, metadata.deletionGracePeriodSeconds];
    expect(times((await client.delete(`${pods}/running`)).body)).toEqual(['2030-01-01T00:00:30Z', 30]);
    clock.advance(5000);
    expect(times((await client.delete(`${pods}/running?gracePeriodSeconds=60`)).body)[1]).toBe(30);
    const sooner = await client.delete(`${pods}/running`, { gracePeriodSeconds: 10 });
    expect(times(sooner.body)).toEqual(['2030-01-01T00:00:10Z', 10]);
    expect((await client.get(`${pods}/running`)).status).toBe(200);
    expect((await client.delete(`${pods}/running?gracePeriodSeconds=0`)).body.kind).toBe('Pod');
    expect((await client.get(`${pods}/running`)).status).toBe(404);
    await client.delete(`${pods}/waiting`);
    expect((await client.get(`${pods}/waiting`)).status).toBe(404);
  });

  test('of a collection obeys selectors, limits and options', async () => {
    await api.post('/api/v1/namespaces', { metadata: { name: 'many' } });
    const path = '/api/v1/namespaces/many/secrets';
    for (const name of ['a', 'b', 'c', 'd']) await api.post(path, { metadata: { name } });
    const names = async () => (await api.get(path)).body.items.map((item: Named) => item.metadata.name);
    const dry = await api.delete(path, { dryRun: ['All'] });
    expect([dry.status, dry.body.items.length]).toEqual([200, 4]);
    expect(await names()).toEqual(['a', 'b', 'c', 'd']);
    await api.delete(`${path}?fieldSelector=metadata.name%3Dc`);
    expect(await names()).toEqual(['a', 'b', 'd']);
    await api.delete(`${path}?limit=1`);
    expect(await names()).toEqual(['b', 'd']);
    const refused = await api.delete(path, { preconditions: { uid: 'of-none' } });
    expect(refused.status).toBe(409);
    await api.delete(path, { propagationPolicy: 'Background' });
    expect(await names()).toEqual([]);
    expect((await api.delete(path)).body.items).toEqual([]);
  });

  test('of a collection shows what it found as it found it', async () => {
    const label = { labels: { found: 'yes' } };
    await api.post(configMaps, configMap('found-held', {}, { ...label, finalizers: ['example.com/x'] }));
    await api.post(configMaps, configMap('found-plain', {}, label));
    const selected = `${configMaps}?labelSelector=found%3Dyes`;
    const listed = (await api.get(selected)).body;
    const { body } = await api.delete(selected);
    expect(body).toEqual(listed);
    const left = (await api.get(selected)).body.items;
    expect(left.map(({ metadata }: Answer['body']) => [metadata.name, typeof metadata.deletionTimestamp])).toEqual([
      ['found-held', 'string'],
    ]);
    await api.patch('merge', `${configMaps}/found-held`, { metadata: { finalizers: null } });
  });

  test('of a collection removes what a list with the same selector would show', async () => {
    for (const [name, app] of [
      ['c1', 'x'],
      ['c2', 'x'],
      ['c3', 'y'],
    ] as const) {
      await api.post('/api/v1/namespaces/kube-public/configmaps', configMap(name, {}, { labels: { app } }));
    }
    const { body } = await api.delete('/api/v1/namespaces/kube-public/configmaps?labelSelector=app%3Dx');
    expect([body.kind, body.items.map((item: { metadata: { name: string } }) => item.metadata.name)]).toEqual([
      'ConfigMapList',
      ['c1', 'c2'],
    ]);
    const left = (await api.get('/api/v1/namespaces/kube-public/configmaps?labelSelector=app')).body.items;
    expect(left.map((item: { metadata: { name: string } }) => item.metadata.name)).toEqual(['c3']);
  });
});

describe('namespaces', () => {
  test('become Terminating, refuse new content, and go with everything in them', async () => {
    await api.post('/api/v1/namespaces', { metadata: { name: 'going' } });
    await api.post('/api/v1/namespaces/going/configmaps', configMap('inside'));
    await api.post('/api/v1/namespaces/going/configmaps', configMap('held', {}, { finalizers: ['example.com/x'] }));
    const from = (await api.get('/api/v1/namespaces')).body.metadata.resourceVersion;
    const deleted = await api.delete('/api/v1/namespaces/going');
    expect(deleted.body).toMatchObject({ kind: 'Namespace', status: { phase: 'Terminating' } });
    const refused = await api.post('/api/v1/namespaces/going/configmaps', configMap('late'));
    expect(refused).toMatchObject({
      status: 403,
      body: { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } },
    });
    const gone = firstEvent(`/api/v1/namespaces?watch=1&resourceVersion=${from}`, '"DELETED"');
    const left = firstEvent('/api/v1/namespaces/going/configmaps?watch=1&resourceVersion=0', '"deletionTimestamp"');
    expect(await left).toContain('"held"');
    await api.patch('merge', '/api/v1/namespaces/going/configmaps/held', { metadata: { finalizers: null } });
    expect(await gone).toContain('"going"');
    expect((await api.get('/api/v1/namespaces/going/configmaps')).body.items).toEqual([]);
  });

  test.each(['default', 'kube-system', 'kube-public'])('%s cannot be deleted', async (name) => {
    const { status, body } = await api.delete(`/api/v1/namespaces/${name}`);
    expect([status, body.message]).toEqual([
      403,
      `namespaces "${name}" is forbidden: this namespace may not be deleted`,
    ]);
  });
});

/** The first line of a stream that contains a text. */
async function firstEvent(path: string, text: string): Promise<string> {
  const { body } = await server.fetch(path);
  let rest = '';
  for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
    rest += Buffer.from(chunk).toString();
    const line = rest.split('\n').find((candidate) => candidate.includes(text));
    if (line !== undefined) return line;
  }
  throw new Error(`${path} ended before ${text}`);
}
