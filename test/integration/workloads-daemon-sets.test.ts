// Daemon sets with `--simulate=workloads`: one pod on each node that accepts it.

import { expect, test } from 'vitest';
import { eventually, turns } from './eventually.ts';
import { inDefault, pods, startWorkloads, template } from './workloads.ts';

const sets = inDefault('apps', 'daemonsets');
const agent = `${sets}/agent`;
const revisions = inDefault('apps', 'controllerrevisions');

type Started = Awaited<ReturnType<typeof startWorkloads>>;

const set = (more: object = {}, spec: object = {}) => ({
  metadata: { name: 'agent' },
  spec: { selector: { matchLabels: { app: 'agent' } }, template: template({ app: 'agent' }, spec), ...more },
});

async function addNodes(it: Started, ...names: string[]): Promise<void> {
  for (const name of names) {
    await it.create('/api/v1/nodes', { metadata: { name, labels: { disk: name } } });
    // a node has a taint until it is ready
    await it.api.patch('merge', `/api/v1/nodes/${name}`, { spec: { taints: null } });
  }
}

/** The node that each pod is for. */
async function targets(it: Started): Promise<string[]> {
  const found = (await it.listPods()).filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return found.map(({ spec }) => JSON.stringify(spec['affinity']).match(/"values":\["([^"]+)"\]/)?.[1] ?? '').sort();
}

const reach = (it: Started, status: object) =>
  eventually(async () => {
    for (const { metadata, status: current } of await it.listPods())
      if (current['phase'] === 'Pending') await it.setReady(metadata.name);
    const { body } = await it.api.get(agent);
    expect(body.status).toMatchObject(status);
    return body;
  });

test('daemon set: has a pod on each node, also on those that come later', async () => {
  await using it = await startWorkloads();
  await addNodes(it, 'a', 'b');
  await it.create(sets, set());
  await eventually(async () => expect(await targets(it)).toEqual(['a', 'b']));
  await addNodes(it, 'c');
  await eventually(async () => expect(await targets(it)).toEqual(['a', 'b', 'c']));
  const done = await reach(it, {
    desiredNumberScheduled: 3,
    numberReady: 3,
    numberAvailable: 3,
    updatedNumberScheduled: 3,
  });
  expect(done.status).toEqual({
    ...{ currentNumberScheduled: 3, desiredNumberScheduled: 3, numberAvailable: 3, numberMisscheduled: 0 },
    ...{ numberReady: 3, observedGeneration: 1, updatedNumberScheduled: 3 },
  });
  const [revision] = (await it.api.get(revisions)).body.items;
  const [first] = await it.listPods();
  expect(first?.metadata.labels['controller-revision-hash']).toBe(revision.metadata.labels['controller-revision-hash']);
  expect(revision.metadata.name).toBe(`agent-${revision.metadata.labels['controller-revision-hash']}`);
  expect(first?.metadata.labels['pod-template-generation']).toBe('1');
  const tolerated = ((first?.spec['tolerations'] ?? []) as { key: string }[]).map(({ key }) => key);
  expect(tolerated).toContain('node.kubernetes.io/unschedulable');
  await it.api.delete('/api/v1/nodes/c');
  await eventually(async () => expect(await targets(it)).toEqual(['a', 'b']));
});

test('daemon set: follows node selectors, affinity and taints', async () => {
  await using it = await startWorkloads();
  await addNodes(it, 'a', 'b', 'c');
  const term = { matchExpressions: [{ key: 'disk', operator: 'In', values: ['a', 'b'] }] };
  const affinity = {
    nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [term] } },
  };
  await it.create(sets, set({}, { affinity }));
  await eventually(async () => expect(await targets(it)).toEqual(['a', 'b']));
  await it.api.patch('merge', '/api/v1/nodes/a', { spec: { taints: [{ key: 'x', effect: 'NoExecute' }] } });
  await eventually(async () => expect(await targets(it)).toEqual(['b']));
  await it.api.patch('merge', '/api/v1/nodes/b', { spec: { taints: [{ key: 'x', effect: 'NoSchedule' }] } });
  await it.settled(agent, { status: { desiredNumberScheduled: 0, numberMisscheduled: 1 } });
});

test('daemon set: replaces pods of an old template as far as they may be missing', async () => {
  await using it = await startWorkloads();
  await addNodes(it, 'a', 'b', 'c');
  await it.create(sets, set());
  await reach(it, { numberAvailable: 3 });
  await it.api.patch('strategic', agent, {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'next' }] } } },
  });
  await it.settled(agent, { status: { observedGeneration: 2, updatedNumberScheduled: 1, numberUnavailable: 1 } });
  await turns();
  await it.settled(agent, { status: { updatedNumberScheduled: 1 } });
  await reach(it, { updatedNumberScheduled: 3, numberAvailable: 3 });
  expect((await it.api.get(revisions)).body.items.map((one: { revision: number }) => one.revision).sort()).toEqual([
    1, 2,
  ]);
});

test('daemon set: makes a pod again that failed, after a pause that grows', async () => {
  await using it = await startWorkloads();
  await addNodes(it, 'a');
  await it.create(sets, set());
  const [first] = await it.podCount(1);
  await it.report(first?.metadata.name ?? '', { phase: 'Failed' });
  const second = await eventually(async () => {
    const [pod] = await it.listPods();
    expect(pod?.metadata.name).not.toBe(first?.metadata.name);
    expect(pod).toBeDefined();
    return pod?.metadata.name ?? '';
  });
  await it.report(second, { phase: 'Failed' });
  await turns();
  expect((await it.api.get(`${pods}/${second}`)).status).toBe(200);
  it.clock.advance(1000);
  await eventually(async () => expect((await it.api.get(`${pods}/${second}`)).status).toBe(404));
  expect((await it.eventsOf('DaemonSet')).join('\n')).toContain(
    `FailedDaemonPod Found failed daemon pod default/${second}`,
  );
});
