// Endpoint slices and Endpoints with `--simulate=workloads`.

import { expect, test } from 'vitest';
import { eventually } from './eventually.ts';
import { inDefault, pods, startWorkloads } from './workloads.ts';

const services = '/api/v1/namespaces/default/services';
const slices = inDefault('discovery.k8s.io', 'endpointslices');
const endpoints = '/api/v1/namespaces/default/endpoints';

type Started = Awaited<ReturnType<typeof startWorkloads>>;

const service = (more: object = {}) => ({
  metadata: { name: 'web', labels: { tier: 'front' } },
  spec: { selector: { app: 'web' }, ports: [{ name: 'http', port: 80, targetPort: 'http' }], ...more },
});

async function run(it: Started, name: string, ip: string, ready = true): Promise<void> {
  const ports = [{ name: 'http', containerPort: 8080 }];
  const spec = { nodeName: 'n', containers: [{ name: 'c', image: 'i', ports }] };
  await it.create(pods, { metadata: { name, labels: { app: 'web' } }, spec });
  await address(it, name, ip, ready);
}

const address = (it: Started, name: string, ip: string, ready = true) =>
  it.report(name, {
    ...{ phase: 'Running', podIP: ip, podIPs: [{ ip }] },
    conditions: [{ type: 'Ready', status: ready ? 'True' : 'False', lastTransitionTime: '2030-01-01T00:00:07Z' }],
  });

async function startWithNode(): Promise<Started> {
  const it = await startWorkloads();
  await it.create('/api/v1/nodes', { metadata: { name: 'n', labels: { 'topology.kubernetes.io/zone': 'a' } } });
  return it;
}

const slicesOf = async (it: Started, name = 'web') =>
  (await it.api.get(`${slices}?labelSelector=kubernetes.io/service-name=${name}`)).body.items;

test('endpoint slice: is empty without pods, and then has what tells of each', async () => {
  await using it = await startWithNode();
  const { metadata } = await it.create(services, service());
  await eventually(async () => {
    const [empty] = await slicesOf(it);
    expect(empty).toMatchObject({
      metadata: {
        generateName: 'web-',
        labels: {
          tier: 'front',
          'kubernetes.io/service-name': 'web',
          'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io',
        },
        annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': metadata.creationTimestamp },
        ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name: 'web', uid: metadata.uid, controller: true }],
      },
      addressType: 'IPv4',
    });
  });
  await run(it, 'one', '10.1.0.1');
  await run(it, 'two', '10.1.0.2', false);
  await eventually(async () => {
    const found = await slicesOf(it);
    expect(found).toHaveLength(1);
    expect(found[0].ports).toEqual([{ name: 'http', port: 8080, protocol: 'TCP' }]);
    const ready = { ready: true, serving: true, terminating: false };
    expect(found[0].endpoints).toMatchObject([
      { addresses: ['10.1.0.1'], conditions: ready, nodeName: 'n', zone: 'a', targetRef: { kind: 'Pod', name: 'one' } },
      { addresses: ['10.1.0.2'], conditions: { ...ready, ready: false, serving: false } },
    ]);
    expect(found[0].metadata.annotations).toEqual({
      'endpoints.kubernetes.io/last-change-trigger-time': '2030-01-01T00:00:07Z',
    });
  });
});

test('endpoints: list ready and other addresses, and go with the service', async () => {
  await using it = await startWithNode();
  await it.create(services, service());
  await run(it, 'one', '10.1.0.1');
  await run(it, 'two', '10.1.0.2', false);
  await it.settled(`${endpoints}/web`, {
    metadata: { labels: { tier: 'front', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
    subsets: [
      {
        addresses: [{ ip: '10.1.0.1', nodeName: 'n', targetRef: { kind: 'Pod', name: 'one', namespace: 'default' } }],
        notReadyAddresses: [{ ip: '10.1.0.2' }],
        ports: [{ name: 'http', port: 8080, protocol: 'TCP' }],
      },
    ],
  });
  await it.api.delete(`${services}/web`);
  await eventually(async () => expect((await it.api.get(`${endpoints}/web`)).status).toBe(404));
  await eventually(async () => expect(await slicesOf(it)).toEqual([]));
});

test('endpoint slice: a pod that is deleted serves until it is gone', async () => {
  await using it = await startWithNode();
  await it.create(services, service());
  await run(it, 'one', '10.1.0.1');
  await it.settled(`${endpoints}/web`, { subsets: [{ addresses: [{ ip: '10.1.0.1' }] }] });
  await it.api.delete(`${pods}/one`);
  await eventually(async () =>
    expect((await slicesOf(it))[0].endpoints).toMatchObject([
      { conditions: { ready: false, serving: true, terminating: true } },
    ]),
  );
  await eventually(async () => expect((await it.api.get(`${endpoints}/web`)).body.subsets).toBeUndefined());
  await it.api.delete(`${pods}/one`, { gracePeriodSeconds: 0 });
  await eventually(async () => expect((await slicesOf(it))[0].endpoints ?? []).toEqual([]));
});

test('endpoint slice: more than 100 endpoints are spread, and few slices change afterwards', async () => {
  await using it = await startWithNode();
  await it.create(services, service({ clusterIP: 'None', ports: [] }));
  for (let i = 0; i < 105; i++) await run(it, `pod-${i}`, `10.1.0.${i + 1}`);
  const before = await eventually(async () => {
    const found = await slicesOf(it);
    const sizes = found.map((slice: { endpoints: object[] | null }) => slice.endpoints?.length ?? 0);
    expect(sizes.reduce((a: number, b: number) => a + b, 0)).toBe(105);
    expect(found).toHaveLength(2);
    return found;
  });
  expect(before[0].metadata.labels['service.kubernetes.io/headless']).toBe('');
  await it.report('pod-0', { phase: 'Succeeded' });
  await eventually(async () => {
    const after = await slicesOf(it);
    const versions = (all: { metadata: { resourceVersion: string } }[]) =>
      all.map(({ metadata }) => metadata.resourceVersion);
    expect(versions(after).filter((version) => versions(before).includes(version))).toHaveLength(1);
  });
  await it.settled(`${endpoints}/web`, { metadata: { labels: { 'service.kubernetes.io/headless': '' } } });
});

test('endpoint slice: hints prefer the zone where the service asks for it', async () => {
  await using it = await startWithNode();
  await it.create(services, service({ trafficDistribution: 'PreferSameZone' }));
  await run(it, 'one', '10.1.0.1');
  await eventually(async () =>
    expect((await slicesOf(it))[0].endpoints).toMatchObject([{ hints: { forZones: [{ name: 'a' }] } }]),
  );
});

test('endpoints: the ports of a subset are in the order of Kubernetes', async () => {
  await using it = await startWithNode();
  const names = ['a', 'b', 'c', 'd'];
  await it.create(services, service({ ports: names.map((name, index) => ({ name, port: 80 + index })) }));
  await run(it, 'one', '10.1.0.1');
  const { subsets } = await it.settled(`${endpoints}/web`, { subsets: [{ addresses: [{ ip: '10.1.0.1' }] }] });
  expect(subsets).toHaveLength(1);
  expect(subsets[0].ports.map(({ name }: { name: string }) => name).sort()).toEqual(names);
});
