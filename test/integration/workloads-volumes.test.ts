// Claims, volumes and load balancers with `--simulate=workloads`.

import { expect, test } from 'vitest';
import { eventually, gone, turns } from './eventually.ts';
import { pods, startWorkloads } from './workloads.ts';

const claims = '/api/v1/namespaces/default/persistentvolumeclaims';
const volumes = '/api/v1/persistentvolumes';
const classes = '/apis/storage.k8s.io/v1/storageclasses';
const services = '/api/v1/namespaces/default/services';

const claim = (more: object = {}) => ({
  metadata: { name: 'data' },
  spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '2Gi' } }, ...more },
});

const volume = (name: string, storage: string, more: object = {}) => ({
  metadata: { name },
  spec: {
    capacity: { storage },
    accessModes: ['ReadWriteOnce'],
    hostPath: { path: '/x' },
    storageClassName: 'slow',
    ...more,
  },
});

test('claim: is bound to the smallest volume that is large enough', async () => {
  await using it = await startWorkloads();
  await it.create(volumes, volume('small', '1Gi'));
  await it.create(volumes, volume('large', '10Gi'));
  await it.create(volumes, volume('right', '3Gi'));
  await it.create(claims, claim({ storageClassName: 'slow' }));
  await it.settled(`${claims}/data`, {
    metadata: {
      annotations: { 'pv.kubernetes.io/bind-completed': 'yes', 'pv.kubernetes.io/bound-by-controller': 'yes' },
    },
    spec: { volumeName: 'right' },
    status: { phase: 'Bound', accessModes: ['ReadWriteOnce'], capacity: { storage: '3Gi' } },
  });
  await it.settled(`${volumes}/right`, {
    spec: { claimRef: { kind: 'PersistentVolumeClaim', namespace: 'default', name: 'data' } },
    status: { phase: 'Bound' },
  });
  await it.settled(`${volumes}/large`, { status: { phase: 'Available' } });
  await it.api.delete(`${claims}/data`);
  await it.settled(`${volumes}/right`, { status: { phase: 'Released' } });
});

test('claim: gets a volume from the provisioner of its class, which goes with it', async () => {
  await using it = await startWorkloads();
  await it.create(classes, { metadata: { name: 'fast' }, provisioner: 'disks.example.com' });
  const { metadata } = await it.create(claims, claim({ storageClassName: 'fast' }));
  const name = `pvc-${metadata.uid}`;
  await it.settled(`${claims}/data`, {
    spec: { volumeName: name },
    status: { phase: 'Bound', capacity: { storage: '2Gi' } },
  });
  await it.settled(`${volumes}/${name}`, {
    metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'disks.example.com' } },
    spec: { persistentVolumeReclaimPolicy: 'Delete', storageClassName: 'fast', claimRef: { uid: metadata.uid } },
    status: { phase: 'Bound' },
  });
  expect(await it.eventsOf('PersistentVolumeClaim')).toEqual([
    `ProvisioningSucceeded Successfully provisioned volume ${name}`,
  ]);
  await it.api.delete(`${claims}/data`);
  await gone(it.api, `${volumes}/${name}`);
});

test('claim: waits for a pod on a node where its class says so', async () => {
  await using it = await startWorkloads();
  await it.create(classes, {
    metadata: { name: 'local' },
    provisioner: 'disks.example.com',
    volumeBindingMode: 'WaitForFirstConsumer',
  });
  await it.create(claims, claim({ storageClassName: 'local' }));
  await eventually(async () =>
    expect(await it.eventsOf('PersistentVolumeClaim')).toEqual([
      'WaitForFirstConsumer waiting for first consumer to be created before binding',
    ]),
  );
  await turns();
  await it.settled(`${claims}/data`, { status: { phase: 'Pending' } });
  await it.create('/api/v1/nodes', { metadata: { name: 'n' } });
  const used = [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }];
  await it.create(pods, {
    metadata: { name: 'p' },
    spec: { nodeName: 'n', containers: [{ name: 'c', image: 'i' }], volumes: used },
  });
  await it.settled(`${claims}/data`, { status: { phase: 'Bound' } });
});

test('claim: says why it is not bound, and is lost without its volume', async () => {
  await using it = await startWorkloads();
  await it.create(claims, claim({ storageClassName: 'none' }));
  await eventually(async () =>
    expect(await it.eventsOf('PersistentVolumeClaim')).toEqual([
      'ProvisioningFailed storageclass.storage.k8s.io "none" not found',
    ]),
  );
  await it.create(volumes, volume('late', '5Gi', { storageClassName: 'none' }));
  await it.settled(`${claims}/data`, { status: { phase: 'Bound' } });
  await it.api.delete(`${volumes}/late`);
  await it.api.patch('merge', `${volumes}/late`, { metadata: { finalizers: null } });
  await it.settled(`${claims}/data`, { status: { phase: 'Lost' } });
});

test('load balancer: a service gets an address, and gives it back', async () => {
  await using it = await startWorkloads();
  const service = (name: string) => ({ metadata: { name }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
  await it.create(services, service('one'));
  await it.settled(`${services}/one`, {
    metadata: { finalizers: ['service.kubernetes.io/load-balancer-cleanup'] },
    status: { loadBalancer: { ingress: [{ ip: '198.18.0.1', ipMode: 'VIP' }] } },
  });
  await it.create(services, service('two'));
  await it.settled(`${services}/two`, { status: { loadBalancer: { ingress: [{ ip: '198.18.0.2' }] } } });
  await it.api.patch('merge', `${services}/one`, { spec: { type: 'ClusterIP' } });
  await eventually(async () => {
    const { body } = await it.api.get(`${services}/one`);
    expect([body.metadata.finalizers, body.status.loadBalancer]).toEqual([undefined, {}]);
  });
  await it.api.delete(`${services}/two`);
  await gone(it.api, `${services}/two`);
  await eventually(async () =>
    expect(await it.eventsOf('Service')).toEqual(
      expect.arrayContaining([
        'EnsuredLoadBalancer Ensured load balancer',
        'DeletedLoadBalancer Deleted load balancer',
      ]),
    ),
  );
});
