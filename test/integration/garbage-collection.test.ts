// What becomes of dependents when their owners go (spec: Object deletion; Kubernetes where it is silent).

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMap, configMaps } from './api.ts';
import { eventually, gone, turns } from './eventually.ts';

let server: Server;
let api: Api;
const clock = new FakeClock();
beforeAll(async () => {
  server = await startTestServer({ listen: false, clock });
  api = apiOf(server);
});
afterAll(() => server.close());

const at = (name: string) => `${configMaps}/${name}`;
const reference = (name: string, uid: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name,
  uid,
  ...more,
});

async function make(name: string, metadata: object = {}): Promise<string> {
  const { status, body } = await api.post(configMaps, configMap(name, {}, metadata));
  expect(status).toBe(201);
  return body.metadata.uid;
}

/** A dependent of objects that exist. */
async function owned(name: string, owners: Record<string, string>, more: object = {}, metadata: object = {}) {
  const ownerReferences = Object.entries(owners).map(([owner, uid]) => reference(owner, uid, more));
  return make(name, { ownerReferences, ...metadata });
}

const namesOf = async (path = configMaps): Promise<string[]> =>
  (await api.get(path)).body.items.map((item: { metadata: { name: string } }) => item.metadata.name);

describe('by default', () => {
  test('the whole tree below an owner goes after it', async () => {
    const root = await make('root');
    const branch = await owned('branch', { root });
    await owned('leaf', { branch });
    const { body } = await api.delete(at('root'));
    expect(body.status).toBe('Success');
    for (const name of ['branch', 'leaf']) await gone(api, at(name));
  });

  test('a dependent of very many owners goes with them, or stays with the one that is there', async () => {
    const absent = Array.from({ length: 550 }, (_, i) =>
      reference(`absent-${'x'.repeat(40)}-${i}`, `00000000-0000-0000-0000-${i}`),
    );
    const there = await make('there');
    await make('of-none', { ownerReferences: absent });
    await make('of-one', { ownerReferences: [...absent, reference('there', there)] });
    await gone(api, at('of-none'));
    await eventually(async () => {
      const { metadata } = (await api.get(at('of-one'))).body;
      expect(metadata.ownerReferences).toEqual([reference('there', there)]);
    });
    await api.delete(at('there'));
    await gone(api, at('of-one'));
  });

  test('a dependent with another owner stays, and forgets the one that went', async () => {
    const first = await make('first');
    const second = await make('second');
    await owned('shared', { first, second });
    await api.delete(at('first'));
    await eventually(async () => {
      const { metadata } = (await api.get(at('shared'))).body;
      expect(metadata.ownerReferences).toEqual([reference('second', second)]);
    });
    await api.delete(at('second'));
    await gone(api, at('shared'));
  });

  test('a dependent with finalizers is marked and waits for them', async () => {
    const boss = await make('boss');
    await owned('slow', { boss }, {}, { finalizers: ['example.com/x'] });
    await api.delete(at('boss'));
    await eventually(async () => expect((await api.get(at('slow'))).body.metadata.deletionTimestamp).toBeDefined());
    await api.patch('merge', at('slow'), { metadata: { finalizers: null } });
    expect((await api.get(at('slow'))).status).toBe(404);
  });
});

describe('an owner that is not there', () => {
  test('takes its dependent with it, whether it never was or has been replaced', async () => {
    await owned('orphan-of-none', { missing: '00000000-0000-0000-0000-000000000001' });
    await make('replaced');
    await owned('of-an-earlier-one', { replaced: '00000000-0000-0000-0000-000000000002' });
    for (const name of ['orphan-of-none', 'of-an-earlier-one']) await gone(api, at(name));
    expect((await api.get(at('replaced'))).status).toBe(200);
  });

  test('of an unknown kind proves nothing: the dependent stays', async () => {
    const unknown = { apiVersion: 'example.com/v1', kind: 'Widget', name: 'w', uid: 'u-1' };
    await make('of-a-widget', { ownerReferences: [unknown] });
    await turns();
    clock.advance(3_600_000);
    await turns();
    expect((await api.get(at('of-a-widget'))).status).toBe(200);
  });

  test('in another namespace is no owner: that is reported, and the dependent goes', async () => {
    const path = '/api/v1/namespaces/kube-public/configmaps';
    const { uid } = (await api.post(path, configMap('far'))).body.metadata;
    await owned('stray', { far: uid });
    await gone(api, at('stray'));
    const { items } = (await api.get('/api/v1/namespaces/default/events')).body;
    expect(items).toContainEqual(
      expect.objectContaining({
        reason: 'OwnerRefInvalidNamespace',
        type: 'Warning',
        message: `ownerRef [v1/ConfigMap, namespace: default, name: far, uid: ${uid}] does not exist in namespace "default"`,
      }),
    );
    expect((await api.get(`${path}/far`)).status).toBe(200);
  });

  test('inside a namespace cannot own what is outside: that is reported, and the object stays', async () => {
    const uid = await make('inner');
    const name = 'outer';
    await api.post('/api/v1/namespaces', { metadata: { name, ownerReferences: [reference('inner', uid)] } });
    await eventually(async () => {
      const { items } = (await api.get('/api/v1/namespaces/default/events')).body;
      const subjects = items.map((item: { involvedObject: { name: string } }) => item.involvedObject.name);
      expect(subjects).toContain(name);
    });
    await api.delete(at('inner'));
    await turns();
    expect((await api.get(`/api/v1/namespaces/${name}`)).body.status.phase).toBe('Active');
  });
});

describe('in the foreground', () => {
  test('the owner waits for the dependents that block it, and only for those', async () => {
    const lord = await make('lord');
    await owned('vassal', { lord }, { blockOwnerDeletion: true }, { finalizers: ['example.com/x'] });
    await owned('guest', { lord }, {}, { finalizers: ['example.com/x'] });
    const { status, body } = await api.delete(at('lord'), { propagationPolicy: 'Foreground' });
    expect([status, body.metadata.finalizers]).toEqual([200, ['foregroundDeletion']]);
    await eventually(async () => {
      for (const name of ['vassal', 'guest'])
        expect((await api.get(at(name))).body.metadata.deletionTimestamp).toBeDefined();
    });
    expect((await api.get(at('lord'))).status).toBe(200);
    await api.patch('merge', at('vassal'), { metadata: { finalizers: null } });
    await gone(api, at('lord'));
    expect((await api.get(at('guest'))).status).toBe(200);
    await api.patch('merge', at('guest'), { metadata: { finalizers: null } });
  });

  test('an owner without dependents goes', async () => {
    await make('single');
    await api.delete(`${at('single')}?propagationPolicy=Foreground`);
    await gone(api, at('single'));
  });

  test('grandchildren go before children', async () => {
    const old = await make('old');
    const middle = await owned('middle', { old }, { blockOwnerDeletion: true });
    await owned('young', { middle }, { blockOwnerDeletion: true });
    const from = (await api.get(configMaps)).body.metadata.resourceVersion;
    await api.delete(at('old'), { propagationPolicy: 'Foreground' });
    await gone(api, at('old'));
    const { body } = await server.fetch(`${configMaps}?watch=1&timeoutSeconds=1&resourceVersion=${from}`);
    const order: string[] = [];
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const lines = Buffer.from(chunk).toString().split('\n');
      for (const line of lines.filter((text) => text.includes('"DELETED"')))
        order.push(JSON.parse(line).object.metadata.name);
      if (order.length >= 3) break;
    }
    expect(order).toEqual(['young', 'middle', 'old']);
  });

  test('a circle does not wait for itself', async () => {
    const hen = await make('hen');
    const egg = await owned('egg', { hen }, { blockOwnerDeletion: true });
    const owner = reference('egg', egg, { blockOwnerDeletion: true });
    await api.patch('merge', at('hen'), { metadata: { ownerReferences: [owner] } });
    await api.delete(at('hen'), { propagationPolicy: 'Foreground' });
    for (const name of ['hen', 'egg']) await gone(api, at(name));
  });
});

describe('orphaning', () => {
  test('leaves the dependents, without the owner', async () => {
    const parent = await make('parent');
    await owned('child', { parent });
    const { status, body } = await api.delete(at('parent'), { propagationPolicy: 'Orphan' });
    expect([status, body.metadata.finalizers]).toEqual([200, ['orphan']]);
    await gone(api, at('parent'));
    expect((await api.get(at('child'))).body.metadata.ownerReferences).toBeUndefined();
  });

  test('is what jobs do unless told otherwise', async () => {
    const jobs = '/apis/batch/v1/namespaces/default/jobs';
    const template = { spec: { restartPolicy: 'Never', containers: [{ name: 'c', image: 'i' }] } };
    const made = await api.post(jobs, { metadata: { name: 'j' }, spec: { template } });
    expect(made.status).toBe(201);
    const owner = { apiVersion: 'batch/v1', kind: 'Job', name: 'j', uid: made.body.metadata.uid };
    await make('of-job', { ownerReferences: [owner] });
    await api.delete(`${jobs}/j`);
    await gone(api, `${jobs}/j`);
    expect((await api.get(at('of-job'))).body.metadata.ownerReferences).toBeUndefined();
  });
});

test('a thousand dependents go while other requests are answered', async () => {
  const many = '/api/v1/namespaces/kube-public/configmaps';
  const { uid } = (await api.post(many, configMap('hub'))).body.metadata;
  const metadata = { labels: { of: 'hub' }, ownerReferences: [reference('hub', uid)] };
  await Promise.all(Array.from({ length: 1000 }, (_, n) => api.post(many, configMap(`spoke-${n}`, {}, metadata))));
  await api.delete(`${many}/hub`);
  await eventually(async () => expect(await namesOf(`${many}?labelSelector=of&limit=5`)).toEqual([]));
});
