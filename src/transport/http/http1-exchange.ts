// One HTTP/1.1 message as a request and its answer.

import type { IncomingMessage, ServerResponse } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { isPromise } from '../../base/maybe-promise.ts';
import type { ApiRequest, ApiResponse, BodyRoom, GoneListener, Peer } from '../../meta/exchange.ts';
import { collect } from './body.ts';
import { pairs } from './header-pairs.ts';
import { refusalOf } from './http1-refusals.ts';
import { peerOf } from './peer.ts';
import type { ServeContext } from './serve-context.ts';
import { pump } from './stream-sink.ts';
import type { UnreadAnswers } from './unread-answers.ts';

export function serveMessage(context: ServeContext, message: IncomingMessage, out: ServerResponse): void {
  // a client that leaves is no error of the server
  message.on('error', ignore);
  const refusal = refusalOf(message);
  if (refusal !== undefined) {
    respond(context, message, out, refusal);
    return;
  }
  const answer = context.handler(new Http1Request(message, { out }));
  if (isPromise(answer))
    answer.then((response) => respond(context, message, out, response)).catch(context.onStreamError);
  else respond(context, message, out, answer);
}

function ignore(): void {}

export function respond(
  context: ServeContext,
  message: IncomingMessage,
  out: ServerResponse,
  { status, headers, body, onUnsent, isDropped }: ApiResponse,
): void {
  if (isDropped) message.socket.destroy();
  if (isDropped || out.destroyed || out.headersSent) {
    onUnsent?.();
    return;
  }
  // a body that was too large is not waited for
  if (context.isDraining() || status === 413) out.setHeader('connection', 'close');
  if (status === 413) out.once('finish', () => message.destroy());
  if (body === undefined) {
    out.writeHead(status, headers as never).end();
  } else if (typeof body === 'function') {
    out.writeHead(status, headers as never);
    // a watch without events yet must still show its headers
    out.flushHeaders();
    pump(body, out, context);
  } else {
    const length = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
    out.writeHead(status, { ...headers, 'content-length': length } as never).end(bodyBeside(headers, body));
    if (length > smallBytes) holdUntilSent(context.unread, out, { body, length });
  }
  if (!message.readableEnded) message.resume();
}

/** Node sends a text and the headers before it in one piece of UTF-8, which would change the bytes of a warning. */
const bodyBeside = (headers: ApiResponse['headers'], body: string | Uint8Array): string | Uint8Array =>
  typeof body === 'string' && headers['warning'] !== undefined ? Buffer.from(body) : body;

/** A connection has one answer under way: smaller ones need no count. */
const smallBytes = 16 * 1024;

interface WholeBody {
  readonly body: string | Uint8Array;
  readonly length: number;
}

/** Node keeps the body until the client has taken all of it. */
function holdUntilSent(unread: UnreadAnswers, out: ServerResponse, { body, length }: WholeBody): void {
  const answer = { isLasting: false, giveUp: () => out.destroy() };
  unread.hold(answer, typeof body === 'string' ? answer : body.buffer, length);
  out.once('close', () => unread.forget(answer));
}

interface Http1More {
  /** The destination of the answer; closes when the client leaves. */
  readonly out?: { once(event: 'close', listener: () => void): unknown };
  readonly upgrade?: 'websocket' | undefined;
  readonly protocol?: string | undefined;
}

export class Http1Request implements ApiRequest {
  readonly method: string;
  readonly path: string;
  readonly rawQuery: string;
  readonly wantsProtocol: string | undefined;
  readonly #message: IncomingMessage;
  readonly #out: Http1More['out'];

  readonly upgrade: 'websocket' | undefined;

  constructor(message: IncomingMessage, more: Http1More = {}) {
    this.#message = message;
    this.#out = more.out;
    this.upgrade = more.upgrade;
    this.wantsProtocol = more.protocol;
    this.method = message.method ?? 'GET';
    const target = withoutOrigin(message.url ?? '/');
    const at = target.indexOf('?');
    this.path = at < 0 ? target : target.slice(0, at);
    this.rawQuery = at < 0 ? '' : target.slice(at + 1);
  }

  get peer(): Peer {
    const { socket } = this.#message;
    return peerOf(socket, socket as TLSSocket);
  }

  header(name: string): string | undefined {
    const value = this.#message.headers[name];
    return Array.isArray(value) ? value.join(', ') : value;
  }

  bodyChunks(): AsyncIterable<Uint8Array> {
    // a handler that stops reading leaves the connection for its answer
    return this.#message.iterator({ destroyOnReturn: false });
  }

  hasHeader(prefix: string): boolean {
    for (const name in this.#message.headers) if (name.startsWith(prefix)) return true;
    return false;
  }

  headers(): readonly (readonly [string, string])[] {
    return pairs(this.#message.rawHeaders);
  }

  onGone(listener: GoneListener): void {
    this.#out?.once('close', () => listener.onGone());
  }

  readBody(limit: number, room?: BodyRoom): Promise<Uint8Array> {
    return collect(this.#message, this.header('content-length'), limit, room);
  }
}

/** Clients that take the server for a proxy name it in front of the path. */
function withoutOrigin(target: string): string {
  if (target.startsWith('/')) return target;
  const origin = /^https?:\/\/[^/?]*/i.exec(target)?.[0] ?? '';
  const rest = target.slice(origin.length);
  return rest.startsWith('/') || origin === '' ? rest : `/${rest}`;
}
