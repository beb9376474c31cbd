// A body stream on its way into a socket.

import type { Writable } from 'node:stream';
import type { BodyStream, Sink } from '../../meta/exchange.ts';
import type { UnreadAnswer, UnreadAnswers } from './unread-answers.ts';

/** Open streams without an end; they are stopped when the server stops. */
export type LiveSinks = Set<{ stop(): void }>;

/** What sinks share with all others of their listener. */
interface SinkContext {
  readonly live: LiveSinks;
  readonly unread: UnreadAnswers;
}

/** Writes `body` and ends the stream; a failure cuts the connection, since the status was sent already. */
export function pump(
  body: BodyStream,
  stream: Writable,
  context: SinkContext & { onStreamError(error: unknown): void },
  sink: Sink = new StreamSink(stream, context),
): void {
  const fail = (error: unknown) => {
    stream.destroy();
    context.onStreamError(error);
  };
  try {
    body(sink)?.then(() => sink.end(), fail);
  } catch (error) {
    fail(error);
  }
}

/**
 * Bytes that are passed to a socket at a time. TLS encrypts all of them at once: of bytes that many clients share, each
 * client that does not read would have an encrypted copy.
 */
const pieceBytes = 64 * 1024;

/** Chunks are not released to the writer again: parts of them may wait here, or in Node, after `drained` has resolved. */
export class StreamSink implements Sink, UnreadAnswer {
  readonly #stream: Writable;
  /** What waits for the socket, in order. */
  readonly #waiting: Uint8Array[] = [];
  /** Bytes of the first of them that the socket has already. */
  #offset = 0;
  #waitingBytes = 0;
  #isEnding = false;
  #onIdle: (() => void)[] = [];
  readonly #live: LiveSinks;
  readonly #unread: UnreadAnswers;
  #stop: (() => void) | undefined;

  constructor(stream: Writable, { live, unread }: SinkContext) {
    this.#stream = stream;
    this.#live = live;
    this.#unread = unread;
  }

  get isLasting(): boolean {
    return this.#stop !== undefined;
  }

  get isGone(): boolean {
    return this.#stream.destroyed;
  }

  get unsentBytes(): number {
    return this.#waitingBytes + this.#stream.writableLength;
  }

  write(chunk: Uint8Array | string): boolean {
    const stream = this.#stream;
    if (stream.destroyed || this.#isEnding || chunk.length === 0) return true;
    if (this.#waiting.length === 0 && chunk.length <= pieceBytes && !stream.writableNeedDrain)
      return stream.write(chunk);
    const bytes = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#waiting.push(bytes);
    this.#waitingBytes += bytes.length;
    this.#unread.add(this, bytes);
    if (this.#waiting.length === 1) this.#sendPieces();
    return this.#waiting.length === 0 && !stream.writableNeedDrain;
  }

  async drained(): Promise<void> {
    if (this.#waiting.length > 0) await new Promise<void>((resolve) => this.#onIdle.push(resolve));
    if (this.#stream.destroyed || !this.#stream.writableNeedDrain) return;
    this.#unread.hold(this, {}, this.#stream.writableLength);
    await drained(this.#stream);
    this.#unread.forget(this);
  }

  /** Gives the socket as much as it takes, and the rest when it has written that. */
  #sendPieces(): void {
    const stream = this.#stream;
    while (!stream.destroyed && !stream.writableEnded && this.#waiting.length > 0) {
      if (stream.writableNeedDrain) {
        void drained(stream).then(() => this.#sendPieces());
        return;
      }
      this.#sendPiece(this.#waiting[0] as Uint8Array);
    }
    this.#waiting.length = 0;
    this.#waitingBytes = 0;
    if (stream.destroyed || stream.writableEnded) this.#unread.forget(this);
    else if (this.#isEnding) stream.end();
    for (const resolve of this.#onIdle.splice(0)) resolve();
  }

  #sendPiece(first: Uint8Array): void {
    const piece = first.subarray(this.#offset, this.#offset + pieceBytes);
    this.#offset += piece.length;
    this.#waitingBytes -= piece.length;
    if (this.#offset < first.length) this.#unread.took(this);
    else {
      this.#waiting.shift();
      this.#offset = 0;
      this.#unread.tookPiece(this);
    }
    this.#stream.write(piece);
  }

  giveUp(): void {
    this.cut();
  }

  onStop(stop: () => void): void {
    if (this.#stream.destroyed) {
      stop();
      return;
    }
    this.#stop = stop;
    this.#live.add(this);
    this.#stream.on('close', () => this.stop());
  }

  stop(): void {
    this.#live.delete(this);
    const stop = this.#stop;
    this.#stop = undefined;
    stop?.();
  }

  cut(): void {
    this.#live.delete(this);
    this.#stop = undefined;
    this.#stream.destroy();
  }

  end(): void {
    this.#live.delete(this);
    this.#stop = undefined;
    this.#isEnding = true;
    if (this.#waiting.length === 0) this.#stream.end();
  }
}

function drained(stream: Writable): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      stream.removeListener('drain', done);
      stream.removeListener('close', done);
      resolve();
    };
    stream.once('drain', done);
    stream.once('close', done);
  });
}
