// One stream of HTTP/2 at the server's end: a request, and the answer on its way out. An open watch holds one for hours: it has few fields.

import type { Deadline } from '../../base/time/deadlines.ts';
import { errorCodes } from '../../http2/http2-error.ts';
import type { Peer, Sink } from '../../meta/exchange.ts';
import type { LiveSinks } from '../http/stream-sink.ts';
import type { UnreadAnswer, UnreadAnswers } from '../http/unread-answers.ts';
import type { Http2Request } from './http2-request.ts';
import type { RequestBody } from './request-body.ts';
import type { SendingStream, SessionWriter } from './session-writer.ts';

/** Bytes that may wait for the client before the writer of the answer has to wait. */
const highWater = 16 * 1024;

/** A client that takes less at a time is not taken for one that reads. */
const worthwhile = 1024;

/** The connection, as its streams see it. */
export interface StreamSession {
  readonly peer: Peer;
  readonly writer: SessionWriter;
  readonly live: LiveSinks;
  readonly unread: UnreadAnswers;
  serve(stream: ServerStream): void;
  /** The whole answer was handed over. */
  onSent(stream: ServerStream): void;
  /** Resets a stream, with an error code for the client. */
  reset(stream: ServerStream, code: number): void;
  /** Asks the client to use another connection for its next request. */
  leave(): void;
}

export class ServerStream implements Sink, SendingStream, UnreadAnswer {
  readonly id: number;
  sendWindow: number;
  /** Undefined once it is answered. */
  request: Http2Request | undefined;
  /** What the client sends behind its headers. */
  body: RequestBody | undefined;
  /** It counts among the requests that the server waits for before it closes. */
  isUnderWay = false;
  hasAnswered = false;
  /** The whole answer was handed over. */
  isSent = false;
  /** Nothing more is sent or received. */
  isOver = false;
  /** When its request came. */
  beganAt = 0;
  isReady = false;
  room = 0;
  inRoom = 0;
  /** When the rest of the body is not waited for any more. */
  deadline: Deadline | undefined;
  readonly #session: StreamSession;
  #pieces: Uint8Array[] | undefined;
  /** The position in the first piece. */
  #offset = 0;
  #waiting = 0;
  #isEnding = false;
  #onDrained: (() => void)[] | undefined;
  #stop: (() => void) | undefined;

  constructor(session: StreamSession, id: number, sendWindow: number) {
    this.#session = session;
    this.id = id;
    this.sendWindow = sendWindow;
  }

  serve(): void {
    this.#session.serve(this);
  }

  /** Lets the client send more of its body. */
  widen(bytes: number): void {
    if (!this.isOver) this.#session.writer.widen(this.id, bytes);
  }

  /** Sends 100 to a client that waits for it before it sends its body. */
  onAwaited(): void {
    if (this.isOver || this.hasAnswered) return;
    if (this.request?.header('expect')?.toLowerCase() !== '100-continue') return;
    const { frames } = this.#session.writer;
    frames.beginHeaders(this.id);
    frames.status(100);
    frames.endHeaders(this.id, false);
    this.#session.writer.flushSoon();
  }

  /** The client waits no longer for the rest of its body to be taken. */
  onDeadline(): void {
    this.#session.reset(this, errorCodes.noError);
  }

  /** Bytes of the request that are in memory, but for those that a reader has taken. */
  get requestBytes(): number {
    return (this.request?.headerBytes ?? 0) + (this.body?.waitingBytes ?? 0);
  }

  get releasesChunks(): boolean {
    return true;
  }

  get joinsChunks(): boolean {
    return true;
  }

  get isGone(): boolean {
    return this.isOver;
  }

  get isLasting(): boolean {
    return this.#stop !== undefined;
  }

  get unsentBytes(): number {
    return this.#waiting;
  }

  get hasMore(): boolean {
    return this.#waiting > 0;
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.isOver || this.#isEnding || chunk.length === 0) return true;
    if (this.#waiting === 0 && this.#session.writer.sendNow(this, chunk, false)) return true;
    this.#keep(chunk);
    return this.#waiting < highWater;
  }

  drained(): Promise<void> {
    if (this.isOver || this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => {
      this.#onDrained ??= [];
      this.#onDrained.push(resolve);
    });
  }

  onStop(stop: () => void): void {
    if (this.isOver) {
      stop();
      return;
    }
    this.#stop = stop;
    this.#session.live.add(this);
  }

  stop(): void {
    const stop = this.#stop;
    this.#unlive();
    stop?.();
  }

  cut(): void {
    this.#unlive();
    this.#session.reset(this, errorCodes.cancel);
  }

  end(): void {
    this.#unlive();
    if (this.isOver || this.#isEnding) return;
    this.#isEnding = true;
    if (this.#waiting > 0) return;
    this.#session.writer.sendEnd(this);
    this.#session.onSent(this);
  }

  /** The whole body of an answer. */
  endWith(body: Uint8Array | string): void {
    this.#isEnding = true;
    if (this.#session.writer.sendNow(this, body, true)) this.#session.onSent(this);
    else this.#keep(body);
  }

  sendNext(most: number): number {
    const pieces = this.#pieces as Uint8Array[];
    const first = pieces[0] as Uint8Array;
    const length = Math.min(first.length - this.#offset, most);
    const isLast = this.#isEnding && length === this.#waiting;
    this.#session.writer.frames.data(this.id, first.subarray(this.#offset, this.#offset + length), isLast);
    this.#waiting -= length;
    this.#offset += length;
    if (this.#offset === first.length) {
      pieces.shift();
      this.#offset = 0;
      this.#session.unread.tookPiece(this);
    } else if (length >= worthwhile) this.#session.unread.took(this);
    if (this.#waiting === 0) this.#drain();
    if (isLast) this.#session.onSent(this);
    return length;
  }

  /** The client does not read it. */
  giveUp(): void {
    this.#session.reset(this, errorCodes.cancel);
  }

  /** Nothing more will be read, and what waits is not sent. */
  onOver(): void {
    this.isOver = true;
    if (this.#waiting > 0) this.#session.unread.forget(this);
    this.#waiting = 0;
    this.body?.cut();
    this.request?.onClosed();
    this.request = undefined;
    this.#drain();
    this.stop();
  }

  #keep(chunk: Uint8Array | string): void {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#pieces ??= [];
    this.#pieces.push(piece);
    this.#waiting += piece.length;
    this.#session.unread.add(this, piece);
    if (!this.isOver) this.#session.writer.schedule(this);
  }

  #drain(): void {
    const waiting = this.#onDrained;
    this.#pieces = undefined;
    this.#onDrained = undefined;
    if (waiting !== undefined) for (const go of waiting) go();
  }

  #unlive(): void {
    if (this.#stop === undefined) return;
    this.#stop = undefined;
    this.#session.live.delete(this);
  }
}
