// The client's end of a connection of HTTP/2 (RFC 9113). Node's own makes several objects and closures a request; a request
// that is passed on would cost more on its way out than in.

import type { Duplex } from 'node:stream';
import { TransientMap } from '../../base/transient-map.ts';
import type { BackendAnswer, BackendRequest } from '../backend-call.ts';
import type { Ending } from '../ending.ts';
import { type Frame, FrameReader, flag, frameType, maxFrameBytes, withoutPadding } from './frame-reader.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import { type CallConnection, Http2Call, windowBytes } from './http2-call.ts';
import { errorCodes, Http2Error, streamReset } from './http2-error.ts';
import { Http2Writer, setting } from './http2-writer.ts';
import { sendBody } from './send-body.ts';

const usualWindow = 65_535;
const maxWindow = 2 ** 31 - 1;
/** Requests at once, whatever the server allows. */
const maxCalls = 500;
/** Until the server says how many it allows. */
const firstCalls = 100;
/** A reader that is slow must not use up what the requests of others share. */
const connectionWindow = windowBytes * maxCalls;
/** Bytes of the headers of one answer, as they are sent. */
const maxBlockBytes = 64 * 1024;
/** A server that asks and does not read the answers is left. */
const maxUnsent = 4 * 1024 * 1024;
const lingerMs = 1000;
/** Numbers of streams are used once. */
const lastStream = 2 ** 31 - 1;

interface ConnectionEvents {
  /** It takes no more requests; those under way go on. */
  onUnusable(): void;
}

export class Http2Connection implements CallConnection {
  readonly #socket: Duplex;
  readonly #events: ConnectionEvents;
  readonly #calls = new TransientMap<number, Http2Call>();
  readonly #reader = new FrameReader();
  readonly #decoder = new HpackDecoder();
  readonly #writer: Http2Writer;
  readonly #take = (frame: Frame) => this.#onFrame(frame);
  /** Bodies that wait until the other server takes more. */
  #waiting: (() => void)[] = [];
  #nextStream = 1;
  #maxCalls = firstCalls;
  #isSettled = false;
  #initialWindow = usualWindow;
  #sendWindow = usualWindow;
  #received = 0;
  #isUsable = true;
  #isGone = false;
  /** Headers that go on in the next frame. */
  #block: { readonly frame: Frame; readonly parts: Buffer[]; size: number } | undefined;
  #onPong: (() => void) | undefined;

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
    return this.#isUsable && this.#calls.size < this.#maxCalls && this.#nextStream < lastStream;
  }

  /** Only where there is room. */
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
    if (code !== undefined) this.#writer.word(frameType.reset, call.id, code);
    this.#wake();
    if (!this.#isUsable && this.#calls.size === 0) this.#close(errorCodes.noError);
  }

  widen(call: Http2Call, bytes: number): void {
    this.#writer.word(frameType.windowUpdate, call.id, bytes);
  }

  /** Sends as much of a piece as the other server takes now; returns how much that is. */
  sendPiece(call: Http2Call, piece: Uint8Array, isLast: boolean): number {
    const room = this.#isCongested ? 0 : Math.min(call.sendWindow, this.#sendWindow, maxFrameBytes);
    const length = Math.max(0, Math.min(room, piece.length));
    if (length === 0 && piece.length > 0) return 0;
    const isEnd = isLast && length === piece.length;
    this.#writer.data(call.id, piece.subarray(0, length), isEnd);
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
      this.#reader.read(chunk, this.#take);
    } catch (error) {
      this.#close(error instanceof Http2Error ? error.code : errorCodes.protocol);
    }
  }

  /** Whether there is a use for further frames. */
  #onFrame(frame: Frame): boolean {
    const { type, stream } = frame;
    if (this.#block !== undefined && (type !== frameType.continuation || stream !== this.#block.frame.stream))
      throw protocolError();
    if (stream === 0) this.#onConnectionFrame(frame);
    else if (stream % 2 === 0 || stream >= this.#nextStream) throw protocolError();
    else this.#onStreamFrame(frame);
    return !this.#isGone;
  }

  #onConnectionFrame(frame: Frame): void {
    const { type, flags, payload } = frame;
    if (type === frameType.settings) this.#onSettings(flags, payload);
    else if (type === frameType.ping) this.#onPing(flags, payload);
    else if (type === frameType.goaway) this.#onGoaway(payload);
    else if (type === frameType.windowUpdate) {
      this.#sendWindow += wordOf(payload);
      if (this.#sendWindow > maxWindow) throw new Http2Error(errorCodes.flowControl);
      this.#wake();
    } else if (type <= frameType.continuation) throw protocolError();
  }

  #onStreamFrame(frame: Frame): void {
    const { type, stream, flags, payload } = frame;
    const call = this.#calls.get(stream);
    if (type === frameType.data) this.#onData(frame, call);
    else if (type === frameType.headers) this.#onHeaders(frame);
    else if (type === frameType.continuation) this.#onContinuation(payload, (flags & flag.endHeaders) !== 0);
    else if (type === frameType.reset) this.#onReset(call, wordOf(payload));
    else if (type === frameType.windowUpdate) this.#onWindow(call, wordOf(payload));
    else if (type >= frameType.settings && type <= frameType.goaway) throw protocolError();
  }

  #onData(frame: Frame, call: Http2Call | undefined): void {
    const { length } = frame.payload;
    const piece = withoutPadding(frame);
    this.#received += length;
    if (this.#received > connectionWindow) throw new Http2Error(errorCodes.flowControl);
    if (call !== undefined && !call.onData(piece, length, (frame.flags & flag.endStream) !== 0))
      throw new Http2Error(errorCodes.flowControl);
    // how much may wait here is limited stream by stream
    if (this.#received < connectionWindow / 4) return;
    this.#writer.word(frameType.windowUpdate, 0, this.#received);
    this.#received = 0;
  }

  #onHeaders(frame: Frame): void {
    const { flags } = frame;
    const padless = withoutPadding(frame);
    const part = (flags & flag.priority) === 0 ? padless : padless.subarray(5);
    if ((flags & flag.endHeaders) !== 0) this.#onBlock(frame, part);
    else this.#block = { frame, parts: [part], size: part.length };
  }

  #onContinuation(part: Buffer, isLast: boolean): void {
    const block = this.#block;
    if (block === undefined) throw protocolError();
    block.parts.push(part);
    // an empty part counts as well: there is no end to them otherwise
    block.size += part.length + 9;
    if (block.size > maxBlockBytes) throw new Http2Error(errorCodes.enhanceYourCalm);
    if (!isLast) return;
    this.#block = undefined;
    this.#onBlock(block.frame, Buffer.concat(block.parts));
  }

  /** Decoded also where the stream is over: later blocks refer to it. */
  #onBlock({ stream, flags }: Frame, block: Buffer): void {
    const decoded = this.#decoder.decode(block);
    this.#calls.get(stream)?.onHeaders(decoded, (flags & flag.endStream) !== 0);
  }

  #onReset(call: Http2Call | undefined, code: number): void {
    if (call === undefined) return;
    this.leave(call);
    call.fail(streamReset(call.id, code));
  }

  #onWindow(call: Http2Call | undefined, bytes: number): void {
    if (call === undefined) return;
    call.sendWindow += bytes;
    if (call.sendWindow > maxWindow) throw new Http2Error(errorCodes.flowControl);
    this.#wake();
  }

  #onSettings(flags: number, payload: Buffer): void {
    if ((flags & flag.ack) !== 0) return;
    if (payload.length % 6 !== 0) throw new Http2Error(errorCodes.frameSize);
    // a server that says nothing of it allows any number
    if (!this.#isSettled) this.#maxCalls = maxCalls;
    this.#isSettled = true;
    for (let at = 0; at < payload.length; at += 6)
      this.#onSetting(payload.readUInt16BE(at), payload.readUInt32BE(at + 2));
    this.#writer.acknowledgeSettings();
    this.#checkUnsent();
  }

  #onSetting(id: number, value: number): void {
    if (id === setting.maxStreams) this.#maxCalls = Math.min(value, maxCalls);
    else if (id === setting.tableSize) this.#writer.resizeTable(value);
    else if (id === setting.initialWindow) this.#onInitialWindow(value);
  }

  #onInitialWindow(bytes: number): void {
    if (bytes > maxWindow) throw new Http2Error(errorCodes.flowControl);
    for (const call of this.#calls.values()) call.sendWindow += bytes - this.#initialWindow;
    this.#initialWindow = bytes;
    this.#wake();
  }

  #onPing(flags: number, payload: Buffer): void {
    if (payload.length !== 8) throw new Http2Error(errorCodes.frameSize);
    if ((flags & flag.ack) !== 0) {
      this.#onPong?.();
      return;
    }
    this.#writer.ping(payload, flag.ack);
    this.#checkUnsent();
  }

  #checkUnsent(): void {
    if (this.#writer.unsent + this.#socket.writableLength > maxUnsent) throw new Http2Error(errorCodes.enhanceYourCalm);
  }

  /** Requests that the server did not begin with will have no answer. */
  #onGoaway(payload: Buffer): void {
    const last = wordOf(payload.subarray(0, 4)) & 0x7fff_ffff;
    this.#unusable();
    for (const call of [...this.#calls.values()]) {
      if (call.id <= last) continue;
      this.leave(call);
      call.lost();
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
    this.#unusable();
    const calls = [...this.#calls.values()];
    this.#calls.clear();
    for (const call of calls) call.lost();
    this.#wake();
  }
}

function ignore(): void {}

const protocolError = (): Error => new Http2Error(errorCodes.protocol);

function wordOf(payload: Buffer): number {
  if (payload.length !== 4) throw new Http2Error(errorCodes.frameSize);
  return payload.readUInt32BE(0);
}
