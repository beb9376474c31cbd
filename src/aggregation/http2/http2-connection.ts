// The client's end of a connection of HTTP/2 (RFC 9113). Node's own makes several objects and closures a request; a request
// that is passed on would cost more on its way out than in.

import type { Duplex } from 'node:stream';
import { TransientMap } from '../../base/maps/transient-map.ts';
import { flag, frameType, lastStream, maxFrameBytes, maxWindow, setting, usualWindow } from '../../http2/frame.ts';
import { HpackDecoder } from '../../http2/hpack-decoder.ts';
import { errorCodes, Http2Error, streamReset } from '../../http2/http2-error.ts';
import { type FrameListener, IncomingFrames } from '../../http2/incoming-frames.ts';
import { type BackendAnswer, type BackendRequest, unprocessed } from '../backend-call.ts';
import type { Ending } from '../ending.ts';
import { AnswerHeaders } from './answer-headers.ts';
import { type CallConnection, Http2Call, windowBytes } from './http2-call.ts';
import { Http2Writer } from './http2-writer.ts';
import { sendBody } from './send-body.ts';

/** Requests at once, whatever the server allows. */
const maxCalls = 500;
/** The limit until the server sends its own. */
const firstCalls = 100;
/** A reader that is slow must not use up what the requests of others share. */
const connectionWindow = windowBytes * maxCalls;
/** Bytes of the headers of one answer, as they are sent. */
const maxBlockBytes = 64 * 1024;
/** A server that asks and does not read the answers is left. */
const maxUnsent = 4 * 1024 * 1024;
const lingerMs = 1000;
/** Frames within a second that bring no request further: a server that sends more is left. */
const maxIdleFrames = 10_000;

interface ConnectionEvents {
  /** It takes no more requests; those under way go on. */
  onUnusable(): void;
}

export class Http2Connection implements CallConnection, FrameListener {
  readonly #socket: Duplex;
  readonly #events: ConnectionEvents;
  readonly #calls = new TransientMap<number, Http2Call>();
  readonly #frames = new IncomingFrames(this, maxBlockBytes);
  readonly #decoder = new HpackDecoder();
  readonly #writer: Http2Writer;
  /** Bodies that wait until the other server takes more. */
  #waiting: (() => void)[] = [];
  #nextStream = 1;
  #allowedCalls: number | undefined;
  #initialWindow = usualWindow;
  #sendWindow = usualWindow;
  #received = 0;
  #isUsable = true;
  #isGone = false;
  #onPong: (() => void) | undefined;
  #idleFrames = 0;
  #idleSince = performance.now();

  constructor(socket: Duplex, events: ConnectionEvents) {
    this.#socket = socket;
    this.#events = events;
    this.#writer = new Http2Writer(socket, () => this.#onFlushed());
    socket.on('data', (chunk: Buffer) => this.#onChunk(chunk));
    socket.on('drain', () => this.#wake());
    socket.on('error', ignore);
    socket.on('close', () => this.#lost());
    this.#writer.greet({ initialWindow: windowBytes, connectionWindow: connectionWindow - usualWindow });
  }

  /** Requests under way. */
  get calls(): number {
    return this.#calls.size;
  }

  get hasRoom(): boolean {
    return this.#isUsable && this.#calls.size < (this.#allowedCalls ?? firstCalls) && this.#nextStream < lastStream;
  }

  /** Only if the connection has a free stream. */
  ask(request: BackendRequest, ending: Ending): Promise<BackendAnswer> {
    const call = new Http2Call(this, { id: this.#nextStream, sendWindow: this.#initialWindow }, request, ending);
    this.#nextStream += 2;
    this.#calls.set(call.id, call);
    const { body } = request;
    this.#writer.headers(call.id, request, body === undefined);
    call.isSent = body === undefined;
    const answer = call.answered();
    if (body !== undefined) void sendBody(this, call, body);
    return answer;
  }

  /** Requests under way may finish. */
  retire(): void {
    this.#unusable();
    if (this.#calls.size === 0) this.#close(errorCodes.noError);
  }

  /** Calls back when the server answers. */
  ping(onPong: () => void): void {
    this.#onPong = onPong;
    this.#writer.ping(Buffer.alloc(8), 0);
  }

  destroy(): void {
    this.#socket.destroy();
    this.#lost();
  }

  leave(call: Http2Call, code?: number): void {
    call.isOver = true;
    if (!this.#calls.delete(call.id)) return;
    if (code !== undefined) this.#reset(call, code);
    this.#wake();
    if (!this.#isUsable && this.#calls.size === 0) this.#close(errorCodes.noError);
  }

  /** Clients that come and leave must not fill the memory where the other server reads nothing. */
  #reset(call: Http2Call, code: number): void {
    this.#idleFrames = 0;
    this.#writer.word(frameType.reset, call.id, code);
    if (this.#isStuck) this.#close(errorCodes.enhanceYourCalm);
  }

  get #isStuck(): boolean {
    return this.#writer.unsent + this.#socket.writableLength > maxUnsent;
  }

  widen(call: Http2Call, bytes: number): void {
    this.#writer.word(frameType.windowUpdate, call.id, bytes);
  }

  /** Sends as much of a piece as the other server takes now; returns how much that is. */
  sendPiece(call: Http2Call, piece: Uint8Array, isLast: boolean): number {
    const maxBytes = this.#isCongested ? 0 : Math.min(call.sendWindow, this.#sendWindow, maxFrameBytes);
    const length = Math.max(0, Math.min(maxBytes, piece.length));
    if (length === 0 && piece.length > 0) return 0;
    const isEnd = isLast && length === piece.length;
    this.#writer.data(call.id, piece.subarray(0, length), isEnd);
    this.#idleFrames = 0;
    call.sendWindow -= length;
    this.#sendWindow -= length;
    return length;
  }

  /** Resolves when more may be sent, or nothing is to be sent any more. */
  roomToSend(): Promise<void> {
    return this.#isGone ? Promise.resolve() : new Promise((resolve) => this.#waiting.push(resolve));
  }

  get #isCongested(): boolean {
    return this.#socket.writableNeedDrain || this.#writer.unsent > windowBytes;
  }

  #onFlushed(): void {
    if (!this.#socket.writableNeedDrain) this.#wake();
  }

  #wake(): void {
    if (this.#waiting.length === 0) return;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const go of waiting) go();
  }

  #onChunk(chunk: Buffer): void {
    if (this.#isGone) return;
    try {
      this.#frames.read(chunk);
    } catch (error) {
      this.#close(error instanceof Http2Error ? error.code : errorCodes.protocol);
    }
  }

  /** Undefined for one that is over. */
  #callOf(stream: number): Http2Call | undefined {
    if (stream % 2 === 0 || stream >= this.#nextStream) throw new Http2Error(errorCodes.protocol);
    return this.#calls.get(stream);
  }

  onData(stream: number, piece: Buffer, frameBytes: number, isLast: boolean): void {
    const call = this.#callOf(stream);
    this.#received += frameBytes;
    if (this.#received > connectionWindow) throw new Http2Error(errorCodes.flowControl);
    if (call === undefined || (piece.length === 0 && !isLast)) this.#countIdle();
    else this.#idleFrames = 0;
    if (call !== undefined && !call.onData(piece, frameBytes, isLast)) throw new Http2Error(errorCodes.flowControl);
    // how much may wait here is limited stream by stream
    if (this.#received < connectionWindow / 4) return;
    this.#writer.word(frameType.windowUpdate, 0, this.#received);
    this.#received = 0;
  }

  /** Decoded also where the stream is over: later blocks refer to it. */
  onHeaders(stream: number, block: Buffer, isLast: boolean): void {
    const call = this.#callOf(stream);
    const headers = new AnswerHeaders();
    this.#decoder.decode(block, headers);
    if (call === undefined) this.#countIdle();
    else call.onHeaders(headers, isLast);
  }

  onReset(stream: number, code: number): void {
    const call = this.#callOf(stream);
    if (call === undefined) {
      this.#countIdle();
      return;
    }
    this.leave(call);
    const why = streamReset(call.id, code);
    call.fail(code === errorCodes.refusedStream ? unprocessed(why) : why);
  }

  onWindow(stream: number, bytes: number): void {
    this.#countIdle();
    if (stream === 0) this.#addWindow(bytes);
    else this.#addCallWindow(this.#callOf(stream), bytes);
    this.#wake();
  }

  #addWindow(bytes: number): void {
    this.#sendWindow += bytes;
    if (this.#sendWindow > maxWindow) throw new Http2Error(errorCodes.flowControl);
  }

  #addCallWindow(call: Http2Call | undefined, bytes: number): void {
    if (call === undefined) return;
    call.sendWindow += bytes;
    if (bytes === 0) call.onMalformed();
    else if (call.sendWindow > maxWindow) call.onMalformed(errorCodes.flowControl);
  }

  onSetting(id: number, value: number): void {
    if (id === setting.maxStreams) this.#allowedCalls = Math.min(value, maxCalls);
    else if (id === setting.tableSize) this.#writer.resizeTable(value);
    else if (id === setting.initialWindow) this.#onInitialWindow(value);
    // only clients may have a use for pushes
    else if (id === setting.enablePush && value !== 0) throw new Http2Error(errorCodes.protocol);
  }

  onSettings(isAck: boolean): void {
    this.#countIdle();
    if (isAck) return;
    // a server without this setting allows any number
    this.#allowedCalls ??= maxCalls;
    this.#writer.acknowledgeSettings();
    this.#checkUnsent();
  }

  #onInitialWindow(bytes: number): void {
    for (const call of this.#calls.values()) {
      call.sendWindow += bytes - this.#initialWindow;
      if (call.sendWindow > maxWindow) throw new Http2Error(errorCodes.flowControl);
    }
    this.#initialWindow = bytes;
    this.#wake();
  }

  onPing(payload: Buffer, isAck: boolean): void {
    this.#countIdle();
    if (isAck) {
      this.#onPong?.();
      return;
    }
    this.#writer.ping(payload, flag.ack);
    this.#checkUnsent();
  }

  onIgnored(): void {
    this.#countIdle();
  }

  #countIdle(): void {
    if (++this.#idleFrames <= maxIdleFrames) return;
    const now = performance.now();
    if (now - this.#idleSince < 1000) throw new Http2Error(errorCodes.enhanceYourCalm);
    this.#idleSince = now;
    this.#idleFrames = 0;
  }

  #checkUnsent(): void {
    if (this.#isStuck) throw new Http2Error(errorCodes.enhanceYourCalm);
  }

  /** Requests that the server did not begin with will have no answer. */
  onGoaway(last: number): void {
    this.#countIdle();
    this.#unusable();
    for (const call of [...this.#calls.values()]) {
      if (call.id <= last) continue;
      this.leave(call);
      call.refused();
    }
    if (this.#calls.size === 0) this.#close(errorCodes.noError);
  }

  #unusable(): void {
    if (!this.#isUsable) return;
    this.#isUsable = false;
    this.#events.onUnusable();
  }

  #close(code: number): void {
    if (this.#isGone) return;
    this.#writer.end(code);
    // a server that keeps its end open is not waited for
    setTimeout(() => this.#socket.destroy(), lingerMs).unref();
    this.#lost();
  }

  #lost(): void {
    this.#isGone = true;
    this.#frames.stop();
    this.#unusable();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.lost();
    this.#wake();
  }
}

function ignore(): void {}
