// A block of header fields that needs more than one frame. Its parts are copied into one buffer that grows: a part by itself would hold
// all that was read from the socket with it.

import { errorCodes, Http2Error } from './http2-error.ts';

/** Frames behind the first. An honest end fills its frames, so that the longest block that is read needs half as many. */
const maxContinuations = 16;
const noBytes = Buffer.alloc(0);

export class HeaderBlock {
  readonly #maxBytes: number;
  #bytes: Buffer = noBytes;
  #length = 0;
  #continuations = 0;
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

  /** Bytes that are in memory for it. */
  get heldBytes(): number {
    return this.#bytes.length;
  }

  begin(stream: number, part: Buffer, isLast: boolean): void {
    this.stream = stream;
    this.isLast = isLast;
    this.#append(part);
  }

  add(part: Buffer): void {
    this.#continuations++;
    if (this.#continuations > maxContinuations) throw new Http2Error(errorCodes.enhanceYourCalm);
    this.#append(part);
  }

  /** The whole block, which is closed by that. */
  take(): Buffer {
    const whole = this.#bytes.subarray(0, this.#length);
    this.#bytes = noBytes;
    this.#length = 0;
    this.#continuations = 0;
    this.stream = 0;
    return whole;
  }

  #append(part: Buffer): void {
    const length = this.#length + part.length;
    if (length > this.#maxBytes) throw new Http2Error(errorCodes.enhanceYourCalm);
    if (length > this.#bytes.length) this.#grow(length);
    part.copy(this.#bytes, this.#length);
    this.#length = length;
  }

  /** Doubles, so that a block in many parts is not copied with each of them. */
  #grow(least: number): void {
    const grown = Buffer.allocUnsafeSlow(Math.max(least, Math.min(2 * this.#bytes.length, this.#maxBytes)));
    this.#bytes.copy(grown, 0, 0, this.#length);
    this.#bytes = grown;
  }
}
