// The body of a request over Node's HTTP/2. Nothing of it is read before a handler does: until then the client has its first window.

import type { BodyRoom } from '../../meta/exchange.ts';
import { RequestBody } from '../http2/request-body.ts';

/** The stream, as its body sees it. */
interface ReadStream {
  widen(bytes: number): void;
  /** Lets Node deliver what has come. */
  startReading(): void;
  /** A handler waits for the body: a client that waits for 100 Continue gets it. */
  continueBody(): void;
}

export class NodeBody extends RequestBody {
  readonly #stream: ReadStream;
  readonly #expected: number | undefined;
  #isStarted = false;

  constructor(stream: ReadStream, expected: number | undefined) {
    super(stream, expected);
    this.#stream = stream;
    this.#expected = expected;
  }

  override collect(limit: number, room?: BodyRoom): Promise<Uint8Array> {
    const whole = super.collect(limit, room);
    // a body that is too long is refused before it is sent
    if (this.#expected === undefined || this.#expected <= limit) this.#read();
    return whole;
  }

  override pieces(): AsyncIterable<Uint8Array> {
    const pieces = super.pieces();
    this.#read();
    return pieces;
  }

  override discard(): void {
    super.discard();
    this.#start();
  }

  #read(): void {
    if (!this.#isStarted) this.#stream.continueBody();
    this.#start();
  }

  #start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stream.startReading();
  }
}
