// Nodes that are lost: conditions, taints, and the eviction of their pods, with a clock that stands still.

import { expect, test } from 'vitest';
import { eventually, turns as pause } from './eventually.ts';
import { nodes, pods, startNodes } from './simulated-nodes.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const second = 1000;

type It = Awaited<ReturnType<typeof startNodes>>;

const stop = (it: It, name: string, value: string | null = 'true') =>
  it.api.patch('merge', `${nodes}/${name}`, {
    metadata: { annotations: { 'simulation.keelson.dev/stopped': value } },
  });

/** Stops a node and lets its grace period pass. */
async function lose(it: It, name: string): Promise<void> {
  await it.settled(`${leases}/${name}`, {});
  await stop(it, name);
  await pause();
  it.clock.advance(51 * second);
}

const pinned = (name: string, spec: object = {}) => ({ nodeSelector: { 'kubernetes.io/hostname': name }, ...spec });
const unreachable = 'node.kubernetes.io/unreachable';

/** Waits until no object is at a path. */
const deleted = (it: It, path: string) => eventually(async () => expect((await it.api.get(path)).status).toBe(404));

const conditionsOf = ({ status }: { status: { conditions: readonly Record<string, string>[] } }) =>
  status.conditions.map(({ type, status: holds, reason }) => `${type}=${holds} ${reason}`);

test('lost nodes: get unknown conditions and taints, and their pods are not ready', async () => {
  await using it = await startNodes({ simulate: ['nodes=3'] });
  await it.createPod('web', pinned('node-1'));
  await it.settled(`${pods}/web`, { status: { phase: 'Running' } });
  await lose(it, 'node-1');
  const node = await it.settled(`${nodes}/node-1`, {
    spec: {
      taints: [
        { key: unreachable, effect: 'NoSchedule', timeAdded: '2030-01-01T00:00:51Z' },
        { key: unreachable, effect: 'NoExecute', timeAdded: '2030-01-01T00:00:51Z' },
      ],
    },
  });
  expect(conditionsOf(node)).toEqual([
    'MemoryPressure=Unknown NodeStatusUnknown',
    'DiskPressure=Unknown NodeStatusUnknown',
    'PIDPressure=Unknown NodeStatusUnknown',
    'Ready=Unknown NodeStatusUnknown',
  ]);
  const pod = await it.settled(`${pods}/web`, { status: { phase: 'Running' } });
  const ready = pod.status.conditions.find(({ type }: { type: string }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'False', lastTransitionTime: '2030-01-01T00:00:51Z' });
  const events = await it.events('node-1', 'RegisteredNode', 'NodeNotReady');
  expect(events.map(({ message }: { message: string }) => message)).toContain(
    'Node node-1 status is now: NodeNotReady',
  );
});

test('lost nodes: evict a pod when its toleration ends', async () => {
  await using it = await startNodes({ simulate: ['nodes=2'] });
  const tolerations = [{ key: unreachable, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 30 }];
  await it.createPod('patient', pinned('node-1', { tolerations }));
  await it.createPod('stays', pinned('node-1', { tolerations: [{ operator: 'Exists' }] }));
  await it.settled(`${pods}/stays`, { status: { phase: 'Running' } });
  await it.settled(`${pods}/patient`, { status: { phase: 'Running' } });
  await lose(it, 'node-1');
  await it.settled(`${nodes}/node-1`, { spec: { taints: [{ effect: 'NoSchedule' }, { effect: 'NoExecute' }] } });
  await pause();
  expect((await it.pod('patient')).metadata.deletionTimestamp).toBeUndefined();
  it.clock.advance(30 * second);
  const pod = await it.settled(`${pods}/patient`, { metadata: { deletionGracePeriodSeconds: 30 } });
  expect(pod.status.conditions).toContainEqual(
    expect.objectContaining({
      ...{ type: 'DisruptionTarget', status: 'True', reason: 'DeletionByTaintManager' },
      message: 'Taint manager: deleting due to NoExecute taint',
    }),
  );
  expect((await it.pod('stays')).metadata.deletionTimestamp).toBeUndefined();
  // the agent of the node ends the pod when it is back
  await stop(it, 'node-1', null);
  await pause();
  it.clock.advance(30 * second);
  await deleted(it, `${pods}/patient`);
});

test('lost nodes: one that is back has no taints, its pods are ready, and nothing is evicted', async () => {
  await using it = await startNodes({ simulate: ['nodes=2'] });
  const tolerations = [{ operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 60 }];
  await it.createPod('web', pinned('node-1', { tolerations }));
  await it.settled(`${pods}/web`, { status: { phase: 'Running' } });
  await lose(it, 'node-1');
  await it.settled(`${nodes}/node-1`, { spec: { taints: [{ effect: 'NoSchedule' }, { effect: 'NoExecute' }] } });
  await pause();
  await stop(it, 'node-1', null);
  const node = await it.settled(`${nodes}/node-1`, { status: { conditions: [{}, {}, {}, { status: 'True' }] } });
  expect(conditionsOf(node)).toContain('Ready=True KubeletReady');
  await it.settled(`${pods}/web`, { status: { conditions: [{}, {}, { type: 'Ready', status: 'True' }, {}, {}] } });
  await eventually(async () => {
    const path = '/api/v1/namespaces/default/events?fieldSelector=involvedObject.name=web,reason=TaintManagerEviction';
    const { items } = (await it.api.get(path)).body;
    expect(items.map(({ message }: { message: string }) => message)).toEqual([
      'Cancelling deletion of Pod default/web',
    ]);
  });
  it.clock.advance(60 * second);
  await pause();
  const { spec } = await it.settled(`${nodes}/node-1`, {});
  expect(spec.taints).toBeUndefined();
  const pod = await it.pod('web');
  expect(pod.metadata.deletionTimestamp).toBeUndefined();
  expect(pod.status.conditions).toContainEqual(expect.objectContaining({ type: 'Ready', status: 'True' }));
});

test('lost nodes: when all are lost, no pod is evicted', async () => {
  await using it = await startNodes({ simulate: ['nodes'] });
  await it.createPod('web', { tolerations: [{ key: 'none' }] });
  await it.settled(`${pods}/web`, { status: { phase: 'Running' } });
  await lose(it, 'node-0');
  await it.settled(`${nodes}/node-0`, { status: { conditions: [{}, {}, {}, { status: 'Unknown' }] } });
  await it.settled(`${nodes}/node-0`, { spec: { taints: [{ key: unreachable, effect: 'NoSchedule' }] } });
  for (let i = 0; i < 60; i++) {
    it.clock.advance(10 * second);
    await pause();
  }
  const { spec } = await it.settled(`${nodes}/node-0`, {});
  expect(spec.taints).toHaveLength(1);
  expect((await it.pod('web')).metadata.deletionTimestamp).toBeUndefined();
});

test('lost nodes: a deployment gets its pods back on other nodes', async () => {
  await using it = await startNodes({ simulate: ['nodes=2', 'workloads'] });
  const labels = { app: 'web' };
  const deployment = '/apis/apps/v1/namespaces/default/deployments';
  await it.create(deployment, {
    metadata: { name: 'web' },
    spec: {
      replicas: 2,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [{ name: 'c', image: 'nginx' }] } },
    },
  });
  await it.settled(`${deployment}/web`, { status: { readyReplicas: 2 } });
  await lose(it, 'node-1');
  await it.settled(`${deployment}/web`, { status: { readyReplicas: 1 } });
  await it.settled(`${nodes}/node-1`, { spec: { taints: [{}, { effect: 'NoExecute' }] } });
  // what every pod tolerates
  it.clock.advance(300 * second);
  await it.settled(`${deployment}/web`, { status: { readyReplicas: 2 } });
  const { items } = (await it.api.get(pods)).body;
  const alive = items.filter((pod: { metadata: object }) => !('deletionTimestamp' in pod.metadata));
  expect(alive.map(({ spec }: { spec: { nodeName: string } }) => spec.nodeName)).toEqual(['node-0', 'node-0']);
});

test('other nodes: live by their leases', async () => {
  await using it = await startNodes({ simulate: ['nodes'] });
  await it.settled(`${leases}/node-0`, {});
  await it.create(nodes, { metadata: { name: 'silent' } });
  await it.create(nodes, { metadata: { name: 'mine' } });
  await it.create(leases, { metadata: { name: 'mine' }, spec: { renewTime: '2030-01-01T00:00:00.000000Z' } });
  const conditions = [{ type: 'Ready', status: 'True', reason: 'KubeletReady' }];
  await it.api.patch('merge', `${nodes}/mine/status`, { status: { conditions } });
  await pause();
  it.clock.advance(45 * second);
  await it.api.patch('merge', `${leases}/mine`, { spec: { renewTime: '2030-01-01T00:00:45.000000Z' } });
  await pause();
  it.clock.advance(16 * second);
  const silent = await it.settled(`${nodes}/silent`, { status: { conditions: [{ status: 'Unknown' }, {}, {}, {}] } });
  expect(conditionsOf(silent)).toContain('Ready=Unknown NodeStatusNeverUpdated');
  expect(conditionsOf((await it.api.get(`${nodes}/mine`)).body)).toEqual(['Ready=True KubeletReady']);
  it.clock.advance(35 * second);
  await it.settled(`${nodes}/mine`, { status: { conditions: [{ status: 'Unknown' }, {}, {}, {}] } });
});

test('taints: those of clients evict pods at once, unless they are tolerated', async () => {
  await using it = await startNodes({ simulate: ['nodes'] });
  const tolerations = [{ key: 'maintenance', operator: 'Exists' }];
  await it.createPod('tolerant', { tolerations, terminationGracePeriodSeconds: 0 });
  await it.createPod('other', { terminationGracePeriodSeconds: 0 });
  await it.settled(`${pods}/tolerant`, { status: { phase: 'Running' } });
  await it.settled(`${pods}/other`, { status: { phase: 'Running' } });
  await it.api.patch('merge', `${nodes}/node-0`, { spec: { taints: [{ key: 'maintenance', effect: 'NoExecute' }] } });
  await deleted(it, `${pods}/other`);
  await it.settled(`${pods}/tolerant`, { status: { phase: 'Running' } });
});
