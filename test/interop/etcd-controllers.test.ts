// Two servers on one etcd: one of them runs the controllers, the other takes over when it stops.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestServer } from '../../src/testing/index.ts';
import { freePort } from '../free-port.ts';
import { apiOf } from '../integration/api.ts';
import { eventually } from '../integration/eventually.ts';
import { describeWith, etcd, programOf } from './peers.ts';
import { TempFolder } from './temp-folder.ts';

interface Lease {
  readonly spec: { readonly holderIdentity: string; readonly leaseTransitions: number };
}

/** Resolves when etcd answers. */
async function startEtcd(folder: string, client: string, peer: string): Promise<ChildProcess> {
  const args = ['--data-dir', folder, '--listen-client-urls', client, '--advertise-client-urls', client];
  const peers = ['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer];
  const cluster = ['--initial-cluster', `default=${peer}`];
  const child = spawn(programOf(etcd), [...args, ...peers, ...cluster], { stdio: ['ignore', 'ignore', 'pipe'] });
  for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream }))
    if (line.includes('ready to serve client requests')) break;
  child.stderr?.resume();
  return child;
}

describeWith(etcd, 'controllers of servers that share an etcd', () => {
  const folder = new TempFolder();
  let child: ChildProcess;
  let url: string;
  beforeAll(async () => {
    url = `http://127.0.0.1:${await freePort()}`;
    child = await startEtcd(folder.path, url, `http://127.0.0.1:${await freePort()}`);
  });
  afterAll(async () => {
    child.kill();
    await once(child, 'exit');
    folder[Symbol.dispose]();
  });

  test('run on one of them at a time', async () => {
    const options = { listen: false, store: 'etcd', etcdServers: [url] } as const;
    const first = await startTestServer(options);
    const api = apiOf(first);
    const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/keelson-controllers';
    await eventually(async () => expect((await api.get(lease)).status).toBe(200));
    const holder = (await api.get(lease)).body as Lease;
    await using second = await startTestServer(options);
    await eventually(async () =>
      expect((await api.get('/api/v1/namespaces/default/serviceaccounts/default')).status).toBe(200),
    );
    await first.close();
    const other = apiOf(second);
    await other.post('/api/v1/namespaces', { metadata: { name: 'later' } });
    await eventually(async () =>
      expect((await other.get('/api/v1/namespaces/later/serviceaccounts/default')).status).toBe(200),
    );
    const { spec } = (await other.get(lease)).body as Lease;
    expect(spec.holderIdentity).not.toBe(holder.spec.holderIdentity);
    // a server that had no processor for as long as its lease may have lost it in between
    expect(spec.leaseTransitions).toBeGreaterThanOrEqual(1);
  });
});
