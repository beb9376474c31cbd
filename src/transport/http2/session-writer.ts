// The frames of the server over a connection of HTTP/2 are collected, and written once per tick of the event loop, or when there are
// many. What does not fit waits at its stream, and streams take turns: a long answer does not hold up a short one.

import type { Writable } from 'node:stream';
import { frameType, headBytes, maxFrameBytes, maxWindow, usualWindow } from '../../http2/frame.ts';
import { errorCodes, Http2Error } from '../../http2/http2-error.ts';
import { bufferBytes, giveBack } from '../../http2/outgoing-bytes.ts';
import { OutgoingFrames } from '../../http2/outgoing-frames.ts';

/** Bytes that the socket may hold before long answers wait; the client's system holds more. */
const maxInFlight = 128 * 1024;
/** Unread bytes of answers at which the server stops reading the client until it reads. */
const maxUnread = 1024 * 1024;

/** A buffer with less space left than a frame takes. */
const fullBytes = bufferBytes - maxFrameBytes - headBytes;

/** A stream with more to send. */
export interface SendingStream {
  readonly id: number;
  readonly isOver: boolean;
  /** Bytes that the client takes at this time. */
  sendWindow: number;
  /** Whether it waits for its turn to write. */
  isReady: boolean;
  /** The number of the buffer that it wrote into last, and its bytes there. */
  room: number;
  inRoom: number;
  /** Sends one frame of at most `most` bytes; returns how many it has. */
  sendNext(most: number): number;
  readonly hasMore: boolean;
}

/** The connection, as its writer sees it. */
interface WriterOwner {
  /** So many bytes are in memory by now that were written and not sent. */
  onHeld(bytes: number): void;
  /** The socket has sent something. */
  onWritten(): void;
  /** An error in a later tick of the event loop, where no caller is left to take it. */
  onFailure(error: unknown): void;
}

export class SessionWriter {
  readonly frames = new OutgoingFrames();
  readonly #socket: Writable;
  readonly #owner: WriterOwner;
  readonly #flush = () => this.#guard(() => this.#onTurn());
  readonly #onWritten = (error?: Error | null) => this.#guard(() => this.#written(error));
  /** What the socket has not written yet, in order. */
  readonly #writing: Buffer[] = [];
  #writingBytes = 0;
  #ready: SendingStream[] = [];
  /** The number of the current buffer. */
  #room = 0;
  /** Bytes of a buffer that one stream may use while others wait. */
  #share = bufferBytes;
  /** Bytes that the client takes on all streams together. */
  #window = usualWindow;
  /** Bytes of bodies that were sent. */
  #sentBytes = 0;
  #isFlushing = false;
  #isOver = false;

  constructor(socket: Writable, owner: WriterOwner) {
    this.#socket = socket;
    this.#owner = owner;
  }

  get sentBytes(): number {
    return this.#sentBytes;
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

  /** Sends a piece at once, if windows, buffer and the stream's share of it allow that: most answers are one piece. */
  sendNow(stream: SendingStream, piece: Uint8Array | string, isLast: boolean): boolean {
    const length = typeof piece === 'string' ? Buffer.byteLength(piece) : piece.length;
    if (length > stream.sendWindow || length > this.#window || !this.#hasShare(stream, length)) return false;
    if (typeof piece !== 'string') this.frames.data(stream.id, piece, isLast);
    else if (length <= maxFrameBytes) this.frames.text(stream.id, piece, length, isLast);
    else return false;
    this.#spend(stream, length);
    this.flushSoon();
    return true;
  }

  /** The end of an answer of which everything else was sent. */
  sendEnd(stream: SendingStream): void {
    this.frames.data(stream.id, nothing, true);
    this.flushSoon();
  }

  /** Lets a stream write in turn with others, until nothing is left that the client accepts. */
  schedule(stream: SendingStream): void {
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
    stream.inRoom += bytes;
    this.#window -= bytes;
    this.#sentBytes += bytes;
  }

  #hasShare(stream: SendingStream, length: number): boolean {
    if (!this.#hasRoom(length)) return false;
    this.#enter(stream);
    return stream.inRoom + length <= this.#share;
  }

  #hasRoom(length: number): boolean {
    const heads = headBytes * (1 + Math.ceil(length / maxFrameBytes));
    if (this.frames.length + length + heads <= bufferBytes) return true;
    if (this.#isBusy || length + heads > bufferBytes) return false;
    this.#write();
    return true;
  }

  #enter(stream: SendingStream): void {
    if (stream.room === this.#room) return;
    stream.room = this.#room;
    stream.inRoom = 0;
  }

  #onTurn(): void {
    this.#isFlushing = false;
    this.#flushNow();
    if (this.#isBusy) this.#report();
  }

  get #isBusy(): boolean {
    return this.#socket.writableLength > maxInFlight;
  }

  /** If the socket is busy, writing continues when it has drained. */
  #flushNow(): void {
    if (this.#isOver || this.#isBusy) return;
    if (this.frames.length > fullBytes) this.#write();
    this.#takeTurns();
    if (this.frames.length > 0 && !this.#isBusy) this.#write();
  }

  /** Writes the next pieces of streams that used up their share. */
  #continueStreams(): void {
    if (this.#isOver || this.#isBusy) return;
    if (this.frames.length > fullBytes) this.#write();
    this.#takeTurns();
    if (this.frames.length > fullBytes && !this.#isBusy) this.#write();
    this.flushSoon();
  }

  #write(): void {
    const bytes = this.frames.take();
    this.#room = (this.#room + 1) % maxWindow;
    this.#writing.push(bytes);
    this.#writingBytes += bytes.buffer.byteLength;
    this.#socket.write(bytes, this.#onWritten);
    this.#report();
  }

  #takeTurns(): void {
    if (this.#ready.length > 0) this.#share = Math.max(maxFrameBytes, Math.floor(bufferBytes / this.#ready.length));
    while (this.#ready.length > 0 && this.#window > 0 && this.frames.length < fullBytes) {
      const stream = this.#ready.shift() as SendingStream;
      stream.isReady = false;
      // the client may have made its window smaller meanwhile
      if (stream.isOver || stream.sendWindow <= 0) continue;
      this.#enter(stream);
      const sent = stream.sendNext(Math.min(stream.sendWindow, this.#window, maxFrameBytes));
      this.#spend(stream, sent);
      if (stream.hasMore) this.schedule(stream);
    }
  }

  #written(error: Error | null | undefined): void {
    const bytes = this.#writing.shift();
    if (bytes === undefined || error) return;
    this.#writingBytes -= bytes.buffer.byteLength;
    giveBack(bytes);
    if (this.#ready.length > 0 || this.frames.length > 0) this.#continueStreams();
    this.#report();
    this.#owner.onWritten();
  }

  #report(): void {
    this.#owner.onHeld(this.#writingBytes + this.frames.heldBytes);
  }

  #guard(step: () => void): void {
    try {
      step();
    } catch (error) {
      this.#owner.onFailure(error);
    }
  }
}

const nothing = Buffer.alloc(0);
