// The heads of frames of HTTP/2 as they pass by, however their bytes are cut. Payloads are not kept.

import { headBytes } from '../../http2/frame.ts';

export interface FrameHead {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  /** Bytes of the payload. */
  readonly length: number;
  /** The first eight bytes of the payload in two numbers; bytes that a shorter payload lacks are 0. */
  readonly word: number;
  readonly nextWord: number;
}

const shownBytes = 8;

export class FrameHeads {
  readonly #take: (head: FrameHead) => void;
  readonly #head = Buffer.alloc(headBytes + shownBytes);
  #filled = 0;
  /** Bytes that pass by before the next head. */
  #skipped: number;

  /** `take` is called for each head; the first head comes after `skipped` bytes. */
  constructor(take: (head: FrameHead) => void, skipped = 0) {
    this.#take = take;
    this.#skipped = skipped;
  }

  read(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      if (this.#skipped === 0) at = this.#fill(bytes, at);
      const skipped = Math.min(this.#skipped, bytes.length - at);
      this.#skipped -= skipped;
      at += skipped;
    }
  }

  #fill(bytes: Uint8Array, from: number): number {
    let at = from;
    for (; at < bytes.length && this.#filled < this.#needed; at++) this.#head[this.#filled++] = bytes[at] as number;
    if (this.#filled === this.#needed) this.#pass();
    return at;
  }

  /** The length of the payload is in the first three bytes. */
  get #needed(): number {
    if (this.#filled < headBytes) return headBytes;
    return headBytes + Math.min(shownBytes, this.#head.readUIntBE(0, 3));
  }

  #pass(): void {
    const head = this.#head;
    const length = head.readUIntBE(0, 3);
    this.#skipped = length - (this.#filled - headBytes);
    this.#take({
      type: head[3] as number,
      flags: head[4] as number,
      stream: head.readUInt32BE(5) & 0x7fff_ffff,
      length,
      word: head.readUInt32BE(headBytes),
      nextWord: head.readUInt32BE(headBytes + 4),
    });
    head.fill(0);
    this.#filled = 0;
  }
}
