// Replica sets with `--simulate=workloads`: pods that are made, counted, adopted, released and deleted.

import { expect, test } from 'vitest';
import { eventually, turns } from './eventually.ts';
import { inDefault, pods, startWorkloads, template } from './workloads.ts';

const sets = inDefault('apps', 'replicasets');
const set = (replicas: number, more: object = {}) => ({
  metadata: { name: 'web' },
  spec: { replicas, selector: { matchLabels: { app: 'web' } }, template: template(), ...more },
});

test('replica set: makes its pods from the template, and an event names each', async () => {
  await using it = await startWorkloads();
  const { metadata } = await it.create(sets, set(2, { template: template({ app: 'web', tier: 'x' }) }));
  const made = await it.podCount(2);
  for (const pod of made) {
    expect(pod.metadata.name).toMatch(/^web-[a-z0-9]{5}$/);
    expect(pod.metadata).toMatchObject({
      labels: { app: 'web', tier: 'x' },
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: metadata.uid, controller: true },
      ],
    });
  }
  await it.settled(`${sets}/web`, {
    status: { replicas: 2, fullyLabeledReplicas: 2, terminatingReplicas: 0, observedGeneration: 1 },
  });
  const names = made.map((pod) => `SuccessfulCreate Created pod: ${pod.metadata.name}`);
  await eventually(async () => expect((await it.eventsOf('ReplicaSet')).sort()).toEqual(names.sort()));
});

test('replica set: counts pods as ready, and as available after their time', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set(2, { minReadySeconds: 10 }));
  for (const { metadata } of await it.podCount(2)) await it.setReady(metadata.name);
  const ready = await it.settled(`${sets}/web`, { status: { readyReplicas: 2 } });
  expect(ready.status.availableReplicas).toBeUndefined();
  await turns();
  it.clock.advance(10_000);
  await it.settled(`${sets}/web`, { status: { readyReplicas: 2, availableReplicas: 2 } });
});

test('replica set: makes another pod for one that fails or is deleted', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set(1));
  const [first] = await it.podCount(1);
  await it.report(first?.metadata.name ?? '', { phase: 'Failed' });
  const both = await it.podCount(2);
  const second = both.find(({ metadata }) => metadata.name !== first?.metadata.name);
  await it.api.delete(`${pods}/${second?.metadata.name}`);
  await eventually(async () => {
    const names = (await it.listPods()).map(({ metadata }) => metadata.name);
    expect(names).toHaveLength(2);
    expect(names).not.toContain(second?.metadata.name);
  });
});

test('replica set: deletes first what is worth least', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set(3));
  const [a, b, c] = (await it.podCount(3)).map(({ metadata }) => metadata.name) as [string, string, string];
  await it.setReady(a);
  await it.setReady(c);
  await it.api.patch('merge', `${pods}/${c}`, {
    metadata: { annotations: { 'controller.kubernetes.io/pod-deletion-cost': '-5' } },
  });
  await it.settled(`${sets}/web`, { status: { readyReplicas: 2 } });
  await it.api.patch('merge', `${sets}/web`, { spec: { replicas: 2 } });
  expect((await it.podCount(2)).map(({ metadata }) => metadata.name).sort()).toEqual([a, c].sort());
  await it.api.patch('merge', `${sets}/web`, { spec: { replicas: 1 } });
  expect((await it.podCount(1)).map(({ metadata }) => metadata.name)).toEqual([a]);
  await eventually(async () =>
    expect(await it.eventsOf('ReplicaSet')).toEqual(
      expect.arrayContaining([`SuccessfulDelete Deleted pod: ${b}`, `SuccessfulDelete Deleted pod: ${c}`]),
    ),
  );
});

test('replica set: adopts a pod that it selects, and releases one that it selects no longer', async () => {
  await using it = await startWorkloads();
  const orphan = {
    metadata: { name: 'orphan', labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'i' }] },
  };
  await it.create(pods, orphan);
  await it.create(sets, set(1));
  await it.settled(`${pods}/orphan`, { metadata: { ownerReferences: [{ name: 'web' }] } });
  await it.settled(`${sets}/web`, { status: { replicas: 1 } });
  await it.api.patch('merge', `${pods}/orphan`, { metadata: { labels: { app: 'other' } } });
  const both = await it.podCount(2);
  expect(both.map(({ metadata }) => [metadata.name === 'orphan', metadata.ownerReferences?.length]).sort()).toEqual([
    [false, 1],
    [true, undefined],
  ]);
});

test('replica set: reports why pods cannot be made, and makes them once they can', async () => {
  await using it = await startWorkloads();
  await it.create('/api/v1/namespaces/default/resourcequotas', {
    metadata: { name: 'few' },
    spec: { hard: { pods: '1' } },
  });
  await it.settled('/api/v1/namespaces/default/resourcequotas/few', { status: { hard: { pods: '1' } } });
  await it.create(sets, set(3));
  const { status } = await it.settled(`${sets}/web`, {
    status: { replicas: 1, conditions: [{ type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate' }] },
  });
  expect(status.conditions[0].message).toMatch(/^pods "web-\w+" is forbidden: exceeded quota: few/);
  expect((await it.eventsOf('ReplicaSet')).join('\n')).toMatch(
    /FailedCreate Error creating: pods "web-\w+" is forbidden/,
  );
  await it.api.delete('/api/v1/namespaces/default/resourcequotas/few');
  await eventually(async () => {
    it.clock.advance(1000);
    expect(await it.listPods()).toHaveLength(3);
  });
  await eventually(async () => expect((await it.api.get(`${sets}/web`)).body.status.conditions).toBeUndefined());
});

test('replica set: its pods are deleted with it', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set(2));
  await it.podCount(2);
  await it.api.delete(`${sets}/web`);
  await it.podCount(0);
});

test('replication controller: makes, counts and deletes pods as a replica set does', async () => {
  await using it = await startWorkloads();
  const controllers = '/api/v1/namespaces/default/replicationcontrollers';
  await it.create(controllers, { metadata: { name: 'web' }, spec: { replicas: 2, template: template() } });
  const [first] = await it.podCount(2);
  expect(first?.metadata.ownerReferences).toMatchObject([{ kind: 'ReplicationController', name: 'web' }]);
  await it.setReady(first?.metadata.name ?? '');
  const counted = await it.settled(`${controllers}/web`, {
    status: { replicas: 2, readyReplicas: 1, availableReplicas: 1 },
  });
  expect(counted.status.terminatingReplicas).toBeUndefined();
  await it.api.patch('merge', `${controllers}/web`, { spec: { replicas: 1 } });
  const [left] = await it.podCount(1);
  expect(left?.metadata.name).toBe(first?.metadata.name);
});
