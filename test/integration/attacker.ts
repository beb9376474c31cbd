// Clients that attack: bytes over HTTP/1.1 that no library would send, and many requests over HTTP/2.

import { once } from 'node:events';
import { type ClientHttp2Session, connect } from 'node:http2';
import { connect as connectTls } from 'node:tls';
import type { Server } from '../../src/index.ts';
import { credentialsOf } from './credentials.ts';

export interface Reply {
  readonly status: number;
  readonly text: string;
}

/** Everything that servers have answered, to look for what should never be in there. */
export const heard: string[] = [];

const codes = { internal: 2, calm: 11 } as const;

/** Sends the bytes over a connection without a client certificate; the statuses of the answers until the server closes it. */
export async function sendBytes(server: Server, bytes: string): Promise<readonly number[]> {
  const { ca } = credentialsOf(server.kubeconfig);
  const port = Number(new URL(server.url).port);
  const socket = connectTls({ port, host: '127.0.0.1', ca, ALPNProtocols: ['http/1.1'] });
  socket.on('error', () => socket.destroy());
  await once(socket, 'secureConnect');
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString('latin1');
  });
  const closed = new Promise((resolve) => socket.once('close', resolve));
  socket.write(Buffer.from(bytes, 'latin1'));
  await closed;
  heard.push(text);
  return [...text.matchAll(/HTTP\/1\.1 (\d+) /g)].map(([, status]) => Number(status));
}

/** A client of HTTP/2 with its own token; without one it is anonymous. */
export class Attacker {
  readonly #server: Server;
  readonly #headers: Readonly<Record<string, string>>;
  #last: ClientHttp2Session;

  constructor(server: Server, token?: string) {
    this.#server = server;
    this.#headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    this.#last = this.#connect();
  }

  #connect(): ClientHttp2Session {
    const session = connect(this.#server.url, { ca: credentialsOf(this.#server.kubeconfig).ca });
    return session.on('error', () => session.destroy());
  }

  /** A connection that was idle for long has been closed by the server. */
  get #session(): ClientHttp2Session {
    if (this.#last.closed || this.#last.destroyed) this.#last = this.#connect();
    return this.#last;
  }

  /** The status is 0 where the server closed the stream instead of answering. */
  call(method: string, path: string, headers: object = {}, body?: string | Uint8Array): Promise<Reply> {
    const all = { ':method': method, ':path': path, ...this.#headers, ...headers };
    const stream = this.#session.request(all, { endStream: body === undefined });
    return new Promise((resolve, reject) => {
      let [status, text] = [0, ''];
      stream.on('response', (found) => {
        status = Number(found[':status']);
        heard.push(JSON.stringify(found));
      });
      stream.on('data', (chunk: Buffer) => {
        text += chunk.toString();
      });
      stream.on('error', () => {});
      stream.on('close', () => {
        heard.push(text);
        if (stream.rstCode === codes.internal) reject(new Error(`${method} ${path} broke the stream`));
        else resolve({ status, text });
      });
      if (body !== undefined) stream.end(body);
    });
  }

  /** Resolves when the headers of the answer have come, and leaves the stream open. */
  async open(path: string): Promise<number> {
    const stream = this.#session.request({ ':path': path, ...this.#headers });
    stream.on('error', () => {});
    const [found] = (await once(stream, 'response')) as [Record<string, unknown>];
    stream.resume();
    return Number(found[':status']);
  }

  /** Resolves when the headers of the answer have come, and never reads the rest. */
  async stall(path: string): Promise<number> {
    const stream = this.#session.request({ ':path': path, ...this.#headers });
    stream.on('error', () => {});
    const [found] = (await once(stream, 'response')) as [Record<string, unknown>];
    return Number(found[':status']);
  }

  /** Sends a part of a body and never the rest; tells what is answered all the same. */
  begin(path: string, part: string, onStatus: (status: number) => void): void {
    const headers = { ':method': 'POST', ':path': path, 'content-type': 'application/json', ...this.#headers };
    const stream = this.#session.request(headers);
    stream.on('error', () => {});
    stream.on('response', (found) => onStatus(Number(found[':status'])));
    stream.resume();
    stream.write(part);
  }

  [Symbol.dispose](): void {
    this.#last.destroy();
  }
}
