// The checks of health by the names and in the order of a kube-apiserver 1.36.4, and what a server writes about itself.

import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Server } from '../../src/index.ts';
import { FakeClock } from '../../src/testing/fake-clock.ts';
import { startTestServer } from '../../src/testing/index.ts';
import { apiOf } from './api.ts';
import { eventually } from './eventually.ts';

const file = new URL('../golden/health-checks.json', import.meta.url);
const recorded = JSON.parse(readFileSync(file, 'utf8')) as Readonly<Record<string, readonly string[]>>;
const system = '/api/v1/namespaces/kube-system';
const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases';

const clock = new FakeClock(Date.parse('2026-03-04T05:06:07Z'));
let server: Server;

beforeAll(async () => {
  server = await startTestServer({ clock });
});
afterAll(() => server.close());

async function ask(path: string, method = 'GET') {
  const response = await server.fetch(path, { method });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

/** A store on a disk has a check that the reference does not have. */
const ofOurs = '[+]disk-space ok';

const present = (name: string) => recorded[name] ?? [];

describe.each(['healthz', 'livez', 'readyz'])('/%s', (name) => {
  test('has the checks of the reference, in its order', async () => {
    const { status, text } = await ask(`/${name}?verbose`);
    expect(status).toBe(200);
    const lines = text.split('\n').filter((line) => line !== ofOurs);
    expect(lines).toEqual([...present(name).map((check) => `[+]${check} ok`), `${name} check passed`, '']);
  });

  test('each check has its own path, which says ok however it is asked', async () => {
    for (const check of present(name)) {
      const { status, headers, text } = await ask(`/${name}/${check}?verbose`);
      expect([check, status, text]).toEqual([check, 200, 'ok']);
      expect(headers.get('x-content-type-options')).toBeNull();
    }
  });

  test('answers every method, leaves out what it is told to, and names what it does not know', async () => {
    for (const method of ['POST', 'PUT']) expect((await ask(`/${name}`, method)).text).toBe('ok');
    expect((await ask(`/${name}/ping`, 'POST')).text).toBe('ok');
    const { text } = await ask(`/${name}?verbose&exclude=etcd&exclude=nonsense`);
    expect(text).toContain('[+]etcd excluded: ok\n');
    expect(text).toContain('warn: some health checks cannot be excluded: no matches for "nonsense"\n');
    const odd = await ask(`/${name}?verbose=false&exclude=b&exclude=a,c&exclude=`);
    expect(odd.text).toContain('no matches for "","a,c","b"\n');
    expect((await ask(`/${name}/etcd?exclude=etcd`)).text).toBe('ok');
    expect((await ask(`/${name}/nonsense`)).status).toBe(404);
  });
});

describe('the server in the cluster', () => {
  test('has a Lease of its identity, as kube-apiserver writes it', async () => {
    const api = apiOf(server);
    const lease = await eventually(async () => {
      const { items } = (await api.get(`${leases}?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver`)).body;
      expect(items).toHaveLength(1);
      return items[0];
    });
    expect(lease.metadata.name).toMatch(/^apiserver-[a-z2-7]{26}$/);
    expect(lease.metadata.labels['kubernetes.io/hostname']).toBe(hostname());
    expect(lease.metadata.annotations['kubernetes.io/peer-advertise-address']).toBe(new URL(server.url).host);
    expect(lease.spec).toEqual({
      holderIdentity: expect.stringMatching(new RegExp(`^${lease.metadata.name}_[0-9a-f-]{36}$`)),
      leaseDurationSeconds: 3600,
      renewTime: expect.stringMatching(/^2026-03-04T05:06:07\.\d{6}Z$/),
    });
  });

  test('deletes the Leases of servers that are gone, and no others', async () => {
    const api = apiOf(server);
    const lease = (name: string, identity: string) =>
      api.post(leases, {
        metadata: { name, labels: { 'apiserver.kubernetes.io/identity': identity } },
        spec: { holderIdentity: name, leaseDurationSeconds: 3600, renewTime: '2026-03-04T05:06:07.000000Z' },
      });
    await lease('gone', 'kube-apiserver');
    await lease('other', 'some-apiserver');
    await eventually(async () => {
      // in steps, so that the server renews its own meanwhile
      clock.advance(15 * 60_000);
      expect((await api.get(`${leases}/gone`)).status).toBe(404);
    });
    expect((await api.get(`${leases}/other`)).status).toBe(200);
    const { body } = await api.get(`${leases}?labelSelector=apiserver.kubernetes.io/identity=kube-apiserver`);
    expect(body.items).toHaveLength(1);
  });

  test('records since when the uses of token Secrets are recorded, and mends a record that is no date', async () => {
    const api = apiOf(server);
    const path = `${system}/configmaps/kube-apiserver-legacy-service-account-token-tracking`;
    await eventually(async () => expect((await api.get(path)).body.data).toEqual({ since: '2026-03-04' }));
    const { body } = await api.get(path);
    await api.put(path, { ...body, data: { since: 'long ago' } });
    await eventually(async () => expect((await api.get(path)).body.data).toEqual({ since: '2026-03-04' }));
  });
});
