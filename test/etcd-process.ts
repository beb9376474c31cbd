// A real etcd next to a test: on free ports, in a temporary folder, gone afterwards.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { freePort } from './free-port.ts';

const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
const binary = process.env['KEELSON_ETCD'] ?? join(cache, 'keelson-peers/root/usr/bin/etcd');

export const hasEtcd = existsSync(binary);
if (!hasEtcd && process.env['CI'] === 'true') throw new Error(`etcd is required here, and ${binary} does not exist`);

/** For titles of tests that need one. */
export const etcdHint = hasEtcd ? 'etcd' : `etcd (skipped: no etcd at ${binary})`;

export interface EtcdSetup {
  /** Kept by the caller; a temporary one when absent. */
  readonly folder?: string;
  /** Speaks TLS with clients. */
  readonly tls?: { readonly cert: string; readonly key: string; readonly ca: string };
  readonly args?: readonly string[];
  /** Its name in a cluster of several, and the peers of all of them. */
  readonly member?: { readonly name: string; readonly cluster: readonly { name: string; peer: string }[] };
}

export class EtcdProcess implements AsyncDisposable {
  readonly url: string;
  readonly #folder: string;
  readonly #ownsFolder: boolean;
  readonly #args: readonly string[];
  #child: ChildProcess | undefined;

  constructor(setup: EtcdSetup, port: number, peerPort: number) {
    const peer = `http://127.0.0.1:${peerPort}`;
    const { name, cluster } = setup.member ?? { name: 'default', cluster: [{ name: 'default', peer }] };
    this.url = `${setup.tls === undefined ? 'http' : 'https'}://127.0.0.1:${port}`;
    this.#ownsFolder = setup.folder === undefined;
    this.#folder = setup.folder ?? mkdtempSync(join(tmpdir(), 'keelson-etcd-'));
    const { tls } = setup;
    this.#args = [
      ...['--data-dir', this.#folder, '--listen-client-urls', this.url, '--advertise-client-urls', this.url],
      ...['--name', name, '--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer],
      ...['--initial-cluster', cluster.map((member) => `${member.name}=${member.peer}`).join(',')],
      ...(tls === undefined ? [] : ['--cert-file', tls.cert, '--key-file', tls.key, '--trusted-ca-file', tls.ca]),
      ...(setup.args ?? []),
    ];
  }

  async restart(): Promise<void> {
    const child = spawn(binary, this.#args, { stdio: ['ignore', 'ignore', 'pipe'] });
    this.#child = child;
    let output = '';
    for await (const line of createInterface({ input: child.stderr as NodeJS.ReadableStream })) {
      if (line.includes('ready to serve client requests')) {
        child.stderr?.resume();
        return;
      }
      output += `${line}\n`;
    }
    throw new Error(`etcd did not start: ${output.slice(-2000)}`);
  }

  /** kill -9. */
  async crash(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    if (child === undefined) return;
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
  }

  signal(name: 'SIGSTOP' | 'SIGCONT'): void {
    this.#child?.kill(name);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.crash();
    if (this.#ownsFolder) rmSync(this.#folder, { recursive: true, force: true });
  }
}

export async function startEtcd(setup: EtcdSetup = {}): Promise<EtcdProcess> {
  const etcd = new EtcdProcess(setup, await freePort(), await freePort());
  await etcd.restart();
  return etcd;
}

/** A cluster of several; those that are lost and come back find the others. */
export async function startEtcdCluster(size: number, args: readonly string[] = []): Promise<EtcdProcess[]> {
  const peerPorts = await Promise.all(Array.from({ length: size }, freePort));
  const cluster = peerPorts.map((port, index) => ({ name: `m${index}`, peer: `http://127.0.0.1:${port}` }));
  const members = await Promise.all(
    peerPorts.map(async (port, index) => {
      return new EtcdProcess({ args, member: { name: `m${index}`, cluster } }, await freePort(), port);
    }),
  );
  await Promise.all(members.map((member) => member.restart()));
  return members;
}
