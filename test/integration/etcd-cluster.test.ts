// Two servers on an etcd of three members, which are lost one after the other under load.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createServer, type Server } from '../../src/index.ts';
import { type EtcdProcess, etcdHint, hasEtcd, startEtcdCluster } from '../etcd-process.ts';
import { apiOf, configMap, configMaps } from './api.ts';

/** Names of a watch, in the order of their events, until it is cancelled; opened again where it ended. */
class Follower {
  readonly names: string[] = [];
  readonly #server: Server;
  readonly #over = new AbortController();
  #version = '';
  #wake: () => void = () => {};

  constructor(server: Server) {
    this.#server = server;
  }

  async start(): Promise<void> {
    this.#version = (await apiOf(this.#server).get(configMaps)).body.metadata.resourceVersion;
    void this.#run();
  }

  async has(count: number): Promise<void> {
    while (this.names.length < count) await new Promise<void>((resolve) => (this.#wake = resolve));
  }

  stop(): void {
    this.#over.abort();
  }

  async #run(): Promise<void> {
    while (!this.#over.signal.aborted) await this.#watch().catch(() => {});
  }

  async #watch(): Promise<void> {
    const { signal } = this.#over;
    const answer = await this.#server.fetch(`${configMaps}?watch=1&resourceVersion=${this.#version}`, { signal });
    let text = '';
    for await (const bytes of answer.body as unknown as AsyncIterable<Uint8Array>) {
      text += Buffer.from(bytes).toString();
      const lines = text.split('\n');
      text = lines.pop() as string;
      for (const line of lines) this.#take(JSON.parse(line));
    }
  }

  #take({ type, object }: { type: string; object: { metadata: { name: string; resourceVersion: string } } }): void {
    if (type === 'ERROR') return;
    this.#version = object.metadata.resourceVersion;
    this.names.push(object.metadata.name);
    this.#wake();
  }
}

/** Creates an object, again and again while etcd finds itself; it may have been made by a try that had no answer. */
async function createSurely(server: Server, name: string): Promise<void> {
  for (;;) {
    const { status } = await apiOf(server).post(configMaps, configMap(name));
    if (status === 201 || status === 409) return;
    expect(status).toBeGreaterThanOrEqual(500);
  }
}

describe.skipIf(!hasEtcd)(etcdHint, () => {
  let members: EtcdProcess[] = [];
  beforeAll(async () => {
    members = await startEtcdCluster(3, [
      '--unsafe-no-fsync',
      '--heartbeat-interval',
      '20',
      '--election-timeout',
      '200',
    ]);
  });
  afterAll(async () => {
    await Promise.all(members.map((member) => member[Symbol.asyncDispose]()));
  });

  test('whichever member is lost, nothing acknowledged is, and watches see everything once', async () => {
    const etcdServers = members.map(({ url }) => url);
    const open = () => createServer({ store: 'etcd', etcdServers, shutdownGraceSeconds: 0.1, controllers: [] });
    await using one = await open();
    await using two = await open();
    const follower = new Follower(two);
    await follower.start();
    const written: string[] = [];
    const write = async (names: readonly string[]) => {
      for (const [index, name] of names.entries()) {
        await createSurely(index % 2 === 0 ? one : two, name);
        written.push(name);
      }
    };
    const named = (prefix: string) => Array.from({ length: 5 }, (_, index) => `${prefix}-${index}`);
    for (const [round, member] of members.entries()) {
      await write(named(`r${round}-with`));
      await member.crash();
      await write(named(`r${round}-without`));
      await member.restart();
    }
    await follower.has(written.length);
    follower.stop();
    expect(follower.names).toEqual(written);
    for (const server of [one, two]) {
      const { items } = (await apiOf(server).get(configMaps)).body;
      const names = items.map((item: { metadata: { name: string } }) => item.metadata.name);
      expect(names.filter((name: string) => name.startsWith('r'))).toEqual([...written].sort());
    }
  });
});
