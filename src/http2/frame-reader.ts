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
  #rest: Buffer = nothing;

  /** Calls `take` for each frame that is complete now, for as long as it returns true. Throws for one that is too long. */
  read(chunk: Buffer, take: (frame: Frame) => boolean): void {
    const bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    let at = 0;
    while (bytes.length - at >= headBytes) {
      const length = bytes.readUIntBE(at, 3);
      if (length > maxFrameBytes) throw new Http2Error(errorCodes.frameSize);
      const end = at + headBytes + length;
      if (end > bytes.length) break;
      if (!take(frameAt(bytes, at, end))) return;
      at = end;
    }
    this.#rest = at === bytes.length ? nothing : bytes.subarray(at);
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
