// Operators of custom resources written with @kubernetes/client-node: one that leads by a Lease and keeps objects, and one with
// controller-runtime's habits, whose list is a watch with an end mark and whose status is applied.

import { CustomObjectsApi, KubeConfig, PatchStrategy, setHeaderOptions, Watch } from '@kubernetes/client-node';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf, configMaps } from '../integration/api.ts';
import { definitionOf } from '../integration/definition-shapes.ts';
import { eventually, gone } from '../integration/eventually.ts';
import { finalizer, type Garden, GardenOperator } from './garden-operator.ts';

const group = 'node.example.com';
const text = { type: 'string' };
const properties = {
  spec: { type: 'object', required: ['plant'], properties: { plant: text } },
  status: { type: 'object', properties: { phase: text, plant: text, seen: text } },
};
const definition = definitionOf({
  ...{ plural: 'gardens', kind: 'Garden', group, version: { subresources: { status: {} } } },
  schema: { type: 'object', properties },
});
const gardens = `/apis/${group}/v1/namespaces/default/gardens`;
const garden = (name: string, plant: string) => ({
  apiVersion: `${group}/v1`,
  kind: 'Garden',
  metadata: { name },
  spec: { plant },
});

let server: Server;
let api: Api;
let config: KubeConfig;
beforeAll(async () => {
  server = await startTestServer();
  api = apiOf(server);
  config = new KubeConfig();
  config.loadFromString(server.kubeconfig);
});
afterAll(() => server.close());

test('an operator installs its definition, leads, reconciles, tells a status, hands over and cleans up', async () => {
  const operators = ['one', 'two'].map((identity) => new GardenOperator({ config, identity, definition }));
  const lease = '/apis/coordination.k8s.io/v1/namespaces/default/leases/gardener';
  const grown = (name: string, plant: string) =>
    eventually(async () => {
      expect((await api.get(`${gardens}/${name}`)).body.status).toEqual({ phase: 'Grown', plant });
      expect((await api.get(`${configMaps}/${name}`)).body.data).toEqual({ plant });
    });
  try {
    await Promise.all(operators.map((operator) => operator.start()));
    expect((await api.post(gardens, garden('back', 'rose'))).status).toBe(201);
    await grown('back', 'rose');
    expect(operators.filter(({ leads }) => leads)).toHaveLength(1);
    const { holderIdentity } = (await api.get(lease)).body.spec as { holderIdentity: string };
    const [leader, follower] = holderIdentity === 'one' ? operators : operators.toReversed();
    expect(leader?.leads).toBe(true);

    await api.patch('merge', `${gardens}/back`, { spec: { plant: 'tulip' } });
    await grown('back', 'tulip');
    expect((await api.get(`${gardens}/back`)).body.metadata).toMatchObject({ generation: 2, finalizers: [finalizer] });

    await leader?.stop();
    await eventually(async () => expect(follower?.leads).toBe(true));
    await api.patch('merge', `${gardens}/back`, { spec: { plant: 'oak' } });
    await grown('back', 'oak');

    expect((await api.delete(`${gardens}/back`)).body.metadata.deletionTimestamp).toBeDefined();
    await gone(api, `${gardens}/back`);
    await gone(api, `${configMaps}/back`);
  } finally {
    for (const operator of operators) await operator.stop();
  }
  expect((await api.get(lease)).body.spec.holderIdentity).toBeUndefined();
});

interface Event {
  readonly type: string;
  readonly object: Garden;
}

/** What a watch told until `isEnough`, and what it said when it ended. */
async function watched(query: Record<string, string>, isEnough: (events: readonly Event[]) => boolean) {
  const events: Event[] = [];
  const all = { allowWatchBookmarks: 'true', timeoutSeconds: '30', ...query };
  await new Promise<void>((resolve, reject) => {
    const seen = (type: string, object: Garden) => {
      events.push({ type, object });
      if (isEnough(events)) void watching.then((watch) => watch.abort());
    };
    const watching = new Watch(config).watch(gardens, all, seen, (error) =>
      isEnough(events) ? resolve() : reject(error ?? new Error('the watch ended early')),
    );
  });
  return events;
}

const isMarked = ({ type, object }: Event) =>
  type === 'BOOKMARK' && object.metadata?.annotations?.['k8s.io/initial-events-end'] === 'true';

test('a controller that streams its list goes on from the mark, and applies its part of the status', async () => {
  await api.post(gardens, garden('east', 'fern'));
  await api.post(gardens, garden('west', 'moss'));
  const initial = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan' };
  const state = await watched(initial, (events) => events.some(isMarked));
  expect(state.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`)).toEqual([
    'ADDED east',
    'ADDED west',
    'BOOKMARK ',
  ]);
  const mark = state.at(-1)?.object;
  expect(mark).toMatchObject({ kind: 'Garden', apiVersion: `${group}/v1` });
  const resourceVersion = mark?.metadata?.resourceVersion ?? '';

  // status is applied by each controller for its own fields; a conflict names the other one
  const custom = config.makeApiClient(CustomObjectsApi);
  const where = { group, version: 'v1', namespace: 'default', plural: 'gardens', name: 'east' };
  const applied = (fieldManager: string, status: object) =>
    custom.patchNamespacedCustomObjectStatus(
      {
        ...where,
        fieldManager,
        body: { apiVersion: `${group}/v1`, kind: 'Garden', metadata: { name: 'east' }, status },
      },
      setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply),
    ) as Promise<Garden>;
  await applied('grower', { phase: 'Grown', plant: 'fern' });
  const both = await applied('watcher', { seen: 'today' });
  expect(both.status).toEqual({ phase: 'Grown', plant: 'fern', seen: 'today' });
  expect(both.metadata?.managedFields?.map(({ manager, subresource }) => [manager, subresource])).toContainEqual([
    'watcher',
    'status',
  ]);
  await expect(applied('watcher', { phase: 'Wilted' })).rejects.toMatchObject({ code: 409 });
  expect((await applied('watcher', {})).status).toEqual({ phase: 'Grown', plant: 'fern' });

  // what happened since the mark is told, and nothing that came before it
  const later = await watched({ resourceVersion }, (events) => events.length === 3);
  expect(later.map(({ type, object }) => `${type} ${object.metadata?.name}`)).toEqual(
    Array<string>(3).fill('MODIFIED east'),
  );
  expect(later.at(-1)?.object.status).toEqual({ phase: 'Grown', plant: 'fern' });
});
