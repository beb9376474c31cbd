// One HTTP/2 stream as a request and its answer.

import {
  constants,
  type IncomingHttpHeaders,
  type OutgoingHttpHeaders,
  type ServerHttp2Stream,
  sensitiveHeaders,
} from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { isPromise } from '../../base/maybe-promise.ts';
import type { ApiRequest, ApiResponse, GoneListener, Handler, Peer } from '../../meta/exchange.ts';
import { requestEntityTooLarge } from '../../meta/status.ts';
import { forgetSentHeaders } from '../../runtime/sent-headers.ts';
import { canTakePieces } from '../../runtime/taken-pieces.ts';
import { collect, DeclaredBody } from './body.ts';
import type { Connection } from './connections.ts';
import { pairs } from './header-pairs.ts';
import { peerOf } from './peer.ts';
import { type LiveSinks, pump } from './stream-sink.ts';

export interface ServeContext {
  readonly handler: Handler;
  /** The server is about to stop. */
  isDraining(): boolean;
  readonly live: LiveSinks;
  onStreamError(error: unknown): void;
  /** A stream of HTTP/2 is over. */
  onClosed(): void;
}

/** A stream that its client took back before anything was done for it: nothing is. */
export function dropStream(connection: Connection, stream: ServerHttp2Stream): void {
  stream.on('error', ignore);
  stream.destroy();
  connection.requestTakenBack();
}

export function serveStream(
  served: Served,
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  rawHeaders: readonly string[] = [],
): void {
  const { context, connection } = served;
  // a client that resets its stream is no error of ours
  stream.on('error', ignore);
  // CONNECT has no path, and nothing to connect to here
  if (headers[':path'] === undefined) {
    stream.on('close', () => {
      connection.requestEnded();
      context.onClosed();
    });
    stream.respond({ ':status': 405 }, { endStream: true });
    return;
  }
  const request = new Http2Request(stream, headers, rawHeaders);
  // one listener for both: Node makes every one of them known to the stream itself
  stream.on('close', () => {
    connection.requestEnded();
    // also an answer that was not sent to its end
    if (stream.aborted || !isSent(stream)) connection.requestTakenBack();
    context.onClosed();
    request.onClosed();
  });
  const answer = context.handler(request);
  if (isPromise(answer)) answer.then((response) => respond(served, stream, request, response), context.onStreamError);
  else respond(served, stream, request, answer);
}

/** Where an answer did not wait for the body, Node may close the stream, both sides done, before it tells of the end. */
function isSent(stream: ServerHttp2Stream): boolean {
  const isOver = stream.writableEnded && stream.rstCode === constants.NGHTTP2_NO_ERROR;
  return stream.writableFinished || (isOver && !stream.endAfterHeaders);
}

interface Served {
  readonly context: ServeContext;
  readonly connection: Connection;
}

function ignore(): void {}

function respond(served: Served, stream: ServerHttp2Stream, request: Http2Request, response: ApiResponse): void {
  try {
    send(served, stream, request, response);
  } catch (error) {
    served.context.onStreamError(error);
  }
}

function send(served: Served, stream: ServerHttp2Stream, request: Http2Request, response: ApiResponse): void {
  if (response.isDropped) stream.close(constants.NGHTTP2_INTERNAL_ERROR);
  if (response.isDropped || stream.destroyed || stream.closed || stream.headersSent) {
    response.onUnsent?.();
    return;
  }
  const { body } = response;
  if (body === undefined || request.method === 'HEAD') stream.respond(headersOf(response), { endStream: true });
  else if (typeof body === 'function') {
    stream.respond(headersOf(response));
    forgetSentHeaders(stream);
    // Node resets a stream it has finished while its other side is not read, even when data is still on its way
    stream.resume();
    pump(body, stream, served.context);
  } else {
    const headers = headersOf(response);
    headers['content-length'] = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    stream.respond(headers);
    stream.end(body);
  }
  // a body that no handler read must not hold the stream open
  if (stream.endAfterHeaders || request.isRead) return;
  stream.resume();
  served.connection.answeredEarly(stream);
}

/** Never the same again: remembered for compression, it would only push out what is. */
const unique = ['audit-id'];

/** The pipeline made the headers for this answer alone: they need no copy. */
function headersOf({ status, headers }: ApiResponse): OutgoingHttpHeaders {
  const all = headers as Record<string | symbol, unknown>;
  all[':status'] = status;
  all[sensitiveHeaders] = unique;
  return all as OutgoingHttpHeaders;
}

class Http2Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly #stream: ServerHttp2Stream;
  readonly #headers: IncomingHttpHeaders;
  readonly #rawHeaders: readonly string[];
  #body: DeclaredBody | undefined;
  #isCollected = false;
  #gone: GoneListener | undefined;

  constructor(stream: ServerHttp2Stream, headers: IncomingHttpHeaders, rawHeaders: readonly string[]) {
    this.#rawHeaders = rawHeaders;
    this.#stream = stream;
    this.#headers = headers;
    this.method = headers[':method'] as string;
    const target = headers[':path'] as string;
    const at = target.indexOf('?');
    this.path = at < 0 ? target : target.slice(0, at);
    this.rawQuery = at < 0 ? '' : target.slice(at + 1);
  }

  get peer(): Peer {
    const session = this.#stream.session;
    return session === undefined ? { address: '' } : peerOf(session, session.socket as TLSSocket);
  }

  /** The whole body has come. */
  get isRead(): boolean {
    return this.#body?.isWhole ?? (this.#isCollected || this.#stream.readableEnded);
  }

  header(name: string): string | undefined {
    const value = this.#headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  bodyChunks(): AsyncIterable<Uint8Array> {
    // a handler that stops reading leaves the stream for its answer
    return this.#stream.iterator({ destroyOnReturn: false });
  }

  hasHeader(prefix: string): boolean {
    const raw = this.#rawHeaders;
    for (let i = 0; i < raw.length; i += 2) if ((raw[i] as string).startsWith(prefix)) return true;
    return false;
  }

  headers(): readonly (readonly [string, string])[] {
    return pairs(this.#rawHeaders);
  }

  readBody(limit: number): Promise<Uint8Array> {
    const length = Number(this.header('content-length'));
    if (length > limit) return Promise.reject(requestEntityTooLarge(limit));
    if (length > 0 && canTakePieces(this.#stream)) {
      this.#body = new DeclaredBody(this.#stream, length);
      return this.#body.read();
    }
    // what came before a handler asked waits in the stream
    return collect(this.#stream, undefined, limit).then((body) => {
      this.#isCollected = true;
      return body;
    });
  }

  onGone(listener: GoneListener): void {
    this.#gone = listener;
  }

  /** The stream is gone, and with it what was still to come. */
  onClosed(): void {
    const gone = this.#gone;
    this.#body?.onClosed();
    // Node may keep the stream for a while; what the request led to need not stay with it
    this.#body = undefined;
    this.#gone = undefined;
    gone?.onGone();
  }
}
