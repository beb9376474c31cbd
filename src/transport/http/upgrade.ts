// Requests for another protocol: watches use WebSocket, and where another server speaks the protocol its
// connection and the client's become one. All others are answered over HTTP.

import { type IncomingMessage, ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import {
  acceptKey,
  closeCodes,
  encodeClose,
  encodeFrame,
  FrameError,
  FrameReader,
  opcodes,
} from '../../codec/websocket.ts';
import type { ApiResponse, BodyStream } from '../../meta/exchange.ts';
import { badRequest } from '../../meta/status.ts';
import { Http1Request, respond } from './http1-exchange.ts';
import { refusalOf } from './http1-refusals.ts';
import type { ServeContext } from './serve-context.ts';
import { pump, StreamSink } from './stream-sink.ts';

/** Clients have nothing to say in a watch: what they send is thrown away, and must not be large. */
const maxClientFrame = 64 * 1024;
/** Unread answers to pings: beyond this the client is not read until it reads. */
const maxUnread = 64 * 1024;
/** How long a client may take to answer a close. */
const closingMs = 5000;

export async function serveUpgrade(
  context: ServeContext,
  message: IncomingMessage,
  socket: Duplex,
  early: Buffer,
): Promise<void> {
  socket.on('error', ignore);
  const refusal = refusalOf(message) ?? (hasBody(message) ? bodyRefused() : undefined);
  if (refusal !== undefined) {
    answerPlainly(context, message, socket, refusal);
    return;
  }
  const upgrade = isWebSocket(message) ? 'websocket' : undefined;
  const answer = await context.handler(
    new Http1Request(message, { out: socket, upgrade, protocol: otherProtocol(message.headers.upgrade) }),
  );
  if (answer.tunnel !== undefined) {
    // the other server is notified of a client that left
    if (!socket.destroyed) socket.write(headOf(answer));
    answer.tunnel(socket, early);
  } else if (socket.destroyed) answer.onUnsent?.();
  else if (answer.upgrade === undefined) answerPlainly(context, message, socket, answer);
  else openWebSocket(context, message, socket, { answer, early });
}

function ignore(): void {}

/** Node hands over the connection at the end of the headers: a body could not be separated from later bytes. */
function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) !== 0;
}

function bodyRefused(): ApiResponse {
  const status = badRequest('a request that asks for an upgrade cannot have a body').toStatus();
  return { status: 400, headers: { 'content-type': 'application/json' }, body: JSON.stringify(status) };
}

/** Also with a version behind a slash. */
const ownProtocols = new Set(['h2c', 'http', 'tls']);

/**
 * The protocols that a client requests. HTTP and TLS are excluded: if another server accepted them, the client could send it
 * any requests over a connection that is authenticated as this server.
 */
function otherProtocol(requestedProtocol: string | undefined): string | undefined {
  const names = requestedProtocol?.split(',').map((name) => name.trim().toLowerCase().split('/')[0] ?? '') ?? [];
  return names.some((name) => ownProtocols.has(name)) ? undefined : requestedProtocol;
}

/** A GET with a key of the version that all clients use; anything else is an ordinary request. */
function isWebSocket({ method, headers }: IncomingMessage): boolean {
  const key = headers['sec-websocket-key'] ?? '';
  return (
    method === 'GET' &&
    headers.upgrade?.toLowerCase() === 'websocket' &&
    headers['sec-websocket-version'] === '13' &&
    Buffer.from(key, 'base64').length === 16
  );
}

function answerPlainly(context: ServeContext, message: IncomingMessage, socket: Duplex, answer: ApiResponse): void {
  const out = new ServerResponse(message);
  out.assignSocket(socket as never);
  out.setHeader('connection', 'close');
  out.on('finish', () => socket.end());
  respond(context, message, out, answer);
}

function openWebSocket(
  context: ServeContext,
  message: IncomingMessage,
  socket: Duplex,
  { answer, early }: { readonly answer: ApiResponse; readonly early: Buffer },
): void {
  socket.write(handshake(message, answer));
  const connection = new WebSocketConnection(socket, context);
  socket.on('data', (chunk: Buffer) => connection.take(chunk));
  socket.on('end', () => connection.leave());
  if (early.length > 0) connection.take(early);
  pump(answer.body as BodyStream, socket, context, connection);
}

function handshake(message: IncomingMessage, { headers }: ApiResponse): string {
  const lines = [
    'HTTP/1.1 101 Switching Protocols',
    'Upgrade: websocket',
    'Connection: Upgrade',
    `Sec-WebSocket-Accept: ${acceptKey(message.headers['sec-websocket-key'] as string)}`,
  ];
  const protocol = chosenProtocol(message.headers['sec-websocket-protocol']);
  if (protocol !== undefined) lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  if (typeof headers['audit-id'] === 'string') lines.push(`Audit-Id: ${headers['audit-id']}`);
  return `${lines.join('\r\n')}\r\n\r\n`;
}

const token = /^[\w!#$%&'*+.^`|~-]+$/;

/** Browsers give up when none of the protocols they offer is chosen. A bearer token that poses as one is not repeated. */
function chosenProtocol(offered: string | undefined): string | undefined {
  const names = offered?.split(',').map((name) => name.trim()) ?? [];
  return names.find((name) => token.test(name) && !name.startsWith('base64url.bearer.'));
}

/** One open WebSocket: a sink for frames that are made elsewhere. */
class WebSocketConnection extends StreamSink {
  readonly #socket: Duplex;
  readonly #reader = new FrameReader(maxClientFrame);
  #closing = false;

  constructor(socket: Duplex, context: ServeContext) {
    super(socket, context);
    this.#socket = socket;
  }

  /** What a client sends is ignored, but for the frames that keep a connection in order. */
  take(chunk: Buffer): void {
    if (this.#socket.destroyed) return;
    try {
      for (const { opcode, payload } of this.#reader.read(chunk)) this.#answer(opcode, payload);
    } catch (error) {
      this.#close(error instanceof FrameError ? error.code : closeCodes.protocolError);
    }
    if (this.unsentBytes > maxUnread) this.#listenLater();
  }

  /** The client has left, or closes the connection. */
  leave(): void {
    this.stop();
    this.#socket.end();
  }

  override end(): void {
    this.#close(closeCodes.normal);
  }

  #listenLater(): void {
    this.#socket.pause();
    this.#socket.once('drain', () => this.#socket.resume());
  }

  #answer(opcode: number, payload: Buffer): void {
    if (opcode === opcodes.ping && !this.#closing) this.write(encodeFrame(opcodes.pong, payload));
    if (opcode !== opcodes.close) return;
    this.#close(closeCodes.normal);
  }

  #close(code: number): void {
    if (this.#closing) return;
    this.#closing = true;
    this.write(encodeClose(code));
    this.stop();
    super.end();
    // the client closes its side when it has seen that; one that does not is cut off
    const timer = setTimeout(() => this.#socket.destroy(), closingMs);
    timer.unref();
    this.#socket.once('close', () => clearTimeout(timer));
  }
}

function headOf({ status, headers }: ApiResponse): string {
  const lines = Object.entries(headers).flatMap(([name, value]) => [value].flat().map((one) => `${name}: ${one}`));
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', ''].join('\r\n');
}
