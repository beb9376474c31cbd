// Splits what comes over a connection of HTTP/2 into frames.

import { headBytes, maxFrameBytes } from './frame.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const nothing = Buffer.alloc(0);

export class FrameReader {
  /** The received part of an incomplete frame, with space for more of it. */
  #rest: Buffer = nothing;
  #length = 0;

  /** Bytes that are in memory for a frame that is not complete. */
  get heldBytes(): number {
    return this.#length === 0 ? 0 : this.#rest.buffer.byteLength;
  }

  /** Calls `take` for each frame that is complete now, for as long as it returns true. Throws for one that is too long. */
  read(chunk: Buffer, take: (frame: Frame) => boolean): void {
    const bytes = this.#length === 0 ? chunk : this.#append(chunk);
    let at = 0;
    while (bytes.length - at >= headBytes) {
      const length = bytes.readUIntBE(at, 3);
      if (length > maxFrameBytes) throw new Http2Error(errorCodes.frameSize);
      const end = at + headBytes + length;
      if (end > bytes.length) break;
      if (!take(frameAt(bytes, at, end))) return;
      at = end;
    }
    if (at > 0 || this.#length === 0) this.#keep(bytes.subarray(at));
  }

  #keep(rest: Buffer): void {
    this.#rest = rest.length === 0 ? nothing : rest;
    this.#length = rest.length;
  }

  /** The buffer doubles: a frame that comes byte by byte is not copied with each of them. */
  #append(chunk: Buffer): Buffer {
    const length = this.#length + chunk.length;
    if (length > this.#rest.length) {
      const larger = Buffer.allocUnsafeSlow(Math.max(length, 2 * this.#length));
      this.#rest.copy(larger, 0, 0, this.#length);
      this.#rest = larger;
    }
    chunk.copy(this.#rest, this.#length);
    this.#length = length;
    return this.#rest.subarray(0, length);
  }
}

function frameAt(bytes: Buffer, at: number, end: number): Frame {
  return {
    type: bytes[at + 3] as number,
    flags: bytes[at + 4] as number,
    stream: bytes.readUInt32BE(at + 5) & 0x7fff_ffff,
    payload: bytes.subarray(at + headBytes, end),
  };
}
