// Stateful sets with `--simulate=workloads`: ordinals, claims, revisions and partitions.

import { expect, test } from 'vitest';
import { eventually, turns } from './eventually.ts';
import { inDefault, startWorkloads, template } from './workloads.ts';

const sets = inDefault('apps', 'statefulsets');
const revisions = inDefault('apps', 'controllerrevisions');
const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const db = `${sets}/db`;

type Started = Awaited<ReturnType<typeof startWorkloads>>;

const set = (more: object = {}) => ({
  metadata: { name: 'db' },
  spec: {
    replicas: 3,
    serviceName: 'db',
    selector: { matchLabels: { app: 'db' } },
    template: template({ app: 'db' }),
    ...more,
  },
});

const names = async (it: Started): Promise<string[]> => (await it.listPods()).map(({ metadata }) => metadata.name);

/** Reports pods as ready until there are these, and nothing more happens. */
const reach = (it: Started, expected: string[], status: object) =>
  eventually(async () => {
    for (const pod of await it.listPods()) if (pod.status['phase'] === 'Pending') await it.setReady(pod.metadata.name);
    expect(await names(it)).toEqual(expected);
    const { body } = await it.api.get(db);
    expect(body.status).toMatchObject(status);
    return body;
  });

test('stateful set: makes one pod after the other, each with its name', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set());
  await eventually(async () => expect(await names(it)).toEqual(['db-0']));
  await turns();
  expect(await names(it)).toEqual(['db-0']);
  const done = await reach(it, ['db-0', 'db-1', 'db-2'], { readyReplicas: 3, currentReplicas: 3, collisionCount: 0 });
  expect(done.status).toMatchObject({ replicas: 3, availableReplicas: 3, updatedReplicas: 3, observedGeneration: 1 });
  expect(done.status.currentRevision).toBe(done.status.updateRevision);
  const [first] = await it.listPods();
  expect(first).toMatchObject({
    metadata: {
      labels: {
        'statefulset.kubernetes.io/pod-name': 'db-0',
        'apps.kubernetes.io/pod-index': '0',
        'controller-revision-hash': done.status.currentRevision,
      },
    },
    spec: { hostname: 'db-0', subdomain: 'db' },
  });
  expect((await it.eventsOf('StatefulSet')).sort()).toEqual(
    [0, 1, 2].map((ordinal) => `SuccessfulCreate create Pod db-${ordinal} in StatefulSet db successful`),
  );
});

test('stateful set: deletes the highest pod first, one after the other', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set());
  await reach(it, ['db-0', 'db-1', 'db-2'], { readyReplicas: 3 });
  await it.api.patch('merge', db, { spec: { replicas: 1 } });
  await reach(it, ['db-0'], { replicas: 1 });
  expect((await it.eventsOf('StatefulSet')).filter((event) => event.startsWith('SuccessfulDelete')).sort()).toEqual([
    'SuccessfulDelete delete Pod db-1 in StatefulSet db successful',
    'SuccessfulDelete delete Pod db-2 in StatefulSet db successful',
  ]);
});

test('stateful set: makes all pods at once where it may, from the first ordinal on', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set({ podManagementPolicy: 'Parallel', ordinals: { start: 5 } }));
  await eventually(async () => expect(await names(it)).toEqual(['db-5', 'db-6', 'db-7']));
});

test('stateful set: makes a claim for each pod, which stays or goes as the policy says', async () => {
  await using it = await startWorkloads();
  const volumeClaimTemplates = [
    {
      metadata: { name: 'data' },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
    },
  ];
  const persistentVolumeClaimRetentionPolicy = { whenScaled: 'Delete', whenDeleted: 'Retain' };
  await it.create(sets, set({ replicas: 2, volumeClaimTemplates, persistentVolumeClaimRetentionPolicy }));
  const claimNames = async () =>
    (await it.api.get(claims)).body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name);
  await reach(it, ['db-0', 'db-1'], { readyReplicas: 2 });
  expect(await claimNames()).toEqual(['data-db-0', 'data-db-1']);
  const [first] = await it.listPods();
  expect(first?.spec['volumes']).toEqual([{ name: 'data', persistentVolumeClaim: { claimName: 'data-db-0' } }]);
  expect((await it.eventsOf('StatefulSet')).join('\n')).toContain(
    'SuccessfulCreate Create Claim data-db-1 Pod db-1 in StatefulSet db success',
  );
  await it.api.patch('merge', db, { spec: { replicas: 1 } });
  await reach(it, ['db-0'], { replicas: 1 });
  await eventually(async () => expect(await claimNames()).toEqual(['data-db-0']));
});

test('stateful set: rolls a template out from the last pod to its partition, and keeps revisions', async () => {
  await using it = await startWorkloads();
  await it.create(sets, set({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition: 1 } } }));
  const before = await reach(it, ['db-0', 'db-1', 'db-2'], { readyReplicas: 3 });
  const change = (image: string) =>
    it.api.patch('strategic', db, { spec: { template: { spec: { containers: [{ name: 'c', image }] } } } });
  await change('next');
  const after = await reach(it, ['db-0', 'db-1', 'db-2'], { readyReplicas: 3, updatedReplicas: 2, currentReplicas: 1 });
  expect(after.status.currentRevision).toBe(before.status.currentRevision);
  expect(after.status.updateRevision).not.toBe(before.status.updateRevision);
  const images = async () =>
    (await it.listPods()).map(({ spec }) => (spec['containers'] as { image: string }[])[0]?.image);
  expect(await images()).toEqual(['i', 'next', 'next']);
  await it.api.patch('merge', db, { spec: { updateStrategy: { rollingUpdate: { partition: 0 } } } });
  const done = await reach(it, ['db-0', 'db-1', 'db-2'], { updatedReplicas: 3, currentReplicas: 3 });
  expect(done.status.currentRevision).toBe(after.status.updateRevision);
  expect(await images()).toEqual(['next', 'next', 'next']);
  const numbered = async () =>
    (await it.api.get(revisions)).body.items.map((one: { revision: number }) => one.revision).sort();
  expect(await numbered()).toEqual([1, 2]);
  await change('i');
  const back = await reach(it, ['db-0', 'db-1', 'db-2'], {
    updatedReplicas: 3,
    currentReplicas: 3,
    observedGeneration: 4,
  });
  expect(back.status.currentRevision).toBe(before.status.currentRevision);
  expect(await numbered()).toEqual([2, 3]);
});
