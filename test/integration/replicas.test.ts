// Three replicas on etcd behind a balancer, under sixteen writers and fifty watches: a rolling restart, then kill -9 of each.

import { afterEach, describe, expect, test } from 'vitest';
import { checkedLoad } from '../crash/run.ts';
import { etcdHint, hasEtcd, startEtcd } from '../etcd-process.ts';
import { freePort } from '../free-port.ts';
import { TempFolder } from '../interop/temp-folder.ts';
import { type Answer, BalancedClient } from './balanced-client.ts';
import { CommandServer } from './command-server.ts';
import { eventually } from './eventually.ts';
import { TcpBalancer } from './tcp-balancer.ts';

const writers = 16;
const watchers = 50;
/** Connections of the clients, which share them. */
const connections = 12;
const maxTakeoverMs = 15_000;
const lease = '/apis/coordination.k8s.io/v1/namespaces/kube-system/leases/keelson-controllers';

const clients: BalancedClient[] = [];
afterEach(() => {
  for (const client of clients.splice(0)) client.close();
});

class Replicas {
  readonly servers = new Map<number, CommandServer>();
  readonly #setup: (port: number) => Promise<CommandServer>;

  constructor(setup: (port: number) => Promise<CommandServer>) {
    this.#setup = setup;
  }

  async start(port: number): Promise<void> {
    const old = this.servers.get(port);
    this.servers.set(port, await this.#setup(port));
    await old?.[Symbol.asyncDispose]();
  }

  get(port: number): CommandServer {
    return this.servers.get(port) as CommandServer;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await Promise.all([...this.servers.values()].map((server) => server[Symbol.asyncDispose]()));
  }
}

/** Requests over all connections, one after the other. */
class Spread {
  readonly clients: readonly BalancedClient[];
  #next = 0;

  constructor(made: readonly BalancedClient[]) {
    this.clients = made;
  }

  call(method: string, path: string, body?: object): Promise<Answer | undefined> {
    return this.#client().call(method, path, body);
  }

  lines(path: string, onLine: (line: string) => void): Promise<void> {
    return this.#client().lines(path, onLine);
  }

  get refusals(): readonly string[] {
    return this.clients.flatMap(({ refusals }) => refusals);
  }

  #client(): BalancedClient {
    return this.clients[this.#next++ % this.clients.length] as BalancedClient;
  }
}

interface LeaseSpec {
  readonly holderIdentity: string;
  readonly acquireTime: string;
}

describe.skipIf(!hasEtcd)(`three replicas on ${etcdHint} behind a balancer`, () => {
  test('a rolling restart refuses no request; kill -9 of each loses no write and no event, and another one leads in time', async () => {
    using folder = new TempFolder();
    await using etcd = await startEtcd();
    const ports = [await freePort(), await freePort(), await freePort()];
    await using replicas = new Replicas((port) =>
      CommandServer.start({
        folder: folder.path,
        args: [
          `--secure-port=${port}`,
          '--threads=1',
          `--etcd-servers=${etcd.url}`,
          '--shutdown-delay-duration=1s',
          '--v=1',
          '--controllers=*,-root-ca-certificate-publisher-controller',
        ],
      }),
    );
    // the first one makes the files that all share
    for (const port of ports) await replicas.start(port);
    const { identity } = replicas.get(ports[0] as number);
    await using balancer = await TcpBalancer.open(ports, identity);
    const ready = (port: number) => eventually(async () => expect(balancer.isReady(port)).toBe(true));
    await Promise.all(ports.map(ready));
    for (let at = 0; at < connections; at++) clients.push(new BalancedClient(balancer.port, identity));
    const spread = new Spread(clients);
    const holder = async () => {
      const answer = await spread.call('GET', lease);
      return answer?.status === 200 ? (JSON.parse(answer.body).spec as LeaseSpec) : undefined;
    };
    const restarts = async () => {
      for (const port of ports) {
        replicas.get(port).signal('SIGTERM');
        expect(await replicas.get(port).ended).toBe(0);
        await replicas.start(port);
        await ready(port);
      }
      expect(spread.refusals).toEqual([]);
    };
    let takeoverMs = Number.POSITIVE_INFINITY;
    const kills = async () => {
      const leading = () => ports.find((port) => replicas.get(port).leads);
      await eventually(async () => expect(leading()).toBeDefined());
      const leader = leading() as number;
      for (const port of ports.toSorted((a, b) => Number(a === leader) - Number(b === leader))) {
        const before = await holder();
        const killedAt = Date.now();
        replicas.get(port).signal('SIGKILL');
        await replicas.get(port).ended;
        await replicas.start(port);
        await ready(port);
        if (port !== leader) continue;
        const next = await eventually(async () => {
          const spec = await holder();
          expect(spec?.holderIdentity).toBeTruthy();
          expect(spec?.holderIdentity).not.toBe(before?.holderIdentity);
          return spec as LeaseSpec;
        });
        takeoverMs = Date.parse(next.acquireTime) - killedAt;
      }
    };
    let step = 0;
    const report = await checkedLoad(spread, { durationMs: 0, writers, watchers }, () =>
      step++ === 0 ? restarts() : kills(),
    );
    expect(report.problems).toEqual([]);
    expect(report.acknowledged).toBeGreaterThan(100);
    expect(takeoverMs).toBeLessThanOrEqual(maxTakeoverMs);
  }, 240_000);
});
