// A server of several threads for tests, and clients that keep to one connection, which one thread serves.

import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { type ClientHttp2Session, connect } from 'node:http2';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Worker } from 'node:worker_threads';
import type { ServerOptions } from '../../src/config/options.ts';
import { createHookedServer } from '../../src/server/create-server.ts';
import type { Server } from '../../src/server/server.ts';
import type { ServerParts, ThreadHooks } from '../../src/server/start/server-hooks.ts';

export const program = pathToFileURL(join(import.meta.dirname, '../../dist/serving-thread.cjs'));
export const collection = '/api/v1/namespaces/default/configmaps';

type Headers = Readonly<Record<string, string>>;

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

/** One connection, which one thread serves. */
export class Client {
  readonly #session: ClientHttp2Session;

  constructor({ url }: Server, folder: string) {
    const pki = (file: string) => readFileSync(join(folder, 'pki', file));
    this.#session = connect(url, { ca: pki('ca.crt'), cert: pki('admin.crt'), key: pki('admin.key') });
    this.#session.on('error', () => {});
  }

  get isClosed(): boolean {
    return this.#session.closed || this.#session.destroyed;
  }

  async call(method: string, path: string, body?: object | string, headers: Headers = {}): Promise<Answer> {
    let text = '';
    const answer = await this.#request(
      { ':method': method, ':path': path, 'content-type': 'application/json', ...headers },
      body,
      (part) => {
        text += part;
      },
    );
    return { status: Number(answer[':status']), headers: answer, body: text.startsWith('{') ? JSON.parse(text) : text };
  }

  /** Calls `onEvent` with each event of a watch, until the connection ends. */
  watch(path: string, onEvent: (event: { readonly type: string; readonly object: Stored }) => void): Promise<unknown> {
    let rest = '';
    return this.#request({ ':method': 'GET', ':path': path }, undefined, (part) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onEvent(JSON.parse(line));
    });
  }

  close(): void {
    this.#session.destroy();
  }

  #request(
    headers: Headers,
    body: object | string | undefined,
    onText: (part: string) => void,
  ): Promise<IncomingHttpHeaders> {
    return new Promise((resolve, reject) => {
      const stream = this.#session.request(headers, { endStream: body === undefined });
      let answer: IncomingHttpHeaders | undefined;
      stream.setEncoding('utf8');
      stream.on('response', (head) => {
        answer = head;
      });
      stream.on('data', onText);
      stream.on('error', reject);
      stream.on('close', () => (answer === undefined ? reject(new Error('there was no answer')) : resolve(answer)));
      if (body !== undefined) stream.end(typeof body === 'string' ? body : JSON.stringify(body));
    });
  }
}

export interface Stored {
  readonly metadata: { readonly name: string; readonly resourceVersion: string };
  readonly data: { readonly value: string };
}

export interface Threads {
  readonly server: Server & ServerParts;
  readonly workers: Worker[];
  readonly lines: { readonly message: string; readonly fields: Record<string, unknown> }[];
  readonly folder: string;
  connect(): Client;
}

export async function withThreads(
  count: number,
  run: (threads: Threads) => Promise<void>,
  options: Partial<ServerOptions> = {},
  hooks: Pick<ThreadHooks, 'program' | 'maxHeapMb'> = {},
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'keelson-threads-'));
  const workers: Worker[] = [];
  const clients: Client[] = [];
  const lines: Threads['lines'] = [];
  const line = (fields: object, message: string) => void lines.push({ message, fields: fields as never });
  const server = await createHookedServer(
    {
      ...{ store: 'embedded', dataDir: folder, threads: count, shutdownGraceSeconds: 1 },
      ...options,
      log: { info: line, warn: line, error: line },
    },
    { ownsProcess: true, threads: { program, ...hooks, onStart: (worker) => workers.push(worker) } },
  );
  try {
    await server.listen();
    await run({
      ...{ server, workers, lines, folder },
      connect() {
        const client = new Client(server, folder);
        clients.push(client);
        return client;
      },
    });
  } finally {
    for (const client of clients) client.close();
    await server.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
