// Pods that no node agent ends, and what the pod garbage collector does with them.

import { expect, test } from 'vitest';
import type { ServerOptions } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf } from './api.ts';
import { eventually, gone, turns } from './eventually.ts';

const pods = '/api/v1/namespaces/default/pods';
const nodes = '/api/v1/nodes';
const outOfService = { key: 'node.kubernetes.io/out-of-service', value: 'nodeshutdown', effect: 'NoExecute' };

async function start(options: ServerOptions = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const disableAdmissionPlugins = ['ServiceAccount', 'TaintNodesByCondition'];
  const controllers = ['pod-garbage-collector-controller', 'namespace-controller'];
  const server = await startTestServer({
    listen: false,
    settle: true,
    clock,
    disableAdmissionPlugins,
    controllers,
    ...options,
  });
  const api = apiOf(server);
  const made = async (path: string, object: object) => {
    const { status, body } = await api.post(path, object);
    expect([status, body.message]).toEqual([201, undefined]);
    return body;
  };
  const run = async (
    name: string,
    { node, at = pods, ...metadata }: { node?: string; at?: string; finalizers?: string[] },
  ) => {
    const spec = { containers: [{ name: 'c', image: 'i' }], ...(node && { nodeName: node }) };
    await made(at, { metadata: { name, ...metadata }, spec });
    return `${at}/${name}`;
  };
  const end = (path: string, status: object) => api.patch('merge', `${path}/status`, { status });
  const metric = async (name: string) =>
    ((await api.get('/metrics')).body as string).split('\n').filter((line) => line.startsWith(`${name}{`));
  /** The controllers see everything that was written before. */
  const advance = async (ms: number) => {
    await turns();
    clock.advance(ms);
  };
  return { advance, server, api, made, run, end, metric, [Symbol.asyncDispose]: () => server.close() };
}

const isThere = { status: 200 };

test('a namespace with a pod on a node that does not exist ends after the quarantine of the node', async () => {
  await using it = await start();
  await it.made('/api/v1/namespaces', { metadata: { name: 'stuck' } });
  const pod = await it.run('p', { node: 'missing', at: '/api/v1/namespaces/stuck/pods' });
  await it.api.delete('/api/v1/namespaces/stuck');
  await eventually(async () => expect((await it.api.get(pod)).body.metadata.deletionTimestamp).toBeDefined());
  await it.advance(39_000);
  expect(await it.api.get(pod)).toMatchObject(isThere);
  await it.advance(1000);
  await gone(it.api, pod);
  await it.advance(60_000);
  await gone(it.api, '/api/v1/namespaces/stuck');
  expect(await it.metric('pod_gc_collector_force_delete_pods_total')).toEqual([
    'pod_gc_collector_force_delete_pods_total{namespace="stuck",reason="orphaned"} 1',
  ]);
});

test('an orphaned pod with a finalizer fails and shows why, before it is deleted', async () => {
  await using it = await start();
  const pod = await it.run('p', { node: 'missing', finalizers: ['example.com/x'] });
  await it.advance(40_000);
  await eventually(async () =>
    expect((await it.api.get(pod)).body).toMatchObject({
      metadata: { deletionTimestamp: '2030-01-01T00:00:40Z', deletionGracePeriodSeconds: 0 },
      status: {
        phase: 'Failed',
        observedGeneration: 1,
        conditions: [
          {
            type: 'DisruptionTarget',
            status: 'True',
            observedGeneration: 1,
            lastTransitionTime: '2030-01-01T00:00:40Z',
            reason: 'DeletionByPodGC',
            message: 'PodGC: node no longer exists',
          },
        ],
      },
    }),
  );
  await it.api.patch('merge', pod, { metadata: { finalizers: null } });
  await gone(it.api, pod);
});

test('a node that registers during the quarantine keeps its pods; when it is deleted they follow', async () => {
  await using it = await start();
  const [early, other] = [await it.run('early', { node: 'late' }), await it.run('other', { node: 'missing' })];
  await it.advance(30_000);
  await it.made(nodes, { metadata: { name: 'late' } });
  await it.advance(10_000);
  await gone(it.api, other);
  await it.advance(60_000);
  expect(await it.api.get(early)).toMatchObject({ status: 200, body: { status: { phase: 'Pending' } } });
  await it.api.delete(`${nodes}/late`);
  await eventually(async () => {
    await it.advance(40_000);
    expect(await it.api.get(early)).toMatchObject({ status: 404 });
  });
});

test('pods and nodes that were stored before the server started are looked at', async () => {
  using folder = new TempFolder();
  const stored = { store: 'embedded', dataDir: folder.path } as const;
  let paths: string[] = [];
  {
    await using it = await start({ ...stored, controllers: [] });
    await it.made(nodes, { metadata: { name: 'real' } });
    paths = [await it.run('kept', { node: 'real' }), await it.run('orphan', { node: 'missing' })];
  }
  const [kept = '', orphan = ''] = paths;
  await using it = await start(stored);
  await eventually(async () => {
    await it.advance(40_000);
    expect(await it.api.get(orphan)).toMatchObject({ status: 404 });
  });
  expect(await it.api.get(kept)).toMatchObject(isThere);
});

test('a node that is out of service loses its terminating pods, unless it is ready', async () => {
  await using it = await start();
  const conditions = [{ type: 'Ready', status: 'True' }];
  for (const name of ['dead', 'ready']) {
    await it.made(nodes, { metadata: { name }, spec: { taints: [outOfService] } });
    if (name === 'ready') await it.end(`${nodes}/${name}`, { conditions });
  }
  const [going, staying, onReady] = [
    await it.run('going', { node: 'dead' }),
    await it.run('staying', { node: 'dead' }),
    await it.run('on-ready', { node: 'ready' }),
  ];
  for (const pod of [going, onReady]) await it.api.delete(`${pod}?gracePeriodSeconds=600`);
  await it.advance(20_000);
  await gone(it.api, going);
  for (const pod of [staying, onReady]) expect(await it.api.get(pod)).toMatchObject(isThere);
  // it fails now, with a pod that terminates already
  await it.end(`${nodes}/ready`, { conditions: [{ type: 'Ready', status: 'Unknown' }] });
  await eventually(async () => {
    await it.advance(20_000);
    expect(await it.api.get(onReady)).toMatchObject({ status: 404 });
  });
  expect(await it.metric('pod_gc_collector_force_delete_pods_total')).toEqual([
    'pod_gc_collector_force_delete_pods_total{namespace="default",reason="out-of-service"} 2',
  ]);
});

test('a terminating pod without a node fails at once, and waits for its finalizers only', async () => {
  await using it = await start();
  const pod = await it.run('p', { finalizers: ['example.com/x'] });
  await it.api.delete(pod);
  await it.advance(19_000);
  expect((await it.api.get(pod)).body.status.phase).toBe('Pending');
  await it.advance(1000);
  await eventually(async () => expect((await it.api.get(pod)).body.status.phase).toBe('Failed'));
  expect((await it.api.get(pod)).body.status.conditions ?? []).toEqual([]);
});

test('of pods that have ended, the oldest above the threshold are deleted, evicted ones before all others', async () => {
  await using it = await start({ terminatedPodGcThreshold: 2 });
  const paths: string[] = [];
  for (const name of ['old', 'older', 'evicted', 'running']) {
    paths.push(await it.run(name, {}));
    await it.advance(1000);
  }
  const [old = '', older = '', evicted = '', running = ''] = paths;
  await it.end(old, { phase: 'Succeeded' });
  await it.end(older, { phase: 'Failed' });
  await it.end(running, { phase: 'Running' });
  await it.advance(60_000);
  for (const path of paths) expect(await it.api.get(path)).toMatchObject(isThere);
  await it.end(evicted, { phase: 'Failed', reason: 'Evicted' });
  await eventually(async () => {
    await it.advance(20_000);
    expect(await it.api.get(evicted)).toMatchObject({ status: 404 });
  });
  const last = await it.run('last', {});
  await it.end(last, { phase: 'Succeeded' });
  await eventually(async () => {
    await it.advance(20_000);
    expect(await it.api.get(old)).toMatchObject({ status: 404 });
  });
  for (const path of [older, last, running]) expect(await it.api.get(path)).toMatchObject(isThere);
});

test('a threshold of 0 keeps all pods that have ended', async () => {
  await using it = await start({ terminatedPodGcThreshold: 0 });
  const pod = await it.run('p', {});
  await it.end(pod, { phase: 'Succeeded' });
  await it.advance(600_000);
  expect(await it.api.get(pod)).toMatchObject(isThere);
});

test('the collector is switched off by either of its names', async () => {
  for (const name of ['podgc', 'pod-garbage-collector-controller']) {
    await using it = await start({ controllers: [`-${name}`, '*'] });
    const pod = await it.run('p', { node: 'missing' });
    await it.advance(600_000);
    expect(await it.api.get(pod)).toMatchObject(isThere);
  }
});
