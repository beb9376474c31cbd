// The payload of a frame. Throws if it is invalid.

import { flag } from './frame.ts';
import type { Frame } from './frame-reader.ts';
import { errorCodes, Http2Error } from './http2-error.ts';

/** What padding leaves of a payload. */
export function withoutPadding({ flags, payload }: Frame): Buffer {
  if ((flags & flag.padded) === 0) return payload;
  const padding = payload[0] ?? payload.length;
  if (padding >= payload.length) throw new Http2Error(errorCodes.protocol);
  return payload.subarray(1, payload.length - padding);
}

/** The header fields of a frame, without padding and priority. */
export function fieldsIn(frame: Frame): Buffer {
  const padless = withoutPadding(frame);
  if ((frame.flags & flag.priority) === 0) return padless;
  if (padless.length < priorityBytes) throw new Http2Error(errorCodes.frameSize);
  return padless.subarray(priorityBytes);
}

export const priorityBytes = 5;

/** The one number that a frame consists of. */
export function wordOf(payload: Buffer): number {
  if (payload.length !== 4) throw new Http2Error(errorCodes.frameSize);
  return payload.readUInt32BE(0);
}

/** By how much a window grows. */
export const incrementOf = (payload: Buffer): number => wordOf(payload) & 0x7fff_ffff;
