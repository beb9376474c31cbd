// Splits what comes over a connection of HTTP/2 into frames.

import { errorCodes, Http2Error } from './http2-error.ts';

export interface Frame {
  readonly type: number;
  readonly flags: number;
  readonly stream: number;
  readonly payload: Buffer;
}

const headBytes = 9;
/** The longest payload of a server that was not told of a higher limit. */
export const maxFrameBytes = 16_384;
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

/** What padding leaves of a payload. */
export function withoutPadding({ flags, payload }: Frame): Buffer {
  if ((flags & flag.padded) === 0) return payload;
  const padding = payload[0] ?? payload.length;
  if (padding >= payload.length) throw new Http2Error(errorCodes.protocol);
  return payload.subarray(1, payload.length - padding);
}

export const frameType = {
  data: 0,
  headers: 1,
  reset: 3,
  settings: 4,
  push: 5,
  ping: 6,
  goaway: 7,
  windowUpdate: 8,
  continuation: 9,
} as const;

export const flag = { endStream: 1, ack: 1, endHeaders: 4, padded: 8, priority: 32 } as const;
