// The server's end of a connection of HTTP/2 (RFC 9113). Node's own makes several objects, closures and events a request: they cost more
// than answering it. The client chooses every byte that is read here: what breaks the protocol ends the connection, what is wrong with
// one request ends that one, and everything has a limit.

import type { TLSSocket } from 'node:tls';
import { TransientMap } from '../../base/maps/transient-map.ts';
import type { Clock } from '../../base/time/clock.ts';
import { flag, lastStream, maxWindow, setting, usualWindow } from '../../http2/frame.ts';
import { HpackDecoder } from '../../http2/hpack-decoder.ts';
import { errorCodes, Http2Error } from '../../http2/http2-error.ts';
import { type FrameListener, IncomingFrames } from '../../http2/incoming-frames.ts';
import type { Peer } from '../../meta/exchange.ts';
import type { Connection, ConnectionSession } from '../http/connections.ts';
import { peerOf } from '../http/peer.ts';
import type { ServeContext } from '../http/serve-context.ts';
import type { Stranger } from '../http/stranger-memory.ts';
import type { LiveSinks } from '../http/stream-sink.ts';
import type { UnreadAnswers } from '../http/unread-answers.ts';
import { ClientPreface } from './client-preface.ts';
import { ClosedStreams } from './closed-streams.ts';
import { FrameBudget } from './frame-budget.ts';
import { HeadersDeadline } from './headers-deadline.ts';
import { Http2Request } from './http2-request.ts';
import { bodyWindow, RequestBody } from './request-body.ts';
import { maxListBytes, RequestHeaders, RequestTrailers } from './request-headers.ts';
import { type AnsweringSession, sendHeaders, serveStream } from './serve-stream.ts';
import { ServerStream } from './server-stream.ts';
import { SessionWriter } from './session-writer.ts';
import { StreamQueue } from './stream-queue.ts';
import { UnsentBytes } from './unsent-bytes.ts';
import { WindowCredit } from './window-credit.ts';

export interface SessionOptions {
  readonly context: ServeContext;
  readonly connection: Connection;
  readonly clock: Clock;
  /** Requests under way. */
  readonly streams: number;
  /** How likely a request ends the connection. */
  readonly goawayChance: number;
}

/** Bytes of the bodies of all requests that the client may send before a window update. */
const connectionWindow = 1024 * 1024;
/** Encoded bytes of the headers of one request: more than the limit of headers, so that larger ones can be answered. */
const maxBlockBytes = 2 * maxListBytes;
/** What a session holds for itself. */
const sessionBytes = 4096;
/** A field that is remembered takes more memory than HPACK counts for it: one of few bytes takes several times as much. */
const fieldOverhead = 4;
/** A watch of this age was of use: it costs nothing to end it. */
export const settledMs = 1000;
/** How long a client may take to close its end. */
const lingerMs = 1000;

const farewellPing = Buffer.from('farewell');
const notAllowed = { status: 405, headers: {} };
const tooLarge = { status: 431, headers: {} };

export class Http2Session implements FrameListener, AnsweringSession, ConnectionSession, Stranger {
  readonly context: ServeContext;
  readonly writer: SessionWriter;
  readonly #socket: TLSSocket;
  readonly #connection: Connection;
  readonly #options: SessionOptions;
  readonly #streams = new TransientMap<number, ServerStream>();
  readonly #closed = new ClosedStreams();
  readonly #preface = new ClientPreface();
  readonly #queue = new StreamQueue((error) => this.#onFailure(error));
  readonly #frames = new IncomingFrames(this, maxBlockBytes);
  readonly #decoder = new HpackDecoder();
  readonly #budget: FrameBudget;
  readonly #headers: HeadersDeadline;
  readonly #unsent: UnsentBytes;
  readonly #connectionCredit = new WindowCredit();
  /** Of all streams, also those that are over: clients read on what has come for them. */
  readonly #streamCredit = new WindowCredit();
  #lastId = 0;
  #initialWindow = usualWindow;
  #received = 0;
  #farewell: 'none' | 'announced' | 'final' = 'none';
  /** The client has shown valid credentials. */
  #isTrusted = false;
  /** The client takes back too many requests. */
  #isSlowed = false;
  #isPaused = false;
  #isGone = false;

  constructor(socket: TLSSocket, options: SessionOptions) {
    this.context = options.context;
    this.#socket = socket;
    this.#connection = options.connection;
    this.#options = options;
    this.#budget = new FrameBudget(options.clock);
    this.#unsent = new UnsentBytes(options.context.unread, () => this.giveUp());
    this.#headers = new HeadersDeadline(this, options.connection);
    this.writer = new SessionWriter(socket, {
      onHeld: (bytes) => this.#unsent.update(bytes),
      onWritten: () => {
        this.#unsent.took();
        this.#resume();
      },
      onFailure: (error) => this.#onFailure(error),
    });
    socket.on('data', (chunk: Buffer) => this.#onChunk(chunk));
    socket.on('error', ignore);
    socket.on('end', () => this.destroy());
    socket.on('close', () => this.#lost());
    this.#greet();
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

  /** The client has received GOAWAY, or is disconnected. */
  get isClosing(): boolean {
    return this.#isGone || this.#farewell !== 'none';
  }

  get isFinal(): boolean {
    return this.#isGone || this.#farewell === 'final';
  }

  /**
   * Asks the client to use another connection for its next request; those under way finish. Requests that it sent before it received
   * that are still served: the number of the last request is sent when it has answered a ping.
   */
  sendGoAway(): void {
    if (this.isClosing) return;
    this.#farewell = 'announced';
    this.writer.frames.goaway(lastStream, errorCodes.noError);
    this.writer.frames.ping(farewellPing, 0);
    this.writer.flushSoon();
  }

  leave(): void {
    this.#connection.sendGoAway();
  }

  /** Ends the connection at once, with an error code. */
  disconnect(code: number): void {
    if (this.#isGone) return;
    this.writer.frames.goaway(this.#lastId, code);
    this.#close();
  }

  /** Ends the connection once everything was written; resolves when that is done, or the client did not read it for a while. */
  finish(): Promise<void> {
    this.disconnect(errorCodes.noError);
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

  get openBlock(): number {
    return this.#frames.openBlock;
  }

  get isPaused(): boolean {
    return this.#isPaused;
  }

  onSlowHeaders(): void {
    this.disconnect(errorCodes.enhanceYourCalm);
  }

  pauseReading(): void {
    this.#isSlowed = true;
    this.#pause();
  }

  resumeReading(): void {
    this.#isSlowed = false;
    this.#resume();
  }

  /** Its bytes no longer count as those of unauthenticated clients. */
  markAuthenticated(): void {
    if (this.#isTrusted) return;
    this.#isTrusted = true;
    this.context.strangers.forget(this);
  }

  /** Memory is short, and this client uses most of it, or has read least lately. */
  giveUp(): void {
    this.disconnect(errorCodes.enhanceYourCalm);
  }

  destroy(): void {
    this.#socket.destroy();
    this.#lost();
  }

  serve(stream: ServerStream): void {
    const request = stream.request as Http2Request;
    serveStream(this, stream, request);
    if (this.#options.goawayChance > 0 && Math.random() < this.#options.goawayChance) this.#connection.sendGoAway();
  }

  /** Where the body did not come to its end, it is waited for: the client may not be able to read before it has sent it. */
  onSent(stream: ServerStream): void {
    stream.isSent = true;
    const { body } = stream;
    if (body === undefined || body.isWhole) this.#over(stream, 'done');
    else {
      body.discard();
      stream.deadline = this.#connection.waitForBody(stream);
    }
  }

  reset(stream: ServerStream, code: number): void {
    if (stream.isOver) return;
    this.writer.reset(stream.id, code);
    this.#over(stream, 'server');
  }

  onHeaders(id: number, block: Buffer, isLast: boolean): void {
    if (id % 2 === 0) throw protocolError();
    const stream = this.#streams.get(id);
    if (stream !== undefined) this.#onTrailers(stream, block, isLast);
    else if (id > this.#lastId) this.#onRequest(id, block, isLast);
    else {
      // later blocks refer to it
      this.#decoder.decode(block, new RequestTrailers());
      this.#closed.checkHeaders(id);
      this.#spend(1);
    }
  }

  onData(id: number, piece: Buffer, frameBytes: number, isLast: boolean): void {
    this.#onReceived(frameBytes);
    if (piece.length === 0 && !isLast) this.#spend(1);
    const stream = this.#streams.get(id);
    if (stream === undefined) this.#onLateData(id);
    else this.#onBody(stream, piece, frameBytes, isLast);
  }

  onReset(id: number): void {
    if (id % 2 === 0 || id > this.#lastId) throw protocolError();
    const stream = this.#streams.get(id);
    if (stream === undefined) this.#spend(1);
    else this.#over(stream, 'client');
  }

  onWindow(id: number, bytes: number): void {
    const credit = id === 0 ? this.#connectionCredit : this.#streamCredit;
    if (!credit.covers(bytes, this.writer.sentBytes)) this.#spend(1);
    if (id === 0) {
      this.writer.onWindow(bytes);
      return;
    }
    if (id % 2 === 0 || id > this.#lastId) throw protocolError();
    const stream = this.#streams.get(id);
    if (stream === undefined) return;
    stream.sendWindow += bytes;
    if (bytes === 0) this.#failed(stream, errorCodes.protocol);
    else if (stream.sendWindow > maxWindow) this.#failed(stream, errorCodes.flowControl);
    else if (stream.hasMore) this.writer.schedule(stream);
  }

  onSetting(id: number, value: number): void {
    this.#spend(1);
    if (id === setting.tableSize) this.writer.frames.resizeTable(value);
    else if (id === setting.initialWindow) this.#onInitialWindow(value);
  }

  onSettings(isAck: boolean): void {
    this.#spend(1);
    if (isAck) return;
    this.#connection.spoke();
    this.writer.frames.acknowledgeSettings();
    this.writer.flushSoon();
  }

  onPing(payload: Buffer, isAck: boolean): void {
    this.#spend(1);
    if (!isAck) {
      this.writer.frames.ping(payload, flag.ack);
      this.writer.flushSoon();
    } else if (this.#farewell === 'announced' && payload.equals(farewellPing)) this.#finalFarewell();
  }

  onGoaway(): void {
    this.#spend(1);
    this.#connection.leaving();
  }

  onIgnored(): void {
    this.#spend(1);
  }

  #greet(): void {
    const { frames } = this.writer;
    frames.settings([
      [setting.maxStreams, this.#options.streams],
      [setting.initialWindow, bodyWindow],
      [setting.maxHeaderList, maxListBytes],
    ]);
    this.writer.widen(0, connectionWindow - usualWindow);
  }

  #onChunk(chunk: Buffer): void {
    if (this.#isGone) return;
    try {
      const frames = this.#preface.after(chunk);
      if (frames.length > 0) this.#frames.read(frames);
      this.#queue.run();
    } catch (error) {
      this.#onFailure(error);
    }
    if (this.writer.isOverfull) this.#pause();
    this.#headers.update();
    this.#chargeMemory();
  }

  /** What the client has sent and is still in memory, until it shows credentials. */
  #chargeMemory(): void {
    if (this.#isTrusted || this.#isGone) return;
    let bytes = sessionBytes + this.#frames.heldBytes + fieldOverhead * this.#decoder.tableBytes;
    for (const stream of this.#streams.values()) bytes += stream.requestBytes;
    this.context.strangers.set(this, bytes);
  }

  /** The client broke the protocol, or the server has a bug: the connection ends, and no other. */
  #onFailure(error: unknown): void {
    if (!(error instanceof Http2Error)) this.context.onStreamError(error);
    this.disconnect(error instanceof Http2Error ? error.code : errorCodes.internal);
  }

  #pause(): void {
    this.#isPaused = true;
    this.#socket.pause();
  }

  #resume(): void {
    if (!this.#isPaused || this.#isSlowed || this.writer.isOverfull) return;
    this.#isPaused = false;
    this.#socket.resume();
  }

  #onRequest(id: number, block: Buffer, isLast: boolean): void {
    this.#lastId = id;
    const headers = new RequestHeaders();
    this.#decoder.decode(block, headers);
    if (this.#farewell === 'final' || this.#streams.size >= this.#options.streams)
      this.#refuse(id, errorCodes.refusedStream);
    else if (!headers.isTooLarge && headers.isMalformed(isLast)) this.#refuse(id, errorCodes.protocol);
    else this.#begin(id, headers, isLast);
  }

  /** Nothing is done for it. */
  #refuse(id: number, code: number): void {
    this.#spend(1);
    this.#closed.add(id, true);
    this.writer.reset(id, code);
  }

  #begin(id: number, headers: RequestHeaders, isLast: boolean): void {
    const stream = new ServerStream(this, id, this.#initialWindow);
    stream.beganAt = this.#options.clock.now();
    this.#streams.set(id, stream);
    if (!isLast) stream.body = new RequestBody(stream, headers.contentLength);
    this.#budget.earn();
    if (headers.isTooLarge) sendHeaders(this, stream, tooLarge, 0, true);
    // there is nothing to connect to here
    else if (headers.path === undefined) sendHeaders(this, stream, notAllowed, undefined, true);
    else {
      stream.request = new Http2Request(headers, stream.body, this);
      this.#enqueue(stream);
    }
  }

  /** It is under way from now on: the server does not close before it was served, since the client takes it for received. */
  #enqueue(stream: ServerStream): void {
    stream.isUnderWay = true;
    this.context.onBegan();
    this.#connection.requestBegan();
    this.#queue.add(stream);
  }

  #onTrailers(stream: ServerStream, block: Buffer, isLast: boolean): void {
    const trailers = new RequestTrailers();
    this.#decoder.decode(block, trailers);
    const { body } = stream;
    if (body === undefined || body.isWhole) this.#failed(stream, errorCodes.streamClosed);
    else if (!isLast || trailers.isMalformed || !body.finish()) this.#failed(stream, errorCodes.protocol);
    else this.#onWhole(stream);
  }

  #onBody(stream: ServerStream, piece: Buffer, frameBytes: number, isLast: boolean): void {
    const { body } = stream;
    if (body === undefined || body.isWhole) this.#failed(stream, errorCodes.streamClosed);
    else if (!body.takes(frameBytes)) this.#failed(stream, errorCodes.flowControl);
    else if (!body.add(piece, frameBytes) || (isLast && !body.finish())) this.#failed(stream, errorCodes.protocol);
    else if (isLast) this.#onWhole(stream);
  }

  #onWhole(stream: ServerStream): void {
    if (stream.isSent) this.#over(stream, 'done');
  }

  /** A part of a body for a stream that is not open. */
  #onLateData(id: number): void {
    if (id % 2 === 0 || id > this.#lastId) throw protocolError();
    this.#closed.checkData(id);
    this.#spend(1);
  }

  /** How much may wait here is limited stream by stream. */
  #onReceived(bytes: number): void {
    this.#received += bytes;
    if (this.#received > connectionWindow) throw new Http2Error(errorCodes.flowControl);
    if (this.#received < connectionWindow / 2) return;
    this.writer.widen(0, this.#received);
    this.#received = 0;
  }

  #onInitialWindow(bytes: number): void {
    const more = bytes - this.#initialWindow;
    this.#initialWindow = bytes;
    for (const stream of this.#streams.values()) {
      stream.sendWindow += more;
      if (stream.sendWindow > maxWindow) throw new Http2Error(errorCodes.flowControl);
      if (stream.hasMore) this.writer.schedule(stream);
    }
  }

  /** The client broke the rules of one stream. */
  #failed(stream: ServerStream, code: number): void {
    this.writer.reset(stream.id, code);
    this.#over(stream, 'client', true);
  }

  #over(stream: ServerStream, through: 'done' | 'client' | 'server', wasReset = through === 'server'): void {
    if (stream.isOver) return;
    const isWaste = through === 'client' && (wasReset ? !stream.isSent : this.#isWaste(stream));
    this.#streams.delete(stream.id);
    this.#closed.add(stream.id, wasReset);
    if (stream.deadline !== undefined) this.#connection.cancel(stream.deadline);
    stream.onOver();
    if (stream.isUnderWay) {
      this.#connection.requestEnded();
      this.context.onClosed();
    }
    if (isWaste) this.#connection.requestTakenBack();
    this.#chargeMemory();
    if (this.#farewell === 'final' && this.#streams.size === 0) this.#close();
  }

  /** Whether the client takes a request back that was not answered, or a watch that has just begun. */
  #isWaste(stream: ServerStream): boolean {
    if (!stream.hasAnswered) return true;
    return stream.isLasting && this.#options.clock.now() - stream.beganAt < settledMs;
  }

  #finalFarewell(): void {
    this.#farewell = 'final';
    this.writer.frames.goaway(this.#lastId, errorCodes.noError);
    this.writer.flushSoon();
    if (this.#streams.size === 0) this.#close();
    this.#connection.onFinal();
  }

  #close(): void {
    if (this.#isGone) return;
    this.writer.end();
    // a client that keeps its end open is not waited for
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
    this.#lost();
  }

  #spend(frames: number): void {
    if (!this.#budget.spend(frames)) throw new Http2Error(errorCodes.enhanceYourCalm);
  }

  #lost(): void {
    if (this.#isGone) return;
    this.#isGone = true;
    this.#frames.stop();
    this.context.strangers.forget(this);
    this.#unsent.stop();
    this.#headers.stop();
    for (const stream of [...this.#streams.values()]) this.#over(stream, 'server');
  }
}

function ignore(): void {}

const protocolError = (): Error => new Http2Error(errorCodes.protocol);
