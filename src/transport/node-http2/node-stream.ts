// One stream of Node's HTTP/2: a request, and the answer on its way out. It does for Node's streams what `ServerStream` is for the own ones.

import type { ServerHttp2Stream } from 'node:http2';
import { addAbortSignal } from 'node:stream';
import type { Deadline } from '../../base/time/deadlines.ts';
import { errorCodes, Http2Error } from '../../http2/http2-error.ts';
import type { ApiResponse, Sink } from '../../meta/exchange.ts';
import type { LiveSinks } from '../http/stream-sink.ts';
import type { UnreadAnswer, UnreadAnswers } from '../http/unread-answers.ts';
import type { Http2Request } from '../http2/http2-request.ts';
import { bodyWindow, type RequestBody } from '../http2/request-body.ts';
import { endsConnection } from '../http2/serve-stream.ts';
import { answerHeaders } from './answer-headers.ts';
import { NodeBody } from './node-body.ts';

/** Bytes that wait for the client before the code that writes an answer has to wait. */
const highWater = 16 * 1024;
/** Fewer bytes at a time do not count as progress of the reader. */
const worthwhile = 1024;

/** The connection, as its streams see it. */
export interface StreamOwner {
  readonly live: LiveSinks;
  readonly unread: UnreadAnswers;
  serve(stream: NodeStream): void;
  /** The last frame of the answer was sent. */
  onSent(stream: NodeStream): void;
  onOver(stream: NodeStream): void;
  /** Asks the client to use another connection for its next request. */
  leave(): void;
}

export class NodeStream implements Sink, UnreadAnswer {
  readonly id: number;
  /** Undefined where the headers are the whole request. */
  readonly body: RequestBody | undefined;
  /** Undefined once it is answered. */
  request: Http2Request | undefined;
  hasAnswered = false;
  /** The last frame of the answer was sent. */
  isSent = false;
  isOver = false;
  /** It was a stream without an end when it was over. */
  wasLasting = false;
  readonly beganAt: number;
  /** The server gave it up: its end is not the client's doing. */
  isGivenUp = false;
  /** When the rest of the body is not waited for any more. */
  deadline: Deadline | undefined;
  readonly #owner: StreamOwner;
  readonly #stream: ServerHttp2Stream;
  /** Bytes of the body that no reader has taken. */
  #bodyBytes = 0;
  /** Lengths of the pieces that wait to be sent. */
  #pieces: number[] = [];
  #waiting = 0;
  #isEnding = false;
  #onDrained: (() => void)[] = [];
  #stop: (() => void) | undefined;

  constructor(owner: StreamOwner, stream: ServerHttp2Stream, contentLength: number | undefined, beganAt: number) {
    this.#owner = owner;
    this.beganAt = beganAt;
    this.#stream = stream;
    this.id = stream.id as number;
    if (stream.endAfterHeaders) stream.resume();
    else this.body = new NodeBody(this, contentLength);
    stream.on('close', () => this.#onOver());
  }

  serve(): void {
    this.#owner.serve(this);
  }

  startReading(): void {
    if (this.isOver) return;
    this.#stream.on('data', (piece: Buffer) => this.#onPiece(piece));
    this.#stream.on('end', () => this.#onBodyEnd());
  }

  continueBody(): void {
    const isAwaited = this.request?.header('expect')?.toLowerCase() === '100-continue';
    if (isAwaited && !this.hasAnswered && !this.isGone) this.#stream.additionalHeaders({ ':status': 100 });
  }

  /** A reader took this much of the body: the client may send more. */
  widen(bytes: number): void {
    this.#bodyBytes -= bytes;
    if (this.#bodyBytes < bodyWindow / 2) this.#stream.resume();
  }

  /** The rest of the body did not come in time. */
  onDeadline(): void {
    this.reset(errorCodes.noError);
  }

  /** Bytes of the request that are in memory, but for those that a reader has taken. */
  get requestBytes(): number {
    return (this.request?.headerBytes ?? 0) + (this.body?.waitingBytes ?? 0) + this.#stream.readableLength;
  }

  get releasesChunks(): boolean {
    return true;
  }

  get joinsChunks(): boolean {
    return true;
  }

  get isGone(): boolean {
    return this.isOver || this.#stream.closed;
  }

  get isLasting(): boolean {
    return this.#stop !== undefined;
  }

  answer(response: Pick<ApiResponse, 'status' | 'headers'>, length: number | undefined, isWhole = false): void {
    this.hasAnswered = true;
    this.#stream.respond(answerHeaders(response, length), { endStream: isWhole });
    if (endsConnection(response.headers)) this.#owner.leave();
  }

  write(chunk: Uint8Array | string): boolean {
    if (this.isGone || this.#isEnding || chunk.length === 0) return true;
    this.#stream.write(this.#keep(chunk));
    return this.#waiting < highWater;
  }

  drained(): Promise<void> {
    if (this.isGone || this.#waiting === 0) return Promise.resolve();
    return new Promise((resolve) => this.#onDrained.push(resolve));
  }

  onStop(stop: () => void): void {
    if (this.isGone) {
      stop();
      return;
    }
    this.#stop = stop;
    this.#owner.live.add(this);
  }

  stop(): void {
    const stop = this.#stop;
    this.#unlive();
    stop?.();
  }

  cut(): void {
    this.#unlive();
    this.reset(errorCodes.cancel);
  }

  end(): void {
    this.#unlive();
    if (this.isGone || this.#isEnding) return;
    this.#isEnding = true;
    this.#stream.end();
  }

  /** The whole body of an answer. */
  endWith(body: Uint8Array | string): void {
    this.#isEnding = true;
    this.#stream.end(this.#keep(body));
  }

  giveUp(): void {
    this.reset(errorCodes.cancel);
  }

  /** Gives the stream up, and reports the code to the client. */
  reset(code: number): void {
    if (this.isGone) return;
    this.isGivenUp = true;
    // Node's `close` would end an answer that has begun as if it were whole, and reset the stream behind it
    if (!this.hasAnswered || this.isSent) this.#stream.close(code);
    else if (code === errorCodes.cancel) addAbortSignal(AbortSignal.abort(), this.#stream);
    else this.#stream.destroy(new Http2Error(code));
  }

  /** A frame of the answer was sent. */
  onSentFrame(bytes: number, isLast: boolean): void {
    this.#took(bytes);
    if (!isLast || this.isSent) return;
    this.isSent = true;
    this.#owner.onSent(this);
  }

  #took(bytes: number): void {
    this.#waiting -= bytes;
    let rest = bytes;
    while (this.#pieces.length > 0 && rest >= (this.#pieces[0] as number)) {
      rest -= this.#pieces.shift() as number;
      this.#owner.unread.tookPiece(this);
    }
    if (rest > 0 && this.#pieces.length > 0) this.#pieces[0] = (this.#pieces[0] as number) - rest;
    if (rest >= worthwhile) this.#owner.unread.took(this);
    if (this.#waiting === 0) this.#drain();
  }

  #keep(chunk: Uint8Array | string): Uint8Array {
    const piece = typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
    this.#pieces.push(piece.length);
    this.#waiting += piece.length;
    this.#owner.unread.add(this, piece);
    return piece;
  }

  #onPiece(piece: Buffer): void {
    const { body } = this;
    if (body === undefined) return;
    this.#bodyBytes += piece.length;
    body.add(piece, piece.length);
    if (this.#bodyBytes >= bodyWindow / 2) this.#stream.pause();
  }

  /** Node also ends a body that its client cut off by a reset without an error. */
  #onBodyEnd(): void {
    if (this.#stream.closed) this.body?.cut();
    else this.body?.finish();
  }

  #onOver(): void {
    if (this.isOver) return;
    this.isOver = true;
    this.wasLasting = this.isLasting;
    if (this.#waiting > 0) this.#owner.unread.forget(this);
    this.#pieces = [];
    this.#waiting = 0;
    this.body?.cut();
    this.request?.onClosed();
    this.request = undefined;
    this.#drain();
    this.stop();
    this.#owner.onOver(this);
  }

  #drain(): void {
    const waiting = this.#onDrained;
    this.#onDrained = [];
    for (const go of waiting) go();
  }

  #unlive(): void {
    if (this.#stop === undefined) return;
    this.#stop = undefined;
    this.#owner.live.delete(this);
  }
}
