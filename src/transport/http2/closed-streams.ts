// Which streams were over a moment ago, and through which end: a client may not have heard yet of what the server gave up.

import { errorCodes, Http2Error } from '../../http2/http2-error.ts';

const remembered = 256;

export class ClosedStreams {
  /** The number of a stream; negative where the server gave it up. */
  readonly #ids = new Int32Array(remembered);
  #next = 0;
  /** No stream with a higher number was forgotten. */
  #lastForgotten = 0;

  add(id: number, isByServer: boolean): void {
    this.#lastForgotten = Math.max(this.#lastForgotten, Math.abs(this.#ids[this.#next] as number));
    this.#ids[this.#next] = isByServer ? -id : id;
    this.#next = (this.#next + 1) % remembered;
  }

  /** Throws where the client itself ended the stream. What it sends for another that is over is ignored: it may not know yet. */
  checkData(id: number): void {
    if (this.#ids.includes(id)) throw new Http2Error(errorCodes.streamClosed);
  }

  /** For headers. The number of a stream that was passed over is not used any more. */
  checkHeaders(id: number): void {
    this.checkData(id);
    if (id > this.#lastForgotten && !this.#ids.includes(-id)) throw new Http2Error(errorCodes.protocol);
  }
}
