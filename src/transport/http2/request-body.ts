// The body of a request over HTTP/2: as fast as it is read, and whole or not at all.

import type { BodyRoom } from '../../meta/exchange.ts';
import { badRequest, requestEntityTooLarge } from '../../meta/status.ts';
import { BodyPieces } from '../http/body-pieces.ts';

/** Bytes that a client may send ahead of the code that reads them, for each request. */
export const bodyWindow = 128 * 1024;

const nothing = new Uint8Array(0);

/** The stream, as its body sees it. */
interface BodyStream {
  /** Lets the client send more. */
  widen(bytes: number): void;
  /** The body is read, and nothing of it has come. */
  onAwaited?(): void;
}

export class RequestBody {
  readonly #stream: BodyStream;
  /** Missing bytes of the body, if the client sent its length. */
  #expected: number | undefined;
  readonly #pieces = new BodyPieces();
  #window = bodyWindow;
  #read = 0;
  #reader: Collector | PieceIterator | undefined;
  /** A part of it has come, or the client got 100 Continue. */
  #hasBegun = false;
  #isDiscarded = false;
  #isCut = false;
  /** All of it has come. */
  isWhole = false;

  constructor(stream: BodyStream, expected: number | undefined) {
    this.#stream = stream;
    this.#expected = expected;
  }

  /** Bytes that wait for their reader. */
  get waitingBytes(): number {
    return this.#pieces.bytes;
  }

  /** Whether the client sent no more than it may. */
  takes(frameBytes: number): boolean {
    this.#window -= frameBytes;
    return this.#window >= 0;
  }

  /** False if the body is longer than its declared length. */
  add(piece: Buffer, frameBytes: number): boolean {
    if (this.#expected !== undefined) {
      if (piece.length > this.#expected) return false;
      this.#expected -= piece.length;
    }
    this.#hasBegun = true;
    // padding needs no reader
    this.#consumed(frameBytes - piece.length);
    if (piece.length === 0) return true;
    if (this.#isDiscarded) this.#consumed(piece.length);
    else if (this.#reader === undefined) this.#pieces.add(piece);
    else if (this.#reader.take(piece)) this.#consumed(piece.length);
    return true;
  }

  /** False if the body is shorter than its declared length. */
  finish(): boolean {
    if (this.#expected !== undefined && this.#expected > 0) return false;
    this.isWhole = true;
    this.#reader?.finish();
    return true;
  }

  /** What has not come will not come. */
  cut(): void {
    if (this.isWhole) return;
    this.#isCut = true;
    this.#pieces.take();
    this.#reader?.fail(cutOff());
  }

  collect(limit: number, room?: BodyRoom): Promise<Uint8Array> {
    if (this.#expected !== undefined && this.#pieces.bytes + this.#expected > limit)
      return Promise.reject(requestEntityTooLarge(limit));
    if (this.#isCut) return Promise.reject(cutOff());
    return new Promise((resolve, reject) => {
      this.#begin(new Collector(limit, room, resolve, reject));
      this.#awaited();
    });
  }

  pieces(): AsyncIterable<Uint8Array> {
    const iterator = new PieceIterator(
      (bytes) => this.#consumed(bytes),
      () => this.#awaited(),
    );
    if (this.#isCut) iterator.fail(cutOff());
    else this.#begin(iterator);
    return iterator;
  }

  /** Drops unread bytes, which are no longer needed. */
  discardUnread(): void {
    if (this.#reader === undefined) this.discard();
  }

  discard(): void {
    this.#isDiscarded = true;
    const waiting = this.#pieces.bytes;
    this.#pieces.take();
    this.#consumed(waiting);
  }

  #begin(reader: Collector | PieceIterator): void {
    this.#reader = reader;
    for (const piece of this.#pieces.take()) if (reader.take(piece)) this.#consumed(piece.length);
    if (this.isWhole) reader.finish();
  }

  #awaited(): void {
    if (!this.#hasBegun && !this.isWhole && !this.#isCut) this.#stream.onAwaited?.();
    this.#hasBegun = true;
  }

  #consumed(bytes: number): void {
    this.#read += bytes;
    if (this.isWhole || this.#isCut || this.#read < bodyWindow / 2) return;
    this.#window += this.#read;
    this.#stream.widen(this.#read);
    this.#read = 0;
  }
}

const cutOff = () => badRequest('the request was closed before its body was complete');

/** Lets go of everything when it is done. */
class Collector {
  readonly #limit: number;
  readonly #room: BodyRoom | undefined;
  #pieces: BodyPieces | undefined = new BodyPieces();
  #resolve: ((body: Uint8Array) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;

  constructor(
    limit: number,
    room: BodyRoom | undefined,
    resolve: (body: Uint8Array) => void,
    reject: (error: Error) => void,
  ) {
    this.#limit = limit;
    this.#room = room;
    this.#resolve = resolve;
    this.#reject = reject;
  }

  take(piece: Buffer): boolean {
    if (this.#pieces === undefined) return true;
    try {
      this.#room?.take(piece.length);
    } catch (error) {
      this.fail(error as Error);
      return true;
    }
    this.#pieces.add(piece);
    if (this.#pieces.bytes > this.#limit) this.fail(requestEntityTooLarge(this.#limit));
    return true;
  }

  finish(): void {
    const [pieces, resolve] = [this.#pieces, this.#resolve];
    this.#release();
    if (pieces !== undefined) resolve?.(joined(pieces.take()));
  }

  fail(error: Error): void {
    const reject = this.#reject;
    this.#release();
    reject?.(error);
  }

  #release(): void {
    this.#pieces = undefined;
    this.#resolve = undefined;
    this.#reject = undefined;
  }
}

function joined(pieces: readonly Buffer[]): Uint8Array {
  if (pieces.length === 0) return nothing;
  return pieces.length === 1 ? (pieces[0] as Buffer) : Buffer.concat(pieces);
}

interface Waiting {
  resolve(result: IteratorResult<Uint8Array>): void;
  reject(error: Error): void;
}

/** Piece by piece, for handlers that pass a body on. One that stops reading leaves the stream for its answer. */
class PieceIterator implements AsyncIterableIterator<Uint8Array> {
  readonly #consumed: (bytes: number) => void;
  readonly #onAwaited: () => void;
  readonly #pieces = new BodyPieces();
  #waiting: Waiting | undefined;
  #error: Error | undefined;
  #isOver = false;

  constructor(consumed: (bytes: number) => void, onAwaited: () => void) {
    this.#consumed = consumed;
    this.#onAwaited = onAwaited;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    const piece = this.#pieces.shift();
    if (piece !== undefined) {
      this.#consumed(piece.length);
      return Promise.resolve({ done: false, value: piece });
    }
    if (this.#error !== undefined) return Promise.reject(this.#error);
    if (this.#isOver) return Promise.resolve(end);
    this.#onAwaited();
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#isOver = true;
    const unread = this.#pieces.bytes;
    this.#pieces.take();
    this.#consumed(unread);
    return Promise.resolve(end);
  }

  /** Whether nothing holds the piece: then the client may send as much again. */
  take(piece: Buffer): boolean {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    if (waiting !== undefined) waiting.resolve({ done: false, value: piece });
    else if (!this.#isOver) this.#pieces.add(piece);
    return waiting !== undefined || this.#isOver;
  }

  finish(): void {
    this.#isOver = true;
    this.#waiting?.resolve(end);
  }

  fail(error: Error): void {
    this.#error = error;
    this.#pieces.take();
    this.#waiting?.reject(error);
  }
}

const end: IteratorResult<Uint8Array> = { done: true, value: undefined };
