// The server's end of a connection of HTTP/2 by Node's own implementation: the fallback where the own one fails in the field, the baseline
// of the benchmark and the oracle of the tests. Node keeps the protocol; the limits are the server's.

import { performServerHandshake, type ServerHttp2Session, type ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { TransientMap } from '../../base/maps/transient-map.ts';
import { flag, frameType, maxWindow } from '../../http2/frame.ts';
import { fieldOf } from '../../http2/hpack-tables.ts';
import { errorCodes } from '../../http2/http2-error.ts';
import { OutgoingFrames } from '../../http2/outgoing-frames.ts';
import type { Peer } from '../../meta/exchange.ts';
import type { Connection, ConnectionSession } from '../http/connections.ts';
import { peerOf } from '../http/peer.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { Stranger } from '../http/stranger-memory.ts';
import type { LiveSinks } from '../http/stream-sink.ts';
import type { UnreadAnswers } from '../http/unread-answers.ts';
import { FrameBudget } from '../http2/frame-budget.ts';
import { HeadersDeadline } from '../http2/headers-deadline.ts';
import { Http2Request } from '../http2/http2-request.ts';
import { type SessionOptions, settledMs } from '../http2/http2-session.ts';
import { bodyWindow } from '../http2/request-body.ts';
import { maxListBytes, RequestHeaders } from '../http2/request-headers.ts';
import { StreamQueue } from '../http2/stream-queue.ts';
import { WindowCredit } from '../http2/window-credit.ts';
import type { FrameHead } from './frame-heads.ts';
import { NodeStream, type StreamOwner } from './node-stream.ts';
import { serveNodeStream } from './serve-node-stream.ts';
import { type FrameWatcher, WatchedSocket } from './watched-socket.ts';

/** Bytes of the bodies of all requests that the client may send before its window is opened again. */
const connectionWindow = 1024 * 1024;
/** Node resets a stream with more fields; up to this number they are answered with 431. */
const maxFields = 4000;
/** MiB that Node holds for one connection: a client needs a small part of it. */
const maxMemory = 4;
/** Limits of Node's that the limits of the server replace. */
const unlimited = 2 ** 31 - 1;
/** What Node and a session hold for themselves, with the table of the client's fields. */
const sessionBytes = 64 * 1024;
/** Bytes in memory for a byte of headers that are not whole: Node decodes them as they come. */
const decodedBytes = 4;
/** How long a client may take to close its end. */
const lingerMs = 1000;
/** Bytes of a setting: a number and its value. */
const settingBytes = 6;

const notAllowed = { status: 405, headers: {} };
const tooLarge = { status: 431, headers: {} };

export class NodeSession implements ConnectionSession, StreamOwner, FrameWatcher, Stranger {
  readonly context: ServeContext;
  readonly #socket: TLSSocket;
  readonly #connection: Connection;
  readonly #options: SessionOptions;
  readonly #watched: WatchedSocket;
  readonly #session: ServerHttp2Session;
  readonly #streams = new TransientMap<number, NodeStream>();
  readonly #queue = new StreamQueue((error) => this.#onFailure(error));
  readonly #budget: FrameBudget;
  readonly #connectionCredit = new WindowCredit();
  /** Of all streams, also those that are over. */
  readonly #streamCredit = new WindowCredit();
  /** Bytes of answers. */
  #sentBytes = 0;
  readonly #headers: HeadersDeadline;
  #lastId = 0;
  /** The stream whose headers are incomplete; 0 where all are complete. */
  openBlock = 0;
  #blockBytes = 0;
  /** The client has shown valid credentials. */
  #isTrusted = false;
  #isGone = false;

  constructor(socket: TLSSocket, options: SessionOptions) {
    this.context = options.context;
    this.#socket = socket;
    this.#connection = options.connection;
    this.#options = options;
    this.#budget = new FrameBudget(options.clock);
    this.#headers = new HeadersDeadline(this, options.connection);
    this.#watched = new WatchedSocket(socket, this);
    this.#session = performServerHandshake(this.#watched, settingsOf(options));
    this.#session.setLocalWindowSize(connectionWindow);
    this.#wire();
    socket.on('error', ignore);
    socket.on('end', () => this.destroy());
    socket.on('close', () => this.#lost());
    this.#chargeMemory();
  }

  get live(): LiveSinks {
    return this.context.live;
  }

  get unread(): UnreadAnswers {
    return this.context.unread;
  }

  get peer(): Peer {
    return peerOf(this.#socket, this.#socket);
  }

  get isOpen(): boolean {
    return !this.#isGone;
  }

  get isPaused(): boolean {
    return this.#watched.isHeld || this.#socket.isPaused();
  }

  onSlowHeaders(): void {
    this.disconnect(errorCodes.enhanceYourCalm);
  }

  pauseReading(): void {
    this.#watched.hold();
  }

  resumeReading(): void {
    this.#watched.release();
  }

  /** Its bytes no longer count as those of unauthenticated clients. */
  markAuthenticated(): void {
    if (this.#isTrusted) return;
    this.#isTrusted = true;
    this.context.strangers.forget(this);
  }

  /** Clients without credentials hold too much memory, and this one holds most. */
  giveUp(): void {
    this.disconnect(errorCodes.enhanceYourCalm);
  }

  /** The client has received GOAWAY, or is disconnected. */
  get isClosing(): boolean {
    return this.#isGone || this.#session.closed || this.#session.destroyed;
  }

  /** Node names the last request in its first GOAWAY. */
  get isFinal(): boolean {
    return this.isClosing;
  }

  /** Node names the last request at once: the client sends those behind it again, on another connection. */
  sendGoAway(): void {
    if (!this.isClosing) this.#session.close();
  }

  leave(): void {
    this.#connection.sendGoAway();
  }

  /** Node's own GOAWAY would wait for pending writes. */
  disconnect(code: number): void {
    if (this.#isGone) return;
    const farewell = new OutgoingFrames();
    farewell.goaway(this.#lastId, code);
    this.#watched.endWith(farewell.take());
    this.#lost();
  }

  /** Ends the connection once everything was written; resolves when that is done, or the client did not read it for a while. */
  finish(): Promise<void> {
    this.#lost();
    const socket = this.#socket;
    if (socket.destroyed || socket.writableFinished) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, lingerMs);
      const done = () => {
        clearTimeout(timer);
        resolve();
      };
      socket.once('finish', done);
      socket.once('close', done);
    });
  }

  destroy(): void {
    this.#socket.destroy();
    this.#lost();
  }

  serve(stream: NodeStream): void {
    serveNodeStream(this.context, stream, stream.request as Http2Request);
    if (this.#options.goawayChance > 0 && Math.random() < this.#options.goawayChance) this.#connection.sendGoAway();
  }

  /** Where the body did not come to its end, it is waited for: the client may not be able to read before it has sent it. */
  onSent(stream: NodeStream): void {
    const { body } = stream;
    if (body === undefined || body.isWhole) return;
    body.discard();
    stream.deadline = this.#connection.waitForBody(stream);
  }

  onOver(stream: NodeStream): void {
    this.#streams.delete(stream.id);
    if (stream.deadline !== undefined) this.#connection.cancel(stream.deadline);
    this.#connection.requestEnded();
    this.context.onClosed();
    this.#chargeMemory();
    if (this.#isWaste(stream)) this.#connection.requestTakenBack();
  }

  onFrameReceived(head: FrameHead): void {
    if (this.#isGone) return;
    if (head.type === frameType.headers) this.#lastId = Math.max(this.#lastId, head.stream);
    this.#onHeaderFrame(head);
    if (head.type === frameType.settings && (head.flags & flag.ack) === 0) this.#connection.spoke();
    if (!this.#isReading(head) && !this.#budget.spend(costOf(head))) this.disconnect(errorCodes.enhanceYourCalm);
  }

  /** To be called when all that has come was given to Node. */
  onRead(): void {
    if (this.#isGone) return;
    this.#headers.update();
    this.#chargeMemory();
  }

  onFrameSent({ type, flags, stream: id, length, nextWord }: FrameHead): void {
    // Node keeps the connection open behind it
    if (type === frameType.goaway && nextWord !== errorCodes.noError) setImmediate(() => this.#lost());
    if (type !== frameType.data && type !== frameType.headers) return;
    const bytes = type === frameType.data ? length : 0;
    this.#sentBytes += bytes;
    this.#streams.get(id)?.onSentFrame(bytes, (flags & flag.endStream) !== 0);
  }

  #onFailure(error: unknown): void {
    this.context.onStreamError(error);
    this.disconnect(errorCodes.internal);
  }

  /** Whether the client took a request back that was not answered, or a watch that had just begun. */
  #isWaste(stream: NodeStream): boolean {
    if (stream.isSent || stream.isGivenUp || this.#isGone) return false;
    return !stream.hasAnswered || (stream.wasLasting && this.#options.clock.now() - stream.beganAt < settledMs);
  }

  #onHeaderFrame({ type, flags, stream, length }: FrameHead): void {
    if (type !== frameType.headers && type !== frameType.continuation) return;
    const isWhole = (flags & flag.endHeaders) !== 0;
    this.openBlock = isWhole ? 0 : stream;
    this.#blockBytes = isWhole ? 0 : this.#blockBytes + length;
  }

  /** What the client has sent and is still in memory, until it shows credentials. */
  #chargeMemory(): void {
    if (this.#isTrusted || this.#isGone) return;
    let bytes = sessionBytes + decodedBytes * this.#blockBytes;
    for (const stream of this.#streams.values()) bytes += stream.requestBytes;
    this.context.strangers.set(this, bytes);
  }

  /** The client opens a window by bytes that were sent to it. */
  #isReading({ type, stream, word }: FrameHead): boolean {
    if (type !== frameType.windowUpdate) return false;
    const credit = stream === 0 ? this.#connectionCredit : this.#streamCredit;
    return credit.covers(word & maxWindow, this.#sentBytes);
  }

  #wire(): void {
    const session = this.#session;
    session.on('stream', (stream, _headers, _flags, rawHeaders?: readonly string[]) =>
      this.#onStream(stream, rawHeaders ?? []),
    );
    session.on('goaway', () => this.#connection.leaving());
    session.on('error', ignore);
  }

  #onStream(stream: ServerHttp2Stream, rawHeaders: readonly string[]): void {
    stream.on('error', ignore);
    if (stream.closed || stream.destroyed) {
      // nothing was done for it
      this.#connection.requestTakenBack();
      return;
    }
    const headers = readHeaders(rawHeaders);
    if (!headers.isTooLarge && headers.isMalformed(stream.endAfterHeaders)) stream.close(errorCodes.protocol);
    else this.#begin(stream, headers);
  }

  #begin(made: ServerHttp2Stream, headers: RequestHeaders): void {
    const stream = new NodeStream(this, made, headers.contentLength, this.#options.clock.now());
    this.#streams.set(stream.id, stream);
    this.#budget.earn();
    this.context.onBegan();
    this.#connection.requestBegan();
    if (headers.isTooLarge) stream.answer(tooLarge, 0, true);
    // there is nothing to connect to here
    else if (headers.path === undefined) stream.answer(notAllowed, undefined, true);
    else {
      stream.request = new Http2Request(headers, stream.body, this);
      this.#queue.add(stream);
      this.#queue.run();
    }
  }

  #lost(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.context.strangers.forget(this);
    this.#headers.stop();
    this.#session.destroy();
  }
}

function settingsOf({ streams }: SessionOptions) {
  return {
    maxHeaderListPairs: maxFields,
    maxSessionMemory: maxMemory,
    maxSessionRejectedStreams: unlimited,
    streamResetBurst: unlimited,
    streamResetRate: unlimited,
    settings: { maxConcurrentStreams: streams, initialWindowSize: bodyWindow, maxHeaderListSize: maxListBytes },
  };
}

function readHeaders(raw: readonly string[]): RequestHeaders {
  const headers = new RequestHeaders();
  for (let at = 0; at + 1 < raw.length; at += 2) headers.add(fieldOf(raw[at] as string, raw[at + 1] as string));
  return headers;
}

/** What a frame costs of the budget: the ones that bring nothing. Requests earn more than their headers cost. */
function costOf({ type, flags, length, word }: FrameHead): number {
  if (type === frameType.continuation) return 0;
  if (type === frameType.settings) return 1 + Math.floor(length / settingBytes);
  if (type !== frameType.data) return 1;
  const padding = (flags & flag.padded) === 0 ? 0 : 1 + (word >>> 24);
  return length > padding || (flags & flag.endStream) !== 0 ? 0 : 1;
}

function ignore(): void {}
