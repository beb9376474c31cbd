// APIServices of what the server serves itself: of its own group-versions, and of those that definitions add.

import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { eventually, gone } from './eventually.ts';

let server: Server;
let api: Api;
beforeAll(async () => {
  server = await startTestServer({ listen: false });
  api = apiOf(server);
});
afterAll(() => server.close());

const services = '/apis/apiregistration.k8s.io/v1/apiservices';
const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const label = 'kube-aggregator.kubernetes.io/automanaged';
const schema = { openAPIV3Schema: { type: 'object' } };
const versionsOf = (...served: readonly string[]) =>
  ['v1', 'v2'].map((name, index) => ({ name, served: served.includes(name), storage: index === 0, schema }));

function define(plural: string, kind: string, versions: readonly object[], group = 'example.com') {
  const spec = { group, scope: 'Cluster', names: { plural, kind }, versions };
  return api.post(definitions, { metadata: { name: `${plural}.${group}` }, spec });
}

const found = (name: string) =>
  eventually(async () => {
    const answer = await api.get(`${services}/${name}`);
    expect(answer.status).toBe(200);
    return answer.body;
  });

test('group-versions of definitions are registered, and available at once', async () => {
  await define('apples', 'Apple', versionsOf('v1'));
  const { metadata, spec, status } = await found('v1.example.com');
  expect(metadata.labels).toEqual({ [label]: 'true' });
  expect(spec).toEqual({ group: 'example.com', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 });
  expect(status.conditions[0]).toMatchObject({ type: 'Available', status: 'True', reason: 'Local' });
  expect((await api.get(`${services}/v2.example.com`)).status).toBe(404);
  expect((await found('v1.apps')).metadata.labels).toEqual({ [label]: 'onstart' });
});

test('they go with the last definition that serves them', async () => {
  await define('pears', 'Pear', versionsOf('v1', 'v2'));
  await found('v2.example.com');
  await api.patch('merge', `${definitions}/pears.example.com`, { spec: { versions: versionsOf('v1') } });
  await gone(api, `${services}/v2.example.com`);
  expect((await api.get(`${services}/v1.example.com`)).status).toBe(200);
  for (const name of ['apples', 'pears']) await api.delete(`${definitions}/${name}.example.com`);
  await gone(api, `${services}/v1.example.com`);
});

test('one that was deleted or changed comes back, one without the label is left alone', async () => {
  await define('figs', 'Fig', versionsOf('v1'), 'fig.example.com');
  const { metadata } = await found('v1.fig.example.com');
  await api.delete(`${services}/v1.fig.example.com`);
  await eventually(async () => expect((await found('v1.fig.example.com')).metadata.uid).not.toBe(metadata.uid));
  await api.patch('merge', `${services}/v1.fig.example.com`, { spec: { versionPriority: 5 } });
  await eventually(async () => expect((await found('v1.fig.example.com')).spec.versionPriority).toBe(100));
  await api.patch('merge', `${services}/v1.fig.example.com`, {
    metadata: { labels: { [label]: null } },
    spec: { versionPriority: 5 },
  });
  await api.delete(`${definitions}/figs.fig.example.com`);
  await gone(api, `${definitions}/figs.fig.example.com`);
  expect((await found('v1.fig.example.com')).spec.versionPriority).toBe(5);
});

test('one that a server before this one left behind goes when it starts', async () => {
  const store = openMemoryStore();
  const stale = (name: string, managed: string) => ({
    metadata: { name: `v1.${name}.example.com`, labels: { [label]: managed } },
    spec: { group: `${name}.example.com`, version: 'v1', groupPriorityMinimum: 1000, versionPriority: 100 },
  });
  await using before = await startTestServer({ listen: false, store, controllers: [] });
  for (const [name, managed] of [
    ['a', 'true'],
    ['b', 'onstart'],
  ] as const)
    expect((await apiOf(before).post(services, stale(name, managed))).status).toBe(201);
  await using after = await startTestServer({ listen: false, store });
  for (const name of ['a', 'b']) await gone(apiOf(after), `${services}/v1.${name}.example.com`);
});

test('an edited priority of a group of the server orders the list of groups until the next start, not the aggregated document', async () => {
  const store = openMemoryStore();
  const groupsOf = async (from: Api) =>
    (await from.get('/apis')).body.groups.map(({ name }: { readonly name: string }) => name);
  const accept = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
  const firstOf = async (from: Api) => {
    const { body } = await from.get('/apis', { accept });
    return (typeof body === 'string' ? JSON.parse(body) : body).items[1].metadata.name;
  };
  const change = { spec: { groupPriorityMinimum: 19_000 } };
  await using first = await startTestServer({ listen: false, store });
  const its = apiOf(first);
  await eventually(async () => expect((await its.get(`${services}/v1.batch`)).status).toBe(200));
  const usual = await groupsOf(its);
  const leading = await firstOf(its);
  await its.patch('merge', `${services}/v1.batch`, change);
  await eventually(async () => expect((await groupsOf(its)).slice(0, 2)).toEqual(['apiregistration.k8s.io', 'batch']));
  expect([leading, await firstOf(its)]).not.toContain('batch');
  await using second = await startTestServer({ listen: false, store });
  for (const one of [apiOf(second), its]) await eventually(async () => expect(await groupsOf(one)).toEqual(usual));
});

test('a deleted one of the server is not listed until the next start, and served as before', async () => {
  const store = openMemoryStore();
  await using first = await startTestServer({ listen: false, store });
  const its = apiOf(first);
  const versionsOf = async (from: Api, group: string) => {
    const listed = (await from.get('/apis')).body.groups.find(({ name }: { readonly name: string }) => name === group);
    const { body } = await from.get(`/apis/${group}`);
    return [listed, body].map((one) => one?.versions.map(({ version }: { readonly version: string }) => version));
  };
  await eventually(async () => expect((await its.get(`${services}/v2.autoscaling`)).status).toBe(200));
  await its.delete(`${services}/v2.autoscaling`);
  await eventually(async () => expect(await versionsOf(its, 'autoscaling')).toEqual([['v1'], ['v1']]));
  expect((await its.get('/apis/autoscaling/v2/horizontalpodautoscalers')).status).toBe(200);
  await its.delete(`${services}/v1.autoscaling`);
  await eventually(async () => expect(await versionsOf(its, 'autoscaling')).toEqual([undefined, ['v2', 'v1']]));
  await using second = await startTestServer({ listen: false, store });
  const both = ['v2', 'v1'];
  for (const one of [apiOf(second), its])
    await eventually(async () => expect(await versionsOf(one, 'autoscaling')).toEqual([both, both]));
});
