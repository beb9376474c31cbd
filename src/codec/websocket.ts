// WebSocket frames (RFC 6455): what a watch needs to send, and to understand of what a client sends.

import { createHash } from 'node:crypto';

export const opcodes = { continuation: 0, text: 1, binary: 2, close: 8, ping: 9, pong: 10 } as const;
type Opcode = (typeof opcodes)[keyof typeof opcodes];

/** Codes that say why a connection is closed (section 7.4). */
export const closeCodes = { normal: 1000, goingAway: 1001, protocolError: 1002, tooLarge: 1009 } as const;

const acceptSuffix = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11';

/** What a server answers to a client's key. */
export function acceptKey(key: string): string {
  return createHash('sha1')
    .update(key + acceptSuffix)
    .digest('base64');
}

/** A whole message in one frame, unmasked as servers send it. */
export function encodeFrame(opcode: Opcode, payload: Uint8Array): Buffer {
  const head = headOf(opcode, payload.length);
  return Buffer.concat([head, payload]);
}

function headOf(opcode: Opcode, length: number): Buffer {
  const first = 0x80 | opcode;
  if (length < 126) return Buffer.from([first, length]);
  const head = Buffer.alloc(length < 0x10000 ? 4 : 10);
  head[0] = first;
  head[1] = head.length === 4 ? 126 : 127;
  if (head.length === 4) head.writeUInt16BE(length, 2);
  else head.writeBigUInt64BE(BigInt(length), 2);
  return head;
}

export function encodeClose(code: number): Buffer {
  const payload = Buffer.alloc(2);
  payload.writeUInt16BE(code);
  return encodeFrame(opcodes.close, payload);
}

export interface Frame {
  readonly opcode: number;
  readonly payload: Buffer;
}

/** The client breaks the protocol; `code` says how. */
export class FrameError extends Error {
  readonly code: number;
  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

const nothing = Buffer.alloc(0);
const maxControlLength = 125;

/** Frames out of the pieces in which they arrive. Holds no more than one frame of the allowed size. */
export class FrameReader {
  readonly #maxPayload: number;
  #rest = nothing;

  constructor(maxPayload: number) {
    this.#maxPayload = maxPayload;
  }

  /** The frames that are complete with these bytes; throws a FrameError. */
  read(chunk: Buffer): Frame[] {
    let bytes = this.#rest.length === 0 ? chunk : Buffer.concat([this.#rest, chunk]);
    const frames: Frame[] = [];
    for (;;) {
      const found = this.#next(bytes);
      if (found === undefined) break;
      frames.push(found.frame);
      bytes = bytes.subarray(found.length);
    }
    this.#rest = bytes.length === 0 ? nothing : Buffer.from(bytes);
    return frames;
  }

  #next(bytes: Buffer): { frame: Frame; length: number } | undefined {
    if (bytes.length < 2) return undefined;
    const first = bytes[0] as number;
    const second = bytes[1] as number;
    const opcode = first & 0x0f;
    checkFlags(first, second);
    const { size, length } = payloadLength(bytes);
    if (length === undefined) return undefined;
    if (opcode >= opcodes.close && (length > maxControlLength || (first & 0x80) === 0))
      throw new FrameError(closeCodes.protocolError, 'control frames are short and whole');
    if (length > this.#maxPayload) throw new FrameError(closeCodes.tooLarge, 'the frame is too large');
    const start = size + 4;
    if (bytes.length < start + length) return undefined;
    const payload = unmask(bytes.subarray(start, start + length), bytes.subarray(size, start));
    return { frame: { opcode, payload }, length: start + length };
  }
}

function checkFlags(first: number, second: number): void {
  if ((first & 0x70) !== 0) throw new FrameError(closeCodes.protocolError, 'no extension was agreed on');
  if ((second & 0x80) === 0) throw new FrameError(closeCodes.protocolError, 'clients mask their frames');
}

/** Length of the payload, if that much has arrived, and how many bytes come before the mask. */
function payloadLength(bytes: Buffer): { size: number; length: number | undefined } {
  const short = (bytes[1] as number) & 0x7f;
  if (short < 126) return { size: 2, length: short };
  const size = short === 126 ? 4 : 10;
  if (bytes.length < size) return { size, length: undefined };
  return { size, length: short === 126 ? bytes.readUInt16BE(2) : Number(bytes.readBigUInt64BE(2)) };
}

function unmask(payload: Buffer, mask: Buffer): Buffer {
  const plain = Buffer.allocUnsafe(payload.length);
  for (let i = 0; i < payload.length; i++) plain[i] = (payload[i] as number) ^ (mask[i % 4] as number);
  return plain;
}
