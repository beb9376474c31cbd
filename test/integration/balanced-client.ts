// A client behind a balancer with the habits of client-go: one connection of HTTP/2, a new one after GOAWAY, and a request that the server
// did not process is sent again there.

import { type ClientHttp2Session, type ClientHttp2Stream, connect, constants } from 'node:http2';
import type { Identity } from './command-server.ts';

export interface Answer {
  readonly status: number;
  readonly body: string;
}

export class BalancedClient {
  /** Requests that got no answer, or one that asks to come again. */
  readonly refusals: string[] = [];
  readonly #url: string;
  readonly #identity: Identity;
  #session: ClientHttp2Session | undefined;

  constructor(port: number, identity: Identity) {
    this.#url = `https://127.0.0.1:${port}`;
    this.#identity = identity;
  }

  /** Undefined when no answer came. */
  async call(method: string, path: string, body?: object): Promise<Answer | undefined> {
    const text = body === undefined ? undefined : JSON.stringify(body);
    for (;;) {
      const stream = this.#open(method, path, text === undefined);
      if (text !== undefined) stream.end(text);
      let received = '';
      const end = await followed(stream, (part) => {
        received += part;
      });
      if (end.isUnprocessed) continue;
      if (end.status === undefined || !end.isWhole) this.refusals.push(`${method} ${path}: ${end.error ?? 'cut'}`);
      else if (end.status === 429 || end.status === 503)
        this.refusals.push(`${method} ${path}: ${end.status} ${received}`);
      return end.status === undefined || !end.isWhole ? undefined : { status: end.status, body: received };
    }
  }

  /** Lines of a stream, until it ends or breaks. */
  async lines(path: string, onLine: (line: string) => void): Promise<void> {
    let rest = '';
    const end = await followed(this.#open('GET', path, true), (part) => {
      const lines = (rest + part).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) onLine(line);
    });
    if (!end.isUnprocessed && !end.isWhole) this.refusals.push(`GET ${path}: ${end.error ?? 'cut'}`);
  }

  close(): void {
    this.#session?.destroy();
  }

  #open(method: string, path: string, endStream: boolean): ClientHttp2Stream {
    let session = this.#session;
    if (session === undefined || session.closed || session.destroyed) {
      session = connect(this.#url, this.#identity).on('error', () => {});
      this.#session = session;
    }
    const headers = { ':method': method, ':path': path, 'content-type': 'application/json' };
    return session.request(headers, { endStream });
  }
}

interface End {
  readonly status: number | undefined;
  readonly isWhole: boolean;
  /** The server declared that it did nothing for the request. */
  readonly isUnprocessed: boolean;
  readonly error: string | undefined;
}

function followed(stream: ClientHttp2Stream, onPart: (part: string) => void): Promise<End> {
  return new Promise((resolve) => {
    let status: number | undefined;
    let isWhole = false;
    let error: string | undefined;
    stream.setEncoding('utf8');
    stream.on('response', (headers) => {
      status = headers[':status'];
    });
    stream.on('data', onPart);
    stream.on('end', () => {
      isWhole = status !== undefined;
    });
    stream.on('error', ({ message }: Error) => {
      error = message;
    });
    stream.on('close', () => {
      const wasRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      const wasLate = /GOAWAY|session is (closing|closed)/i.test(error ?? '');
      resolve({ status, isWhole, isUnprocessed: status === undefined && (wasRefused || wasLate), error });
    });
  });
}
