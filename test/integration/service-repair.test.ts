// Addresses and node ports that do not agree with services are put right.

import { expect, test } from 'vitest';
import { portStore } from '../../src/groups/core/v1/service/node-ports.ts';
import { storedRecords } from '../../src/registry/records.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { eventually, turns } from './eventually.ts';

const services = '/api/v1/namespaces/default/services';
const addresses = '/apis/networking.k8s.io/v1/ipaddresses';
const labels = {
  'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
  'ipaddress.kubernetes.io/ip-family': 'IPv4',
};

async function start(options: object = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const store = openMemoryStore();
  const server = await startTestServer({ listen: false, clock, store, ...options });
  const api = apiOf(server);
  const made = async (path: string, object: object) => {
    const { status, body } = await api.post(path, object);
    expect([status, body.message]).toEqual([201, undefined]);
    return body;
  };
  const it = {
    ...{ api, clock, made, store },
    service: (name: string, spec: object = {}) =>
      made(services, { metadata: { name }, spec: { ports: [{ port: 80 }], ...spec } }),
    address: (name: string, service: string, given: object = labels) =>
      made(addresses, {
        metadata: { name, labels: given },
        spec: { parentRef: { resource: 'services', namespace: 'default', name: service } },
      }),
    status: async (path: string) => (await api.get(path)).status,
    /** The repair has looked at everything there was before: it gives back an address that no service has. */
    async untilLooked(unused: string) {
      await it.address(unused, 'gone');
      await eventually(async () => {
        clock.advance(30_000);
        expect(await it.status(`${addresses}/${unused}`)).toBe(404);
      });
    },
    async reasons() {
      const { items } = (await api.get('/api/v1/namespaces/default/events')).body;
      return items.map((event: Record<string, unknown>) => [event['reason'], event['reportingComponent']]);
    },
    async [Symbol.asyncDispose]() {
      await server.close();
      await store.close();
    },
  };
  return it;
}

const repairer = 'ipallocator-repair-controller';

test('an address that was deleted is reserved again for the service that has it', async () => {
  await using it = await start();
  const { clusterIP } = (await it.service('a')).spec;
  const first = (await it.api.get(`${addresses}/${clusterIP}`)).body;
  await it.api.delete(`${addresses}/${clusterIP}`);
  const again = await eventually(async () => {
    const { status, body } = await it.api.get(`${addresses}/${clusterIP}`);
    expect(status).toBe(200);
    return body;
  });
  expect(again.metadata.uid).not.toBe(first.metadata.uid);
  expect(again.metadata.labels).toEqual(labels);
  expect(again.spec).toEqual(first.spec);
  const { items } = (await it.api.get('/api/v1/namespaces/default/events')).body;
  expect(items).toEqual([
    expect.objectContaining({
      type: 'Warning',
      reason: 'ClusterIPNotAllocated',
      action: 'ClusterIPAllocation',
      message: `Cluster IP [IPv4]: ${clusterIP} is not allocated; repairing`,
      eventTime: '2030-01-01T00:00:00.000000Z',
      reportingComponent: repairer,
      reportingInstance: expect.stringMatching(/^ipallocator-repair-controller-./),
    }),
  ]);
});

test('an address whose labels were changed is made again', async () => {
  await using it = await start();
  const { clusterIP } = (await it.service('a')).spec;
  await it.api.patch('merge', `${addresses}/${clusterIP}`, { metadata: { labels: null } });
  await eventually(async () =>
    expect((await it.api.get(`${addresses}/${clusterIP}`)).body.metadata.labels).toEqual(labels),
  );
});

test('an address of a service that is not there is kept for a minute, then given back', async () => {
  await using it = await start();
  await it.address('10.0.0.77', 'gone');
  await it.address('10.0.0.78', 'gone', {});
  it.clock.advance(59_000);
  await turns();
  expect(await it.status(`${addresses}/10.0.0.77`)).toBe(200);
  await eventually(async () => {
    it.clock.advance(1000);
    expect(await it.status(`${addresses}/10.0.0.77`)).toBe(404);
  });
  expect(await it.status(`${addresses}/10.0.0.78`), 'another program manages it').toBe(200);
  expect(await it.reasons()).toEqual([['IPAddressNotAllocated', repairer]]);
});

test('an address of a service that does not have it is given back', async () => {
  await using it = await start();
  await it.service('a');
  it.clock.advance(60_000);
  await it.address('10.0.0.77', 'a');
  await eventually(async () => {
    it.clock.advance(1000);
    expect(await it.status(`${addresses}/10.0.0.77`)).toBe(404);
  });
  expect(await it.reasons()).toEqual([['IPAddressWrongReference', repairer]]);
});

test('services that come, change and go leave nothing to repair', async () => {
  await using it = await start();
  const { clusterIP } = (await it.service('a')).spec;
  await it.service('b', { type: 'ExternalName', externalName: 'example.com' });
  await it.api.patch('merge', `${services}/b`, { spec: { type: 'ClusterIP', externalName: null } });
  await it.api.patch('merge', `${services}/a`, {
    spec: { type: 'ExternalName', externalName: 'example.com', clusterIP: null },
  });
  await it.api.delete(`${services}/b`);
  await it.untilLooked('10.0.0.77');
  expect(await it.status(`${addresses}/${clusterIP}`)).toBe(404);
  expect((await it.api.get(addresses)).body.items).toHaveLength(1);
  expect(await it.reasons()).toEqual([['IPAddressNotAllocated', repairer]]);
});

test('an address that a client wrote in its own way is that of the service', async () => {
  await using it = await start({ serviceClusterIpRange: ['fd00:1::/112'] });
  const { clusterIPs } = (await it.service('a', { clusterIP: 'FD00:1::0005' })).spec;
  expect(clusterIPs).toEqual(['FD00:1::0005']);
  await it.untilLooked('fd00:1::77');
  await it.api.patch('merge', `${services}/a`, { metadata: { labels: { a: 'b' } } });
  await it.api.patch('merge', `${addresses}/fd00:1::5`, { metadata: { annotations: { a: 'b' } } });
  await it.untilLooked('fd00:1::78');
  expect(await it.status(`${addresses}/fd00:1::5`)).toBe(200);
  expect(await it.reasons()).toEqual([
    ['IPAddressNotAllocated', repairer],
    ['IPAddressNotAllocated', repairer],
  ]);
});

test('node ports are recorded again, and those of no service are free after some rounds', async () => {
  await using it = await start();
  await it.service('a', { type: 'NodePort', ports: [{ port: 80, nodePort: 30100 }] });
  const ports = portStore(storedRecords(it.store));
  const recorded = async () => (await ports.read()).ports;
  const [before, changed] = [await ports.read(), await ports.read()];
  changed.clear(30100);
  changed.set(30200);
  expect(await ports.replace(before, changed)).toBe(true);
  expect(await ports.replace(before, changed)).toBe(false);
  const round = async () => {
    it.clock.advance(180_000);
    await turns();
  };
  await eventually(async () => {
    await round();
    expect(await recorded()).toEqual([30100, 30200]);
  });
  const why = [['PortNotAllocated', 'portallocator-repair-controller']];
  await eventually(async () => expect(await it.reasons()).toEqual(why));
  await eventually(async () => {
    await round();
    expect(await recorded()).toEqual([30100]);
  });
  const { body } = await it.api.get('/metrics');
  expect(body).toContain('apiserver_nodeport_repair_port_errors_total{type="repair"} 1');
  expect(body).toContain('apiserver_nodeport_repair_port_errors_total{type="leak"} 1');
  // a look that met the change above is one
  expect(body).toMatch(/^apiserver_nodeport_repair_reconcile_errors_total [01]$/m);
});
