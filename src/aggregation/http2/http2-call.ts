// One stream of HTTP/2: a request, and its answer as fast as it is read.

import { errorCodes } from '../../http2/http2-error.ts';
import {
  type AnswerBody,
  type BackendAnswer,
  type BackendRequest,
  type BodyReader,
  brokenOff,
  noAnswer,
  unprocessed,
} from '../backend-call.ts';
import type { Ending } from '../ending.ts';
import type { DecodedHeaders } from './answer-headers.ts';

/** Bytes that a server may send ahead of the code that reads them, for each request. */
export const windowBytes = 128 * 1024;

/** The connection, as its calls see it. */
export interface CallConnection {
  /** Ends a stream; with a code if the other server must be notified. */
  leave(call: Http2Call, code?: number): void;
  /** Lets the other server send more on a stream. */
  widen(call: Http2Call, bytes: number): void;
}

const withoutBody = new Set([204, 304]);
const smallBytes = 4096;
/** Answers before the answer, such as early hints. */
const maxInterim = 16;
const switchingProtocols = 101;
const validLength = /^\d{1,15}$/;

export class Http2Call implements AnswerBody {
  readonly id: number;
  /** Bytes that the other server takes at this time. */
  sendWindow: number;
  /** The whole request was sent. */
  isSent = false;
  /** Nothing more is sent or received. */
  isOver = false;
  readonly #connection: CallConnection;
  readonly #method: string;
  readonly #ending: Ending;
  readonly #pieces: Buffer[] = [];
  #resolve: ((answer: BackendAnswer) => void) | undefined;
  #reject: ((error: Error) => void) | undefined;
  #reader: BodyReader | undefined;
  #failure: Error | undefined;
  #isComplete = false;
  #isPaused = false;
  /** Bytes that the other server may still send, and those to return to it by the next window update. */
  #window = windowBytes;
  #read = 0;
  /** Missing bytes of the body, if the server sent its length. */
  #expected: number | undefined;
  #interim = 0;

  constructor(
    connection: CallConnection,
    { id, sendWindow }: { readonly id: number; readonly sendWindow: number },
    { method }: BackendRequest,
    ending: Ending,
  ) {
    this.#connection = connection;
    this.id = id;
    this.sendWindow = sendWindow;
    this.#method = method;
    this.#ending = ending;
  }

  /** The answer, as soon as it begins. */
  answered(): Promise<BackendAnswer> {
    return new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
      if (this.#failure === undefined) this.#ending.onEnd(this);
      else reject(this.#failure);
    });
  }

  onEnded(why: Error): void {
    this.#connection.leave(this, errorCodes.cancel);
    this.fail(why);
  }

  onHeaders({ status, headers, isMalformed }: DecodedHeaders, isLast: boolean): void {
    if (isMalformed) this.onMalformed();
    else if (this.#resolve === undefined) this.#onTrailers(status, isLast);
    else if (status >= 200) this.#begin(status, headers, isLast);
    else if (status < 100 || status === switchingProtocols || isLast || ++this.#interim > maxInterim)
      this.onMalformed();
  }

  /** Trailers end the answer; they may not have a status. */
  #onTrailers(status: number, isLast: boolean): void {
    if (status === 0 && isLast) this.#finish();
    else this.onMalformed();
  }

  /** The answer makes no sense; others on the connection may. */
  onMalformed(code: number = errorCodes.protocol): void {
    this.#connection.leave(this, code);
    this.fail(new Error('malformed HTTP response'));
  }

  /** False where the server sent more than it may. */
  onData(piece: Buffer, frameBytes: number, isLast: boolean): boolean {
    this.#window -= frameBytes;
    if (this.#window < 0) return false;
    this.#consumed(frameBytes - piece.length);
    if (this.#resolve !== undefined) this.onMalformed();
    else if (this.#expected !== undefined && piece.length > this.#expected) this.onMalformed();
    else {
      if (this.#expected !== undefined) this.#expected -= piece.length;
      if (piece.length > 0) this.#take(piece);
      if (isLast) this.#finish();
    }
    return true;
  }

  /** The connection or the other server gave the stream up. */
  fail(error: Error): void {
    if (this.#isComplete || this.#failure !== undefined) return;
    this.#failure = error;
    this.isOver = true;
    this.#ending.offEnd(this);
    this.#reject?.(error);
    this.#settled();
    if (!this.#isPaused) this.#over();
  }

  takeWhole(): Uint8Array | undefined {
    if (!this.#isComplete) return undefined;
    const [only] = this.#pieces;
    return this.#pieces.length === 1 ? only : Buffer.concat(this.#pieces);
  }

  read(reader: BodyReader): void {
    this.#reader = reader;
    this.#deliver();
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    this.#deliver();
  }

  cancel(): void {
    this.#reader = undefined;
    this.#pieces.length = 0;
    if (!this.isOver) this.#connection.leave(this, errorCodes.cancel);
  }

  #begin(status: number, headers: BackendAnswer['headers'], isLast: boolean): void {
    const hasBody = this.#method !== 'HEAD' && !withoutBody.has(status);
    const length = headers['content-length'];
    // two lengths that are the same are no length either
    if (length !== undefined && !validLength.test(length as string)) {
      this.onMalformed();
      return;
    }
    if (!hasBody) this.#expected = 0;
    else if (length !== undefined) this.#expected = Number(length);
    this.#ending.offEnd(this);
    this.#resolve?.({ status, headers, body: this });
    this.#settled();
    if (isLast) this.#finish();
  }

  #settled(): void {
    this.#resolve = undefined;
    this.#reject = undefined;
  }

  #take(piece: Buffer): void {
    if (this.#reader === undefined || this.#isPaused || this.#pieces.length > 0) this.#keep(piece);
    else this.#pass(piece, this.#reader);
  }

  /** Small pieces are joined: each by itself would hold on to all that was read from the socket with it. */
  #keep(piece: Buffer): void {
    const last = this.#pieces.at(-1);
    if (last === undefined || last.length + piece.length > smallBytes) this.#pieces.push(piece);
    else this.#pieces[this.#pieces.length - 1] = Buffer.concat([last, piece]);
  }

  #pass(piece: Buffer, reader: BodyReader): void {
    this.#consumed(piece.length);
    reader.onPiece(piece);
  }

  /** What waited: pieces first, then how it ended. */
  #deliver(): void {
    while (this.#reader !== undefined && !this.#isPaused) {
      const piece = this.#pieces.shift();
      if (piece !== undefined) this.#pass(piece, this.#reader);
      else {
        this.#over();
        return;
      }
    }
  }

  #consumed(bytes: number): void {
    this.#read += bytes;
    if (this.isOver || this.#read < windowBytes / 2) return;
    this.#connection.widen(this, this.#read);
    this.#window += this.#read;
    this.#read = 0;
  }

  #finish(): void {
    // what of the request was not sent is of no use any more
    this.#connection.leave(this, this.isSent ? undefined : errorCodes.cancel);
    if (this.#expected !== undefined && this.#expected > 0) {
      this.fail(brokenOff());
      return;
    }
    this.#isComplete = true;
    if (this.#pieces.length === 0 && !this.#isPaused) this.#over();
  }

  /** Reports the end to the reader, once it is known. */
  #over(): void {
    const reader = this.#reader;
    if (this.#failure === undefined && !this.#isComplete) return;
    this.#reader = undefined;
    if (this.#failure === undefined) reader?.onEnd();
    else reader?.onError(this.#failure);
  }

  /** The other server reports that it did not begin with the request. */
  refused(): void {
    if (this.#resolve === undefined) this.lost();
    else this.fail(unprocessed(noAnswer()));
  }

  /** The connection is closed. */
  lost(): void {
    this.isOver = true;
    this.fail(this.#resolve === undefined ? brokenOff() : noAnswer());
  }
}
