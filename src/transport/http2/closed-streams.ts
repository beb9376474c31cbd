// Recently closed streams, and the side that closed them: a client may not have received the server's reset yet.

import { errorCodes, Http2Error } from '../../http2/http2-error.ts';

const maxRemembered = 256;

export class ClosedStreams {
  /** The number of a stream; negative where the server gave it up. */
  readonly #ids = new Int32Array(maxRemembered);
  #next = 0;
  /** No stream with a higher number was forgotten. */
  #lastForgotten = 0;

  add(id: number, isByServer: boolean): void {
    this.#lastForgotten = Math.max(this.#lastForgotten, Math.abs(this.#ids[this.#next] as number));
    this.#ids[this.#next] = isByServer ? -id : id;
    this.#next = (this.#next + 1) % maxRemembered;
  }

  /** Throws if the client itself ended the stream. Data for other closed streams is ignored: the client may not know yet. */
  checkData(id: number): void {
    if (this.#ids.includes(id)) throw new Http2Error(errorCodes.streamClosed);
  }

  /** For headers. The number of a stream that was passed over is not used any more. */
  checkHeaders(id: number): void {
    this.checkData(id);
    if (id > this.#lastForgotten && !this.#ids.includes(-id)) throw new Http2Error(errorCodes.protocol);
  }
}
