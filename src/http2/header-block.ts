// A block of header fields that needs more than one frame.

import { headBytes } from './frame.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

export class HeaderBlock {
  readonly #maxBytes: number;
  readonly #parts: Buffer[] = [];
  #size = 0;
  /** 0 where no block is open. */
  stream = 0;
  /** Whether its stream ends with it. */
  isLast = false;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  get isOpen(): boolean {
    return this.stream !== 0;
  }

  begin(stream: number, part: Buffer, isLast: boolean): void {
    this.stream = stream;
    this.isLast = isLast;
    this.add(part);
  }

  add(part: Buffer): void {
    // an empty part counts as well: there is no end to them otherwise
    this.#size += part.length + headBytes;
    if (this.#size > this.#maxBytes) throw new Http2Error(errorCodes.enhanceYourCalm);
    this.#parts.push(part);
  }

  /** The whole block, which is closed by that. */
  take(): Buffer {
    const whole = Buffer.concat(this.#parts);
    this.#parts.length = 0;
    this.#size = 0;
    this.stream = 0;
    return whole;
  }
}
