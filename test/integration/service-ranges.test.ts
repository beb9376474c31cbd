// Ranges of service addresses: when they are ready, what keeps them, and the range that every cluster has.

import { expect, test } from 'vitest';
import type { ServerOptions } from '../../src/index.ts';
import { FakeClock, startTestServer } from '../../src/testing/index.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { apiOf } from './api.ts';
import { eventually, gone, turns } from './eventually.ts';

const ranges = '/apis/networking.k8s.io/v1/servicecidrs';
const services = '/api/v1/namespaces/default/services';
const finalizer = 'networking.k8s.io/service-cidr-finalizer';

async function start(options: ServerOptions = {}) {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const warnings: string[] = [];
  const log = { info() {}, warn: (_: object, text: string) => warnings.push(text), error() {} };
  const server = await startTestServer({ listen: false, settle: true, clock, log, ...options });
  const api = apiOf(server);
  /** A write that conflicts with that of another controller is tried again a moment later. */
  const isReady = (name: string) =>
    eventually(async () => {
      clock.advance(1);
      expect((await api.get(`${ranges}/${name}`)).body).toMatchObject(ready);
    });
  const range = async (name: string, ...cidrs: string[]) => {
    expect((await api.post(ranges, { metadata: { name }, spec: { cidrs } })).status).toBe(201);
    await isReady(name);
    return `${ranges}/${name}`;
  };
  const service = async (name: string, clusterIP: string) => {
    const answer = await api.post(services, { metadata: { name }, spec: { clusterIP, ports: [{ port: 80 }] } });
    expect([answer.status, answer.body.message]).toEqual([201, undefined]);
    return `${services}/${name}`;
  };
  /** The controllers see everything that was written before. */
  const advance = async (ms: number) => {
    await turns();
    clock.advance(ms);
  };
  return { server, api, isReady, range, service, advance, warnings, [Symbol.asyncDispose]: () => server.close() };
}

const ready = {
  metadata: { finalizers: [finalizer] },
  status: { conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: expect.any(String) }] },
};
const held = { status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Terminating' }] } };

test('a range gets a finalizer and is ready; the default range as well', async () => {
  await using it = await start();
  await it.range('more', '10.9.0.0/24');
  await it.isReady('kubernetes');
  const { body } = await it.api.get(`${ranges}/more`);
  expect(body.metadata.managedFields).toContainEqual(
    expect.objectContaining({ manager: 'service-cidr-controller', operation: 'Apply', subresource: 'status' }),
  );
});

test('a range that is deleted waits for the last service with an address of it, and ten seconds more', async () => {
  await using it = await start();
  const range = await it.range('more', '10.9.0.0/24');
  const [first, second] = [await it.service('first', '10.9.0.7'), await it.service('second', '10.9.0.8')];
  await it.api.delete(range);
  await eventually(async () => expect((await it.api.get(range)).body).toMatchObject(held));
  const refused = await it.api.post(services, { metadata: { name: 'x' }, spec: { clusterIP: '10.9.0.9' } });
  expect(refused.status).toBe(422);
  await it.api.delete(first);
  await it.advance(60_000);
  expect((await it.api.get(range)).status).toBe(200);
  await it.api.delete(second);
  await eventually(async () => {
    await it.advance(10_000);
    expect((await it.api.get(range)).status).toBe(404);
  });
});

test('another range with the same addresses lets a range go; one that is being deleted does not', async () => {
  await using it = await start();
  const range = await it.range('small', '10.9.0.0/24');
  const equal = await it.range('equal', '10.9.0.0/24');
  await it.service('s', '10.9.0.7');
  await it.api.delete(range);
  await it.api.delete(equal);
  for (const path of [range, equal])
    await eventually(async () => expect((await it.api.get(path)).body).toMatchObject(held));
  await it.range('large', '10.9.0.0/16');
  for (const path of [range, equal])
    await eventually(async () => {
      await it.advance(10_000);
      expect((await it.api.get(path)).status).toBe(404);
    });
  expect((await it.api.get(`${services}/s`)).status).toBe(200);
});

test('a range without services is deleted after ten seconds, not before', async () => {
  await using it = await start();
  const range = await it.range('more', '10.9.0.0/24', 'fd00:9::/112');
  await it.api.delete(range);
  await it.advance(9000);
  await turns();
  expect((await it.api.get(range)).body.status.conditions).toMatchObject([{ status: 'True' }]);
  await it.advance(1000);
  await gone(it.api, range);
});

test('the default range comes back when it is deleted', async () => {
  await using it = await start({ controllers: [] });
  const path = `${ranges}/kubernetes`;
  const { uid } = (await it.api.get(path)).body.metadata;
  expect((await it.api.delete(path)).status).toBe(200);
  await eventually(async () => {
    await it.advance(10_000);
    const { status, body } = await it.api.get(path);
    expect(status).toBe(200);
    expect(body.metadata.uid).not.toBe(uid);
    expect(body.spec.cidrs).toEqual(['10.0.0.0/24']);
    expect(body.status.conditions).toMatchObject([{ type: 'Ready', status: 'True' }]);
  });
});

test('the default range gets a second family; another range is reported and stays', async () => {
  using folder = new TempFolder();
  const stored = { store: 'embedded', dataDir: folder.path } as const;
  const cidrs = async (api: Awaited<ReturnType<typeof start>>['api']) =>
    (await api.get(`${ranges}/kubernetes`)).body.spec.cidrs;
  {
    await using it = await start({ ...stored, serviceClusterIpRange: ['10.8.0.0/24'] });
    expect(await cidrs(it.api)).toEqual(['10.8.0.0/24']);
  }
  const both = ['10.8.0.0/24', 'fd00:8::/112'];
  {
    await using it = await start({ ...stored, serviceClusterIpRange: both });
    expect(await cidrs(it.api)).toEqual(both);
    const spec = { ipFamilyPolicy: 'RequireDualStack', ports: [{ port: 80 }] };
    expect((await it.api.post(services, { metadata: { name: 'two' }, spec })).body.spec.clusterIPs).toHaveLength(2);
    expect(it.warnings).toEqual([]);
  }
  await using it = await start({ ...stored, serviceClusterIpRange: ['10.8.0.0/25'] });
  const message = `The default range ${both.join(',')} is not what --service-cluster-ip-range names: 10.8.0.0/25`;
  await eventually(async () => {
    await it.advance(10_000);
    expect(it.warnings).toContain(message);
    const { items } = (await it.api.get('/api/v1/namespaces/default/events')).body;
    expect(items).toContainEqual(
      expect.objectContaining({ message, reason: 'KubernetesDefaultServiceCIDRInconsistent', type: 'Warning' }),
    );
  });
  expect(await cidrs(it.api)).toEqual(both);
});

test('the controller can be switched off: a deleted range is removed at once', async () => {
  await using it = await start({ controllers: ['*', '-service-cidr-controller'] });
  expect((await it.api.post(ranges, { metadata: { name: 'more' }, spec: { cidrs: ['10.9.0.0/24'] } })).status).toBe(
    201,
  );
  expect((await it.api.delete(`${ranges}/more`)).status).toBe(200);
  expect((await it.api.get(`${ranges}/more`)).status).toBe(404);
});
