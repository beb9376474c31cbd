// The words with which a client of HTTP/2 begins (RFC 9113, section 3.4), however they are cut.

import { preface } from '../../http2/frame.ts';
import { errorCodes, Http2Error } from '../../http2/http2-error.ts';

const prefaceBytes = Buffer.from(preface);

export class ClientPreface {
  /** Bytes of it that have come. */
  #length = 0;

  /** What follows it. Throws where the client begins with anything else. */
  after(chunk: Buffer): Buffer {
    if (this.#length === prefaceBytes.length) return chunk;
    const part = chunk.subarray(0, prefaceBytes.length - this.#length);
    if (!part.equals(prefaceBytes.subarray(this.#length, this.#length + part.length)))
      throw new Http2Error(errorCodes.protocol);
    this.#length += part.length;
    return chunk.subarray(part.length);
  }
}
