// Services and what they are given: addresses, node ports, and their return.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { openMemoryStore } from '../../src/storage/memory/memory-store.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type Api, apiOf } from './api.ts';
import { gone } from './eventually.ts';

const services = '/api/v1/namespaces/default/services';
const addresses = '/apis/networking.k8s.io/v1/ipaddresses';

function service(name: string, spec: object = {}, metadata: object = {}): object {
  const ports = [{ port: 80 }];
  return { kind: 'Service', apiVersion: 'v1', metadata: { name, ...metadata }, spec: { ports, ...spec } };
}

const causes = (body: { details?: { causes?: { reason: string; field: string }[] } }) =>
  (body.details?.causes ?? []).map(({ reason, field }) => `${reason.replace('FieldValue', '')} ${field}`);

let server: Server;
let api: Api;
beforeAll(async () => {
  // ranges of addresses are as the tests write them
  server = await startTestServer({ listen: false, controllers: ['*', '-service-cidr-controller'] });
  api = apiOf(server);
});
afterAll(() => server.close());

describe('a new service', () => {
  test('gets an address and everything its author left out', async () => {
    const { status, body } = await api.post(services, service('plain', { ports: [{ port: 80, name: 'web' }] }));
    expect(status).toBe(201);
    expect(body.spec).toEqual({
      ports: [{ name: 'web', protocol: 'TCP', port: 80, targetPort: 80 }],
      clusterIP: expect.stringMatching(/^10\.0\.0\.\d+$/),
      clusterIPs: [body.spec.clusterIP],
      type: 'ClusterIP',
      sessionAffinity: 'None',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      internalTrafficPolicy: 'Cluster',
    });
    expect(body.status).toEqual({ loadBalancer: {} });
    // the lower sixteen are left to those who choose
    expect(Number(body.spec.clusterIP.split('.')[3])).toBeGreaterThan(16);
  });

  test('has its address written down in an IPAddress', async () => {
    const { body } = await api.post(services, service('noted'));
    const noted = (await api.get(`${addresses}/${body.spec.clusterIP}`)).body;
    expect(noted.spec).toEqual({ parentRef: { resource: 'services', namespace: 'default', name: 'noted' } });
    expect(noted.metadata.labels).toEqual({
      'ipaddress.kubernetes.io/ip-family': 'IPv4',
      'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io',
    });
  });

  test('without a selector and an address takes both families', async () => {
    const { body } = await api.post(services, service('headless', { clusterIP: 'None', ports: undefined }));
    expect(body.spec).toMatchObject({
      clusterIP: 'None',
      clusterIPs: ['None'],
      ipFamilies: ['IPv4', 'IPv6'],
      ipFamilyPolicy: 'RequireDualStack',
    });
  });

  test('that is a name for another host gets no address', async () => {
    const { body } = await api.post(
      services,
      service('elsewhere', { type: 'ExternalName', externalName: 'a.example' }),
    );
    expect(body.spec).not.toHaveProperty('clusterIP');
    expect(body.spec).not.toHaveProperty('ipFamilies');
  });

  test('of a load balancer that keeps traffic on its node gets a port for health checks', async () => {
    const spec = { type: 'LoadBalancer', externalTrafficPolicy: 'Local' };
    const { body } = await api.post(services, service('balanced', spec));
    expect(body.spec.allocateLoadBalancerNodePorts).toBe(true);
    const given = [body.spec.ports[0].nodePort, body.spec.healthCheckNodePort];
    for (const port of given) expect(port).toBeGreaterThanOrEqual(30000);
    expect(given[0]).not.toBe(given[1]);
  });

  test('shares a node port among ports of the same number', async () => {
    const ports = [
      { name: 'udp', port: 53, protocol: 'UDP' },
      { name: 'tcp', port: 53 },
    ];
    const { body } = await api.post(services, service('dns', { type: 'NodePort', ports }));
    expect(body.spec.ports[0].nodePort).toBe(body.spec.ports[1].nodePort);
  });
});

describe('an address or a port that is asked for', () => {
  test('is given once', async () => {
    const first = await api.post(services, service('first', { clusterIP: '10.0.0.9' }));
    expect(first.body.spec.clusterIPs).toEqual(['10.0.0.9']);
    const second = await api.post(services, service('second', { clusterIP: '10.0.0.9' }));
    expect(second.status).toBe(422);
    expect(causes(second.body)).toEqual(['Invalid spec.clusterIPs']);
    expect(second.body.message).toContain('provided IP is already allocated');
  });

  test.each(['192.168.1.1', '10.0.0.0', '10.0.0.255'])('%s is not in the range', async (clusterIP) => {
    const { status, body } = await api.post(services, service('far', { clusterIP }));
    expect(status).toBe(422);
    expect(body.message).toContain('the provided network does not match the current range');
  });

  test('is a node port of the range, given once', async () => {
    const asked = (name: string, nodePort: number) =>
      api.post(services, service(name, { type: 'NodePort', ports: [{ port: 80, nodePort }] }));
    expect((await asked('np1', 30010)).status).toBe(201);
    const taken = await asked('np2', 30010);
    expect(causes(taken.body)).toEqual(['Invalid spec.ports[0].nodePort']);
    expect(taken.body.message).toContain('provided port is already allocated');
    expect((await asked('np3', 80)).body.message).toContain('The range of valid ports is 30000-32767');
  });

  test('comes back when the create fails', async () => {
    const spec = { type: 'NodePort', clusterIP: '10.0.0.10', ports: [{ port: 80, nodePort: 30011 }] };
    const refused = await api.post(services, service('bad', { ...spec, selector: { 'a b': 'c' } }));
    expect(causes(refused.body)).toEqual(['Invalid spec.selector']);
    expect((await api.post(services, service('good', spec))).status).toBe(201);
  });

  test('comes back when the name is taken', async () => {
    await api.post(services, service('once'));
    const spec = { clusterIP: '10.0.0.11' };
    expect((await api.post(services, service('once', spec))).body.reason).toBe('AlreadyExists');
    expect((await api.get(`${addresses}/10.0.0.11`)).status).toBe(404);
  });

  test('is not taken by a dry run', async () => {
    const spec = { type: 'NodePort', clusterIP: '10.0.0.12', ports: [{ port: 80, nodePort: 30012 }] };
    expect((await api.post(`${services}?dryRun=All`, service('tried', spec))).status).toBe(201);
    expect((await api.get(`${addresses}/10.0.0.12`)).status).toBe(404);
    expect((await api.post(services, service('tried', spec))).status).toBe(201);
  });

  test('comes back with the service', async () => {
    const spec = { type: 'NodePort', clusterIP: '10.0.0.13', ports: [{ port: 80, nodePort: 30013 }] };
    await api.post(services, service('passing', spec));
    const { status, body } = await api.delete(`${services}/passing`);
    expect([status, body.kind]).toEqual([200, 'Service']);
    expect((await api.get(`${addresses}/10.0.0.13`)).status).toBe(404);
    expect((await api.post(services, service('next', spec))).status).toBe(201);
  });

  test('comes back when the last finalizer of a deleted service goes', async () => {
    await api.post(services, service('held', { clusterIP: '10.0.0.14' }, { finalizers: ['example.com/x'] }));
    await api.delete(`${services}/held`);
    expect((await api.get(`${addresses}/10.0.0.14`)).status).toBe(200);
    await api.patch('merge', `${services}/held`, { metadata: { finalizers: null } });
    expect((await api.get(`${addresses}/10.0.0.14`)).status).toBe(404);
  });
});

describe('a change of a service', () => {
  test('that leaves out what was given keeps it', async () => {
    const { body } = await api.post(services, service('kept', { type: 'NodePort' }));
    const { resourceVersion } = body.metadata;
    const put = service('kept', { type: 'NodePort', selector: { a: 'b' } }, { resourceVersion });
    const after = (await api.put(`${services}/kept`, put)).body;
    expect(after.spec.clusterIP).toBe(body.spec.clusterIP);
    expect(after.spec.ports).toEqual(body.spec.ports);
  });

  test('may not move the address', async () => {
    await api.post(services, service('fixed', { clusterIP: '10.0.0.15' }));
    const { status, body } = await api.patch('merge', `${services}/fixed`, { spec: { clusterIP: '10.0.0.16' } });
    expect(status).toBe(422);
    expect(causes(body)).toEqual(['Invalid spec.clusterIPs[0]']);
    expect((await api.get(`${addresses}/10.0.0.16`)).status).toBe(404);
  });

  test('of the type gives back node ports, and takes them', async () => {
    const ports = [{ port: 80, nodePort: 30014 }];
    await api.post(services, service('turn', { type: 'NodePort', ports }));
    const turned = await api.patch('merge', `${services}/turn`, { spec: { type: 'ClusterIP' } });
    expect(turned.body.spec).not.toHaveProperty('externalTrafficPolicy');
    expect(turned.body.spec.ports[0]).not.toHaveProperty('nodePort');
    expect((await api.post(services, service('heir', { type: 'NodePort', ports }))).status).toBe(201);
    const back = await api.patch('merge', `${services}/turn`, { spec: { type: 'NodePort' } });
    expect(back.body.spec.ports[0].nodePort).toBeGreaterThan(30014);
  });

  test('to a name for another host gives back the address, and from it gets one', async () => {
    await api.post(services, service('switch', { clusterIP: '10.0.0.8' }));
    const away = { spec: { type: 'ExternalName', externalName: 'a.example' } };
    const named = await api.patch('merge', `${services}/switch`, away);
    expect(named.body.spec).not.toHaveProperty('clusterIPs');
    expect((await api.get(`${addresses}/10.0.0.8`)).status).toBe(404);
    const back = { spec: { type: 'ClusterIP', externalName: null } };
    expect((await api.patch('merge', `${services}/switch`, back)).body.spec.clusterIP).toMatch(/^10\.0\.0\./);
  });

  test('by PUT creates a service that is missing', async () => {
    const { status, body } = await api.put(`${services}/put-first`, service('put-first'));
    expect([status, body.spec.clusterIPs.length]).toEqual([201, 1]);
  });
});

describe('the status of a service', () => {
  test('is written through its subresource, for load balancers only', async () => {
    const { body } = await api.post(services, service('lb', { type: 'LoadBalancer' }));
    const status = { loadBalancer: { ingress: [{ ip: '192.0.2.7' }] } };
    const written = await api.put(`${services}/lb/status`, { ...body, status });
    expect(written.body.status).toEqual({ loadBalancer: { ingress: [{ ip: '192.0.2.7', ipMode: 'VIP' }] } });
    const plain = (await api.post(services, service('no-lb'))).body;
    const refused = await api.put(`${services}/no-lb/status`, { ...plain, status });
    expect(causes(refused.body)).toEqual(['Forbidden status.loadBalancer.ingress']);
  });
});

test('services can be selected by type and address', async () => {
  const list = await api.get(`${services}?fieldSelector=spec.clusterIP%3D10.0.0.1,spec.type%3DClusterIP`);
  expect(list.body.items.map(({ metadata }: { metadata: { name: string } }) => metadata.name)).toEqual(['kubernetes']);
});

test('endpoints of the same name go with a service', async () => {
  const endpoints = '/api/v1/namespaces/default/endpoints';
  await api.post(services, service('pair'));
  const subsets = [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 80 }] }];
  await api.post(endpoints, { kind: 'Endpoints', apiVersion: 'v1', metadata: { name: 'pair' }, subsets });
  await api.delete(`${services}/pair`);
  expect((await api.get(`${endpoints}/pair`)).status).toBe(404);
});

describe('a small range', () => {
  test('is used up to the last address, by servers that share a store, and no address twice', async () => {
    const store = openMemoryStore();
    const options = { store, listen: false, serviceClusterIpRange: ['10.9.0.0/28'] };
    const [one, other] = await Promise.all([startTestServer(options), startTestServer(options)]);
    const apis = [apiOf(one), apiOf(other)];
    const made = await Promise.all(
      Array.from({ length: 13 }, (_, i) => (apis[i % 2] as Api).post(services, service(`s${i}`, { type: 'NodePort' }))),
    );
    expect(made.map(({ status }) => status)).toEqual(made.map(() => 201));
    const unique = (values: unknown[]) => new Set(values).size;
    expect(unique(made.map(({ body }) => body.spec.clusterIP))).toBe(13);
    expect(unique(made.map(({ body }) => body.spec.ports[0].nodePort))).toBe(13);
    const full = await (apis[0] as Api).post(services, service('more'));
    expect(full.status).toBe(500);
    expect(full.body).toMatchObject({
      reason: 'InternalError',
      message: 'Internal error occurred: failed to allocate a serviceIP for Service "more": range is full',
    });
    await (apis[1] as Api).delete(`${services}/s3`);
    expect((await (apis[0] as Api).post(services, service('more'))).status).toBe(201);
    await Promise.all([one.close(), other.close()]);
  });

  test('of node ports is kept, and one of another range is made from the services there are', async () => {
    const store = openMemoryStore();
    const nodePort = (name: string) => service(name, { type: 'NodePort', ports: [{ port: 80, nodePort: 30001 }] });
    {
      const server = await startTestServer({ store, listen: false });
      await apiOf(server).post(services, nodePort('a'));
      const again = await startTestServer({ store, listen: false });
      expect((await apiOf(again).post(services, nodePort('b'))).status).toBe(422);
      const other = await startTestServer({ store, listen: false, serviceNodePortRange: '30000-30100' });
      expect((await apiOf(other).post(services, nodePort('b'))).body.message).toContain('already allocated');
      await Promise.all([server.close(), again.close(), other.close()]);
    }
  });
});

test('an address that a server took and never used comes back after a while', async () => {
  const store = openMemoryStore();
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const before = await startTestServer({ store, listen: false, clock });
  const lost = {
    kind: 'IPAddress',
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: '10.0.0.77', labels: { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' } },
    spec: { parentRef: { resource: 'services', namespace: 'default', name: 'gone' } },
  };
  await apiOf(before).post(addresses, lost);
  const kept = (await apiOf(before).post(services, service('kept'))).body.spec.clusterIP;
  const later = new FakeClock('2030-01-01T00:10:00Z');
  const after = await startTestServer({ store, listen: false, clock: later });
  await gone(apiOf(after), `${addresses}/10.0.0.77`);
  expect((await apiOf(after).get(`${addresses}/${kept}`)).status).toBe(200);
  await Promise.all([before.close(), after.close()]);
});

describe('both families', () => {
  test('are given where the cluster has both', async () => {
    const serviceClusterIpRange = ['10.8.0.0/24', 'fd00:1::/112'];
    await using dual = await startTestServer({ listen: false, serviceClusterIpRange });
    const both = apiOf(dual);
    const { body } = await both.post(services, service('two', { ipFamilyPolicy: 'PreferDualStack' }));
    expect(body.spec.ipFamilies).toEqual(['IPv4', 'IPv6']);
    expect(body.spec.clusterIPs[1]).toMatch(/^fd00:1::/);
    const single = { spec: { ipFamilyPolicy: 'SingleStack' } };
    const shortened = (await both.patch('merge', `${services}/two`, single)).body;
    expect(shortened.spec.clusterIPs).toEqual([body.spec.clusterIPs[0]]);
    expect((await both.get(`${addresses}/${body.spec.clusterIPs[1]}`)).status).toBe(404);
    const again = await both.patch('merge', `${services}/two`, { spec: { ipFamilyPolicy: 'RequireDualStack' } });
    expect(again.body.spec.clusterIPs).toHaveLength(2);
  });

  test('cannot be required where it has one', async () => {
    const { body } = await api.post(services, service('two', { ipFamilyPolicy: 'RequireDualStack' }));
    expect(causes(body)).toEqual(['Invalid spec.ipFamilyPolicy']);
    const other = await api.post(services, service('six', { ipFamilies: ['IPv6'] }));
    expect(causes(other.body)).toEqual(['Invalid spec.ipFamilies[0]']);
  });
});

describe('what every cluster begins with', () => {
  test('is a range of addresses that is ready', async () => {
    const { body } = await api.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    expect(body.spec).toEqual({ cidrs: ['10.0.0.0/24'] });
    expect(body.status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });

  test('says that the range is ready under its own name, as an apply', async () => {
    const { body } = await api.get('/apis/networking.k8s.io/v1/servicecidrs/kubernetes');
    const condition = { '.': {}, 'f:lastTransitionTime': {}, 'f:message': {}, 'f:status': {}, 'f:type': {} };
    expect(body.metadata.managedFields).toMatchObject([
      {
        manager: 'kubernetes-service-cidr-controller',
        operation: 'Apply',
        subresource: 'status',
        fieldsV1: { 'f:status': { 'f:conditions': { 'k:{"type":"Ready"}': condition } } },
      },
      { manager: 'kube-apiserver', operation: 'Update', fieldsV1: { 'f:spec': { 'f:cidrs': {} } } },
    ]);
  });

  test('is a range whose status is not written with it', async () => {
    const path = '/apis/networking.k8s.io/v1/servicecidrs';
    const range = { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/24'] } };
    const condition = { type: 'Ready', status: 'True', reason: 'Given', lastTransitionTime: '2026-01-01T00:00:00Z' };
    const status = (message: string) => ({ conditions: [{ ...condition, message }] });
    expect((await api.post(path, { ...range, status: status('a') })).body.status).toEqual({});
    expect((await api.put(`${path}/more/status`, { ...range, status: status('b') })).body.status).toEqual(status('b'));
    expect((await api.put(`${path}/more`, { ...range, status: status('c') })).body.status).toEqual(status('b'));
    await api.delete(`${path}/more`);
  });

  test('is a service by which to find the server', async () => {
    const { body } = await api.get(`${services}/kubernetes`);
    expect(body.metadata.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' });
    expect(body.spec).toMatchObject({
      clusterIP: '10.0.0.1',
      ports: [{ name: 'https', protocol: 'TCP', port: 443, targetPort: 6443 }],
    });
    expect((await api.get(`${addresses}/10.0.0.1`)).body.spec.parentRef.name).toBe('kubernetes');
  });
});
