// What the server says over a connection of HTTP/2: frames are collected, and written once in a turn of the event loop. What does not
// fit waits at its stream, and streams take turns: a long answer does not hold up a short one.

import type { Writable } from 'node:stream';
import { frameType, headBytes, maxFrameBytes, maxWindow, usualWindow } from '../../http2/frame.ts';
import { errorCodes, Http2Error } from '../../http2/http2-error.ts';
import { giveBack, roomBytes } from '../../http2/outgoing-bytes.ts';
import { OutgoingFrames } from '../../http2/outgoing-frames.ts';

/** Bytes that the socket may hold before long answers wait; the client's system holds more. */
const maxInFlight = 128 * 1024;
/** A client that asks and does not read the answers is not heard any more until it does. */
const maxUnread = 1024 * 1024;

/** A stream with more to send. */
export interface SendingStream {
  readonly id: number;
  readonly isOver: boolean;
  /** Bytes that the client takes at this time. */
  sendWindow: number;
  /** Whether it is among those that take turns. */
  isReady: boolean;
  /** Sends one frame of at most `most` bytes; returns how many it has. */
  sendNext(most: number): number;
  readonly hasMore: boolean;
}

export class SessionWriter {
  readonly frames = new OutgoingFrames();
  readonly #socket: Writable;
  readonly #onRoom: () => void;
  readonly #flush = () => this.#onTurn();
  readonly #onWritten = (error?: Error | null) => this.#written(error);
  /** What the socket has not written yet, in order. */
  readonly #writing: Buffer[] = [];
  #ready: SendingStream[] = [];
  /** Bytes that the client takes on all streams together. */
  #window = usualWindow;
  #isFlushing = false;
  #isOver = false;

  /** `onRoom` is called whenever the socket has written something. */
  constructor(socket: Writable, onRoom: () => void) {
    this.#socket = socket;
    this.#onRoom = onRoom;
  }

  /** There is more to read for the client than it seems to read. */
  get isOverfull(): boolean {
    return this.frames.length + this.#socket.writableLength > maxUnread;
  }

  /** To be called after something was added to the frames. */
  flushSoon(): void {
    if (this.#isFlushing || this.#isOver) return;
    this.#isFlushing = true;
    setImmediate(this.#flush);
  }

  reset(stream: number, code: number): void {
    this.frames.word(frameType.reset, stream, code);
    this.flushSoon();
  }

  widen(stream: number, bytes: number): void {
    this.frames.word(frameType.windowUpdate, stream, bytes);
    this.flushSoon();
  }

  /** The client takes more on the connection. */
  onWindow(bytes: number): void {
    this.#window += bytes;
    if (this.#window > maxWindow) throw new Http2Error(errorCodes.flowControl);
    if (this.#ready.length > 0) this.flushSoon();
  }

  /** Sends a piece that is not longer than a frame at once, where windows and room allow it: most answers are. */
  sendNow(stream: SendingStream, piece: Uint8Array | string, isLast: boolean): boolean {
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    if (length > maxFrameBytes || length > stream.sendWindow || length > this.#window || !this.#hasRoom(length))
      return false;
    if (typeof piece === 'string') this.frames.text(stream.id, piece, length, isLast);
    else this.frames.data(stream.id, piece, isLast);
    this.#spend(stream, length);
    this.flushSoon();
    return true;
  }

  /** The end of an answer of which everything else was sent. */
  sendEnd(stream: SendingStream): void {
    this.frames.data(stream.id, nothing, true);
    this.flushSoon();
  }

  /** Gives a stream its turns, until there is nothing left that the client takes. */
  sendInTurns(stream: SendingStream): void {
    if (stream.isReady || stream.sendWindow <= 0) return;
    stream.isReady = true;
    this.#ready.push(stream);
    this.flushSoon();
  }

  /** Writes what there is and ends the socket. */
  end(): void {
    this.#isOver = true;
    this.#ready = [];
    this.#socket.end(this.frames.take());
  }

  #spend(stream: SendingStream, bytes: number): void {
    stream.sendWindow -= bytes;
    this.#window -= bytes;
  }

  #hasRoom(length: number): boolean {
    if (this.frames.length + length + headBytes <= roomBytes) return true;
    if (this.#socket.writableLength > maxInFlight) return false;
    this.#write();
    return true;
  }

  #onTurn(): void {
    this.#isFlushing = false;
    this.#flushNow();
  }

  #flushNow(): void {
    // goes on when something was written
    if (this.#isOver || this.#socket.writableLength > maxInFlight) return;
    this.#takeTurns();
    if (this.frames.length > 0) this.#write();
  }

  #write(): void {
    const bytes = this.frames.take();
    this.#writing.push(bytes);
    this.#socket.write(bytes, this.#onWritten);
  }

  #takeTurns(): void {
    while (this.#ready.length > 0 && this.#window > 0 && this.frames.length < roomBytes - maxFrameBytes - headBytes) {
      const stream = this.#ready.shift() as SendingStream;
      stream.isReady = false;
      // the client may have made its window smaller meanwhile
      if (stream.isOver || stream.sendWindow <= 0) continue;
      const sent = stream.sendNext(Math.min(stream.sendWindow, this.#window, maxFrameBytes));
      this.#spend(stream, sent);
      if (stream.hasMore) this.sendInTurns(stream);
    }
  }

  #written(error: Error | null | undefined): void {
    const bytes = this.#writing.shift();
    if (bytes === undefined || error) return;
    giveBack(bytes);
    if (this.#ready.length > 0 || this.frames.length > 0) this.#flushNow();
    this.#onRoom();
  }
}

const nothing = Buffer.alloc(0);
