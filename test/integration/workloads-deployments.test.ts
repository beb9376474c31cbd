// Deployments with `--simulate=workloads`: rollouts, scaling, pauses, history and deadlines.

import { expect, test } from 'vitest';
import { eventually, turns } from './eventually.ts';
import { inDefault, pods, startWorkloads, template } from './workloads.ts';

const deployments = inDefault('apps', 'deployments');
const sets = inDefault('apps', 'replicasets');
const web = `${deployments}/web`;

const deployment = (more: object = {}) => ({
  metadata: { name: 'web', annotations: { note: 'first' } },
  spec: { replicas: 2, selector: { matchLabels: { app: 'web' } }, template: template(), ...more },
});

type Started = Awaited<ReturnType<typeof startWorkloads>>;

/** Reports pods as ready while the deployment is not where it should be. */
const reach = (it: Started, expected: object) =>
  eventually(async () => {
    for (const { metadata, status } of await it.listPods())
      if (status['phase'] === 'Pending' && metadata.deletionTimestamp === undefined) await it.setReady(metadata.name);
    const { body } = await it.api.get(web);
    expect(body).toMatchObject(expected);
    return body;
  });

const conditionsOf = ({ status }: { status: { conditions: { type: string; status: string; reason: string }[] } }) =>
  Object.fromEntries(status.conditions.map((one) => [one.type, `${one.status} ${one.reason}`]));

const setNames = async (it: Started): Promise<string[]> =>
  (await it.api.get(sets)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);

const complete = (replicas: number, observedGeneration: number) => ({
  status: {
    observedGeneration,
    replicas,
    updatedReplicas: replicas,
    readyReplicas: replicas,
    availableReplicas: replicas,
  },
});

test('deployment: makes a replica set by the hash of its template, and is complete once its pods are', async () => {
  await using it = await startWorkloads();
  await it.create(deployments, deployment());
  const waiting = await it.settled(web, {
    metadata: { annotations: { 'deployment.kubernetes.io/revision': '1' } },
    status: { observedGeneration: 1, replicas: 2, updatedReplicas: 2, unavailableReplicas: 2 },
  });
  expect(conditionsOf(waiting)).toEqual({
    Available: 'False MinimumReplicasUnavailable',
    Progressing: 'True ReplicaSetUpdated',
  });
  const done = await reach(it, complete(2, 1));
  expect(conditionsOf(done)).toEqual({
    Available: 'True MinimumReplicasAvailable',
    Progressing: 'True NewReplicaSetAvailable',
  });
  const [set] = (await it.api.get(sets)).body.items;
  const hash = set.metadata.labels['pod-template-hash'];
  expect(set).toMatchObject({
    metadata: {
      name: `web-${hash}`,
      annotations: {
        note: 'first',
        'deployment.kubernetes.io/revision': '1',
        'deployment.kubernetes.io/desired-replicas': '2',
        'deployment.kubernetes.io/max-replicas': '3',
      },
      ownerReferences: [{ kind: 'Deployment', name: 'web', controller: true, blockOwnerDeletion: true }],
    },
    spec: { selector: { matchLabels: { app: 'web', 'pod-template-hash': hash } } },
  });
  expect(await it.eventsOf('Deployment')).toEqual([`ScalingReplicaSet Scaled up replica set web-${hash} from 0 to 2`]);
  const progressing = done.status.conditions.find(({ type }: { type: string }) => type === 'Progressing');
  expect(progressing.message).toBe(`ReplicaSet "web-${hash}" has successfully progressed.`);
});

test('deployment: rolls a new template out within its limits, and back to the old replica set', async () => {
  await using it = await startWorkloads();
  const strategy = { rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } };
  await it.create(deployments, deployment({ replicas: 3, strategy }));
  await reach(it, complete(3, 1));
  const [first] = await setNames(it);
  await it.api.patch('strategic', web, {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'next' }] } } },
  });
  await it.podCount(4);
  await turns();
  expect(await it.listPods()).toHaveLength(4);
  await reach(it, complete(3, 2));
  const second = (await setNames(it)).find((name) => name !== first) as string;
  await it.settled(web, { metadata: { annotations: { 'deployment.kubernetes.io/revision': '2' } } });
  await it.settled(`${sets}/${first}`, { spec: { replicas: 0 } });
  const scaled = [
    `ScalingReplicaSet Scaled up replica set ${first} from 0 to 3`,
    `ScalingReplicaSet Scaled up replica set ${second} from 0 to 1`,
    `ScalingReplicaSet Scaled down replica set ${first} from 3 to 2`,
    `ScalingReplicaSet Scaled up replica set ${second} from 1 to 2`,
    `ScalingReplicaSet Scaled down replica set ${first} from 2 to 1`,
    `ScalingReplicaSet Scaled up replica set ${second} from 2 to 3`,
    `ScalingReplicaSet Scaled down replica set ${first} from 1 to 0`,
  ];
  expect((await it.eventsOf('Deployment')).sort()).toEqual(scaled.sort());
  await it.api.patch('strategic', web, { spec: { template: { spec: { containers: [{ name: 'c', image: 'i' }] } } } });
  await reach(it, complete(3, 3));
  await it.settled(`${sets}/${first}`, {
    metadata: {
      annotations: { 'deployment.kubernetes.io/revision': '3', 'deployment.kubernetes.io/revision-history': '1' },
    },
    spec: { replicas: 3 },
  });
  expect(await setNames(it)).toHaveLength(2);
});

test('deployment: with Recreate no new pod is made before the last old one is gone', async () => {
  await using it = await startWorkloads();
  await it.create('/api/v1/nodes', { metadata: { name: 'n' } });
  await it.create(
    deployments,
    deployment({ strategy: { type: 'Recreate' }, template: template({ app: 'web' }, { nodeName: 'n' }) }),
  );
  await reach(it, complete(2, 1));
  await it.api.patch('strategic', web, {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'next' }] } } },
  });
  const old = await eventually(async () => {
    const found = await it.listPods();
    expect(found.map(({ metadata }) => metadata.deletionTimestamp !== undefined)).toEqual([true, true]);
    return found;
  });
  await it.settled(web, { status: { terminatingReplicas: 2 } });
  await turns();
  expect(await setNames(it)).toHaveLength(1);
  for (const { metadata } of old) await it.api.delete(`${pods}/${metadata.name}`, { gracePeriodSeconds: 0 });
  await reach(it, complete(2, 2));
  expect(await setNames(it)).toHaveLength(2);
});

test('deployment: scales while it rolls out, in proportion, and while it is paused', async () => {
  await using it = await startWorkloads();
  await it.create(
    deployments,
    deployment({ replicas: 10, strategy: { rollingUpdate: { maxSurge: 3, maxUnavailable: 2 } } }),
  );
  await reach(it, complete(10, 1));
  const [first] = await setNames(it);
  await it.api.patch('strategic', web, {
    spec: { template: { spec: { containers: [{ name: 'c', image: 'next' }] } } },
  });
  await it.settled(`${sets}/${first}`, { spec: { replicas: 8 }, status: { replicas: 8 } });
  const second = (await setNames(it)).find((name) => name !== first) as string;
  await it.settled(`${sets}/${second}`, { spec: { replicas: 5 }, status: { replicas: 5 } });
  await it.api.patch('merge', web, { spec: { replicas: 15, paused: true } });
  await it.settled(`${sets}/${first}`, { spec: { replicas: 11 } });
  await it.settled(`${sets}/${second}`, { spec: { replicas: 7 } });
  const paused = await it.settled(web, { status: { observedGeneration: 3 } });
  expect(conditionsOf(paused)['Progressing']).toBe('Unknown DeploymentPaused');
  await it.api.patch('merge', web, { spec: { paused: false } });
  await reach(it, complete(15, 4));
});

test('deployment: keeps the number of old replica sets that it asks for', async () => {
  await using it = await startWorkloads();
  await it.create(deployments, deployment({ replicas: 1, revisionHistoryLimit: 1 }));
  await reach(it, complete(1, 1));
  for (const [index, image] of ['second', 'third', 'fourth'].entries()) {
    await it.api.patch('strategic', web, { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
    await reach(it, complete(1, index + 2));
  }
  await eventually(async () => expect(await setNames(it)).toHaveLength(2));
  await it.settled(web, { metadata: { annotations: { 'deployment.kubernetes.io/revision': '4' } } });
});

test('deployment: reports a rollout that makes no progress until its deadline', async () => {
  await using it = await startWorkloads();
  await it.create(deployments, deployment({ progressDeadlineSeconds: 60 }));
  await it.settled(web, { status: { unavailableReplicas: 2, updatedReplicas: 2 } });
  await turns();
  it.clock.advance(62_000);
  const late = await eventually(async () => {
    const { body } = await it.api.get(web);
    expect(conditionsOf(body)['Progressing']).toBe('False ProgressDeadlineExceeded');
    return body;
  });
  expect(late.status.conditions.find(({ type }: { type: string }) => type === 'Progressing').message).toMatch(
    /^ReplicaSet "web-\w+" has timed out progressing\.$/,
  );
  const done = await reach(it, complete(2, 1));
  expect(conditionsOf(done)['Progressing']).toBe('True NewReplicaSetAvailable');
});

test('deployment: takes another hash where another owner has the name', async () => {
  await using it = await startWorkloads();
  await it.create(deployments, deployment({ replicas: 0 }));
  const name = await eventually(async () => {
    const [first] = await setNames(it);
    expect(first).toBeDefined();
    return first as string;
  });
  await it.api.delete(web, { propagationPolicy: 'Background' });
  await eventually(async () => expect(await setNames(it)).toEqual([]));
  await it.create(sets, {
    metadata: { name },
    spec: { replicas: 0, selector: { matchLabels: { app: 'x' } }, template: template({ app: 'x' }) },
  });
  await it.create(deployments, deployment({ replicas: 0 }));
  await eventually(async () => {
    it.clock.advance(1000);
    expect((await it.api.get(web)).body.status.collisionCount).toBe(1);
    expect(await setNames(it)).toHaveLength(2);
  });
});
