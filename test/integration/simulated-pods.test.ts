// `--simulate=nodes`: nodes that renew their leases, a scheduler, and pods that live as a kubelet would write them.

import { expect, test } from 'vitest';
import { turns as pause } from './eventually.ts';
import { nodes, pods, startNodes } from './simulated-nodes.ts';

const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';

test('nodes: are registered as a kubelet does it', async () => {
  await using it = await startNodes({ simulate: ['nodes=2'] });
  const node = await it.settled(`${nodes}/node-1`, {
    metadata: {
      labels: {
        'kubernetes.io/hostname': 'node-1',
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/zone': 'zone-b',
      },
    },
    spec: { podCIDR: '10.128.1.0/24' },
    status: {
      allocatable: { cpu: '32', pods: '110' },
      addresses: [
        { type: 'InternalIP', address: '100.64.0.2' },
        { type: 'Hostname', address: 'node-1' },
      ],
      nodeInfo: { operatingSystem: 'linux', kubeletVersion: 'v1.36.4' },
    },
  });
  const conditions = node.status.conditions.map(({ type, status }: Record<string, string>) => `${type}=${status}`);
  expect(conditions).toEqual(['MemoryPressure=False', 'DiskPressure=False', 'PIDPressure=False', 'Ready=True']);
});

test('nodes: renew their leases, and report their status every five minutes', async () => {
  await using it = await startNodes();
  const { metadata, spec } = await it.settled(`${leases}/node-0`, {
    spec: { holderIdentity: 'node-0', leaseDurationSeconds: 40 },
  });
  expect(metadata.ownerReferences[0]).toMatchObject({ kind: 'Node', name: 'node-0' });
  it.clock.advance(10_000);
  await it.settled(`${leases}/node-0`, { spec: { renewTime: '2030-01-01T00:00:10.000000Z' } });
  expect(spec.renewTime).toBe('2030-01-01T00:00:00.000000Z');
  for (let i = 0; i < 30; i++) {
    it.clock.advance(10_000);
    await pause();
  }
  const { status } = await it.settled(`${nodes}/node-0`, {});
  expect(Date.parse(status.conditions[0].lastHeartbeatTime)).toBeGreaterThan(Date.parse('2030-01-01T00:00:00Z'));
});

test('nodes: one that is stopped renews nothing and runs nothing until it goes on', async () => {
  await using it = await startNodes();
  await it.settled(`${leases}/node-0`, {});
  const stop = (value: string | null) =>
    it.api.patch('merge', `${nodes}/node-0`, {
      metadata: { annotations: { 'simulation.keelson.dev/stopped': value } },
    });
  await stop('true');
  await it.createPod('web');
  await it.settled(`${pods}/web`, { spec: { nodeName: 'node-0' }, status: { phase: 'Pending' } });
  it.clock.advance(60_000);
  await pause();
  await it.settled(`${leases}/node-0`, { spec: { renewTime: '2030-01-01T00:00:00.000000Z' } });
  await stop(null);
  await it.settled(`${pods}/web`, { status: { phase: 'Running' } });
  await it.settled(`${leases}/node-0`, { spec: { renewTime: '2030-01-01T00:01:00.000000Z' } });
});

test('pods: run and are ready, with addresses, conditions and events', async () => {
  await using it = await startNodes();
  await it.createPod('web');
  const pod = await it.settled(`${pods}/web`, {
    spec: { nodeName: 'node-0' },
    status: { phase: 'Running', podIP: '10.128.0.1', hostIP: '100.64.0.1', observedGeneration: 1 },
  });
  const conditions = pod.status.conditions.map(({ type, status }: Record<string, string>) => `${type}=${status}`);
  expect(conditions).toEqual([
    'PodReadyToStartContainers=True',
    'Initialized=True',
    'Ready=True',
    'ContainersReady=True',
    'PodScheduled=True',
  ]);
  expect(pod.status.containerStatuses).toEqual([
    {
      name: 'c',
      state: { running: { startedAt: '2030-01-01T00:00:00Z' } },
      lastState: {},
      ready: true,
      restartCount: 0,
      image: 'docker.io/library/nginx:latest',
      imageID: expect.stringMatching(/^docker\.io\/library\/nginx@sha256:[0-9a-f]{64}$/),
      containerID: expect.stringMatching(/^containerd:\/\/[0-9a-f]{64}$/),
      started: true,
      resources: {},
      user: { linux: { uid: 0, gid: 0, supplementalGroups: [0] } },
    },
  ]);
  const events = await it.events('web', 'Scheduled', 'Pulling', 'Pulled', 'Created', 'Started');
  const started = events.find(({ reason }: { reason: string }) => reason === 'Started');
  expect(started).toMatchObject({
    involvedObject: { kind: 'Pod', fieldPath: 'spec.containers{c}' },
    source: { component: 'kubelet', host: 'node-0' },
    reportingInstance: 'node-0',
  });
  const scheduled = events.find(({ reason }: { reason: string }) => reason === 'Scheduled');
  expect(scheduled).toMatchObject({
    message: 'Successfully assigned default/web to node-0',
    action: 'Binding',
    reportingComponent: 'default-scheduler',
  });
});

test('pods: a task ends, and stays as it ended', async () => {
  await using it = await startNodes();
  await it.createPod('task', { restartPolicy: 'Never' });
  await it.settled(`${pods}/task`, { status: { phase: 'Running' } });
  it.clock.advance(1000);
  await it.settled(`${pods}/task`, {
    status: {
      phase: 'Succeeded',
      containerStatuses: [{ state: { terminated: { exitCode: 0, reason: 'Completed' } } }],
    },
  });
});

test('pods: annotations make a container crash, and say when they are wrong', async () => {
  await using it = await startNodes();
  const annotations = { 'simulation.keelson.dev/crash-loop': 'true' };
  await it.createPod('broken', {}, { annotations });
  await it.settled(`${pods}/broken`, {
    status: { containerStatuses: [{ restartCount: 1, state: { waiting: { reason: 'CrashLoopBackOff' } } }] },
  });
  it.clock.advance(10_000);
  await it.settled(`${pods}/broken`, { status: { containerStatuses: [{ restartCount: 2 }] } });
  await it.createPod('odd', {}, { annotations: { 'simulation.keelson.dev/exit-code': 'many' } });
  await it.settled(`${pods}/odd`, { status: { phase: 'Running' } });
  const events = await it.events('odd', 'Scheduled', 'Pulling', 'Pulled', 'Created', 'Started', 'InvalidSimulation');
  const invalid = events.find(({ reason }: { reason: string }) => reason === 'InvalidSimulation');
  expect(invalid.message).toBe('annotation simulation.keelson.dev/exit-code: must be a whole number from 0 to 255');
});

test('pods: a deletion completes when the containers have stopped', async () => {
  await using it = await startNodes();
  await it.createPod('quick');
  await it.createPod('slow', {}, { annotations: { 'simulation.keelson.dev/stop-seconds': '100' } });
  for (const name of ['quick', 'slow']) await it.settled(`${pods}/${name}`, { status: { phase: 'Running' } });
  await it.api.delete(`${pods}/quick`);
  await it.gone(`${pods}/quick`);
  await it.api.delete(`${pods}/slow`);
  await it.events('slow', 'Scheduled', 'Pulling', 'Pulled', 'Created', 'Started', 'Killing');
  await it.settled(`${pods}/slow`, { status: { phase: 'Running' } });
  it.clock.advance(30_000);
  await it.gone(`${pods}/slow`);
  await it.createPod('next');
  await it.settled(`${pods}/next`, { status: { phase: 'Running' } });
});

test('scheduler: says why a pod has no node, and finds one after a change', async () => {
  await using it = await startNodes();
  await it.settled(`${nodes}/node-0`, {});
  await it.api.patch('merge', `${nodes}/node-0`, { spec: { unschedulable: true } });
  await it.createPod('web');
  const message =
    '0/1 nodes are available: 1 node(s) were unschedulable. no new claims to deallocate, preemption: 0/1 nodes are available: 1 Preemption is not helpful for scheduling.';
  await it.settled(`${pods}/web`, {
    status: {
      phase: 'Pending',
      conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message }],
    },
  });
  const [event] = await it.events('web', 'FailedScheduling');
  expect(event).toMatchObject({ message, type: 'Warning', action: 'Scheduling' });
  await it.api.patch('merge', `${nodes}/node-0`, { spec: { unschedulable: null } });
  await pause();
  it.clock.advance(1000);
  await it.settled(`${pods}/web`, { status: { phase: 'Running' } });
});

test('scheduler: leaves pods alone that have gates, or another scheduler', async () => {
  await using it = await startNodes();
  await it.createPod('gated', { schedulingGates: [{ name: 'example.com/wait' }] });
  await it.createPod('other', { schedulerName: 'mine' });
  await it.createPod('plain');
  await it.settled(`${pods}/plain`, { status: { phase: 'Running' } });
  expect((await it.pod('gated')).spec.nodeName).toBeUndefined();
  expect((await it.pod('other')).spec.nodeName).toBeUndefined();
  await it.api.patch('merge', `${pods}/gated`, { spec: { schedulingGates: [] } });
  await it.settled(`${pods}/gated`, { status: { phase: 'Running' } });
});

test('scheduler: a higher priority takes the place of a lower one', async () => {
  await using it = await startNodes();
  await it.create('/apis/scheduling.k8s.io/v1/priorityclasses', { metadata: { name: 'high' }, value: 1000 });
  const containers = [{ name: 'c', image: 'i', resources: { requests: { cpu: '20' } } }];
  await it.createPod('low', { containers });
  await it.settled(`${pods}/low`, { status: { phase: 'Running' } });
  await it.createPod('high', { containers, priorityClassName: 'high' });
  await it.gone(`${pods}/low`);
  await pause();
  it.clock.advance(1000);
  await it.settled(`${pods}/high`, { spec: { nodeName: 'node-0' }, status: { phase: 'Running' } });
});
