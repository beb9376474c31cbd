// A request over HTTP/2, as the rest of the server sees it.

import type { ApiRequest, BodyRoom, GoneListener, Peer } from '../../meta/exchange.ts';
import type { RequestBody } from './request-body.ts';
import type { RequestHeaders } from './request-headers.ts';

/** The connection, as its requests see it. */
interface RequestConnection {
  readonly peer: Peer;
  /** Its client has shown valid credentials. */
  markAuthenticated?(): void;
}

const nothing = new Uint8Array(0);

export class Http2Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly #headers: RequestHeaders;
  /** Undefined where the headers are the whole request. */
  readonly #body: RequestBody | undefined;
  readonly #connection: RequestConnection;
  #goneListener: GoneListener | undefined;

  constructor(headers: RequestHeaders, body: RequestBody | undefined, connection: RequestConnection) {
    this.#headers = headers;
    this.#body = body;
    this.#connection = connection;
    this.method = headers.method as string;
    const target = headers.path as string;
    const at = target.indexOf('?');
    this.path = at < 0 ? target : target.slice(0, at);
    this.rawQuery = at < 0 ? '' : target.slice(at + 1);
  }

  get peer(): Peer {
    return this.#connection.peer;
  }

  /** Bytes of its headers. */
  get headerBytes(): number {
    return this.#headers.bytes;
  }

  markAuthenticated(): void {
    this.#connection.markAuthenticated?.();
  }

  header(name: string): string | undefined {
    return this.#headers.get(name);
  }

  hasHeader(prefix: string): boolean {
    return this.#headers.hasPrefix(prefix);
  }

  headers(): readonly (readonly [string, string])[] {
    return this.#headers.pairs();
  }

  readBody(limit: number, room?: BodyRoom): Promise<Uint8Array> {
    return this.#body === undefined ? Promise.resolve(nothing) : this.#body.collect(limit, room);
  }

  bodyChunks(): AsyncIterable<Uint8Array> {
    return this.#body === undefined ? noPieces : this.#body.pieces();
  }

  onGone(listener: GoneListener): void {
    this.#goneListener = listener;
  }

  /** The stream is over. */
  onClosed(): void {
    const current = this.#goneListener;
    this.#goneListener = undefined;
    current?.onGone();
  }
}

const noPieces: AsyncIterable<Uint8Array> = {
  [Symbol.asyncIterator]: () => ({ next: () => Promise.resolve({ done: true, value: undefined }) }),
};
