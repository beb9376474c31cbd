// The service `kubernetes` is real: it is there, and it points at the API servers that are there.

import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server, ServerOptions } from '../../src/index.ts';
import { zeroRevision } from '../../src/meta/revision.ts';
import { openEtcdStore } from '../../src/storage/etcd/etcd-store.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { type EtcdProcess, etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { freePort } from '../free-port.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Api, apiOf } from './api.ts';
import { eventually, turns } from './eventually.ts';

const service = '/api/v1/namespaces/default/services/kubernetes';
const endpoints = '/api/v1/namespaces/default/endpoints/kubernetes';
const slice = '/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes';
const portOf = (server: Server) => Number(new URL(server.url).port);

interface Told {
  readonly addresses: readonly string[];
  readonly port: number | undefined;
}

/** What both objects say. */
async function told(api: Api): Promise<{ readonly endpoints: Told; readonly slice: Told }> {
  const [one, other] = [await api.get(endpoints), await api.get(slice)];
  const [subset] = one.body.subsets ?? [];
  return {
    endpoints: {
      addresses: (subset?.addresses ?? []).map(({ ip }: { ip: string }) => ip),
      port: subset?.ports[0].port,
    },
    slice: {
      addresses: (other.body.endpoints ?? []).flatMap(({ addresses }: { addresses: string[] }) => addresses),
      port: other.body.ports?.[0]?.port,
    },
  };
}

function expectTold(api: Api, addresses: readonly string[], port: number | undefined): Promise<void> {
  const both = { addresses, port };
  return eventually(async () => expect(await told(api)).toEqual({ endpoints: both, slice: both }));
}

/** A look that is under way sets its next time when it ends: time moves on until there was another look. */
async function expectToldLater(clock: FakeClock, ...expected: Parameters<typeof expectTold>): Promise<void> {
  const [api, addresses, port] = expected;
  const both = { addresses, port };
  await eventually(async () => {
    clock.advance(10_000);
    await turns();
    expect(await told(api)).toEqual({ endpoints: both, slice: both });
  });
}

describe('a server that listens for its own machine only', () => {
  let server: Server;
  let api: Api;
  beforeAll(async () => {
    server = await startTestServer();
    api = apiOf(server);
  });
  afterAll(() => server.close());

  test('is the endpoint of its service', async () => {
    await expectTold(api, ['127.0.0.1'], portOf(server));
    expect((await api.get(endpoints)).body).toMatchObject({
      metadata: { labels: { 'endpointslice.kubernetes.io/skip-mirror': 'true' } },
      subsets: [
        { addresses: [{ ip: '127.0.0.1' }], ports: [{ name: 'https', port: portOf(server), protocol: 'TCP' }] },
      ],
    });
    expect((await api.get(slice)).body).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'kubernetes' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['127.0.0.1'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: portOf(server), protocol: 'TCP' }],
    });
  });

  test('makes the service again when it is deleted', async () => {
    const { body: before } = await api.get(service);
    await api.delete(service);
    const after = await eventually(async () => {
      const { status, body } = await api.get(service);
      expect(status).toBe(200);
      return body;
    });
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.metadata.labels).toEqual({ component: 'apiserver', provider: 'kubernetes' });
    expect(after.spec).toEqual({
      clusterIP: '10.0.0.1',
      clusterIPs: ['10.0.0.1'],
      internalTrafficPolicy: 'Cluster',
      ipFamilies: ['IPv4'],
      ipFamilyPolicy: 'SingleStack',
      ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: portOf(server) }],
      sessionAffinity: 'None',
      type: 'ClusterIP',
    });
  });

  test.each([endpoints, slice])('makes %s again when it is deleted', async (path) => {
    await api.delete(path);
    await expectTold(api, ['127.0.0.1'], portOf(server));
  });

  test('puts the addresses right when a client has changed them', async () => {
    const { body } = await api.get(endpoints);
    const { status } = await api.put(endpoints, { ...body, subsets: [{ addresses: [{ ip: '10.9.9.9' }] }] });
    expect(status).toBe(200);
    await expectTold(api, ['127.0.0.1'], portOf(server));
  });

  test('lets no other endpoints be loopback addresses', async () => {
    const subsets = [{ addresses: [{ ip: '127.0.0.1' }] }];
    const { status } = await api.post('/api/v1/namespaces/default/endpoints', { metadata: { name: 'other' }, subsets });
    expect(status).toBe(422);
  });
});

describe('the endpoints of a server', () => {
  let folder: TempFolder;
  beforeAll(() => {
    folder = new TempFolder();
  });
  afterAll(() => folder[Symbol.dispose]());
  const start = (options: ServerOptions) =>
    startTestServer({ store: 'embedded', dataDir: join(folder.path, 'data'), ...options });

  test('are gone when it has closed, and there again after the next start', async () => {
    const first = await start({ advertiseAddress: '10.1.2.3' });
    await expectTold(apiOf(first), ['10.1.2.3'], portOf(first));
    await first.close();
    const silent = await start({ endpointReconcilerType: 'none' });
    await expectTold(apiOf(silent), [], undefined);
    await silent.close();
    await using third = await start({ advertiseAddress: 'fd00::3' });
    await expectTold(apiOf(third), ['fd00::3'], portOf(third));
    expect((await apiOf(third).get(slice)).body.addressType).toBe('IPv6');
  });

  test('are those of as many servers as there are by count', async () => {
    await using server = await start({
      advertiseAddress: '10.1.2.4',
      endpointReconcilerType: 'master-count',
      apiserverCount: 2,
    });
    const api = apiOf(server);
    const port = portOf(server);
    await expectTold(api, ['10.1.2.4'], port);
    const put = async (...ips: string[]) => {
      const { body } = await api.get(endpoints);
      const subsets = [{ addresses: ips.map((ip) => ({ ip })), ports: body.subsets[0].ports }];
      expect((await api.put(endpoints, { ...body, subsets })).status).toBe(200);
    };
    await put('10.1.2.3');
    await expectTold(api, ['10.1.2.3', '10.1.2.4'], port);
    await put('10.1.2.3', '10.1.2.4', '10.1.2.5');
    await expectTold(api, ['10.1.2.3', '10.1.2.4'], port);
  });
});

describe.skipIf(!hasEtcd)(`replicas on ${etcdHint}`, () => {
  let etcd: EtcdProcess;
  let port: number;
  beforeAll(async () => {
    etcd = await startEtcd();
    port = await freePort();
  });
  afterAll(() => etcd[Symbol.asyncDispose]());

  const replica = (address: string, clock: FakeClock) =>
    startTestServer({
      ...{ store: 'etcd', etcdServers: [etcd.url], controllers: [], shutdownGraceSeconds: 0.1, clock },
      ...{ bindAddress: address, securePort: port },
    });

  test('are all listed, and one that is dead is listed until its lease ends', async () => {
    const clock = new FakeClock(Date.now());
    await using first = await replica('127.0.0.2', clock);
    const api = apiOf(first);
    await expectTold(api, ['127.0.0.2'], port);
    const second = await replica('127.0.0.3', clock);
    await expectTold(api, ['127.0.0.2', '127.0.0.3'], port);
    await second.close();
    await expectTold(api, ['127.0.0.2'], port);
    // a third that writes its record once, and is never heard of again
    const store = openEtcdStore({ servers: [etcd.url] });
    const own = await store.get('/masterleases/127.0.0.2');
    const value = Buffer.from((own?.value ?? Buffer.alloc(0)) as Uint8Array);
    const dead = Buffer.from(value.toString('latin1').replace('127.0.0.2', '127.0.0.4'), 'latin1');
    const key = '/masterleases/127.0.0.4';
    await store.commit({ key, value: dead, expected: zeroRevision, ttlSeconds: 600 });
    await expectToldLater(clock, api, ['127.0.0.2', '127.0.0.4'], port);
    // etcd has its own clock: the lease ends soon, but not before the record was seen
    const { revision: expected = zeroRevision } = (await store.get(key)) ?? {};
    await store.commit({ key, value: dead, expected, ttlSeconds: 1 });
    await eventually(async () => expect(await store.get(key)).toBeUndefined());
    await store.close();
    await expectToldLater(clock, api, ['127.0.0.2'], port);
  });
});
