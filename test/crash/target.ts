// What is killed and started again: a server as a process, on its own disk or on its own etcd.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type EtcdProcess, startEtcd } from '../etcd-process.ts';

const bin = join(import.meta.dirname, '../../bin/keelson.cjs');

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export class Target implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'keelson-crash-'));
  readonly #withEtcd: boolean;
  readonly #threads: number;
  #etcd: EtcdProcess | undefined;
  #server: ChildProcess | undefined;
  /** Several threads serve them: requests go to the next connection each. */
  #sessions: readonly ClientHttp2Session[] = [];
  #requests = 0;

  constructor(store: 'embedded' | 'etcd', threads: number) {
    this.#withEtcd = store === 'etcd';
    this.#threads = threads;
  }

  async start(): Promise<void> {
    if (this.#withEtcd) this.#etcd ??= await startEtcd({ folder: join(this.folder, 'etcd') });
    const store = this.#etcd === undefined ? [] : ['--etcd-servers', this.#etcd.url];
    const child = spawn(
      process.execPath,
      [
        ...[bin, '--data-dir', this.folder, '--secure-port', '0', `--threads=${this.#threads}`],
        ...['--controllers=-root-ca-cert-publisher', ...store],
      ],
      { stdio: ['ignore', 'pipe', 'ignore'] },
    );
    this.#server = child;
    let output = '';
    for await (const part of child.stdout as AsyncIterable<Buffer>) {
      output += String(part);
      if (output.includes('get namespaces')) break;
    }
    const url = /https:\/\/\S+/.exec(output)?.[0];
    if (url === undefined) throw new Error(`the server did not start: ${output}`);
    const pki = (file: string) => readFileSync(join(this.folder, 'pki', file));
    const credentials = { ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') };
    this.#sessions = Array.from({ length: 3 * this.#threads - 2 }, () => {
      const session = connect(url, credentials);
      session.on('error', () => {});
      return session;
    });
  }

  /** kill -9, of the server or of its etcd; resolves when everything runs again. */
  async crash(what: 'server' | 'etcd'): Promise<void> {
    if (what === 'etcd' && this.#etcd !== undefined) {
      await this.#etcd.crash();
      await this.#etcd.restart();
      return;
    }
    await this.#stopServer();
    await this.start();
  }

  /** Undefined when no answer came. */
  call(method: string, path: string, body?: object): Promise<Answer | undefined> {
    let text = '';
    return this.#request(method, path, body, (part) => {
      text += part;
    }).then((status) => (status === undefined ? undefined : { status, body: text }));
  }

  /** Lines of a stream, until it ends or breaks. */
  async lines(path: string, onLine: (line: string) => void): Promise<void> {
    let rest = '';
    await this.#request('GET', path, undefined, (part) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopServer();
    await this.#etcd?.[Symbol.asyncDispose]();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #stopServer(): Promise<void> {
    const child = this.#server;
    this.#server = undefined;
    if (child === undefined) return;
    child.kill('SIGKILL');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'close');
    for (const session of this.#sessions) session.destroy();
  }

  /** The status of a complete answer. */
  #request(
    method: string,
    path: string,
    body: object | undefined,
    onText: (part: string) => void,
  ): Promise<number | undefined> {
    const session = this.#sessions[this.#requests++ % this.#sessions.length];
    return new Promise((resolve) => {
      if (session === undefined || session.destroyed || session.closed) {
        setTimeout(resolve, 20, undefined);
        return;
      }
      const headers = { ':method': method, ':path': path, 'content-type': 'application/json' };
      const stream = session.request(headers, { endStream: body === undefined });
      let status = 0;
      let ended = false;
      stream.setEncoding('utf8');
      stream.on('response', (found) => {
        status = Number(found[':status']);
      });
      stream.on('data', onText);
      stream.on('end', () => {
        ended = true;
      });
      stream.on('error', () => {});
      stream.on('close', () => resolve(ended && status !== 0 && stream.rstCode === 0 ? status : undefined));
      if (body) stream.end(JSON.stringify(body));
    });
  }
}
