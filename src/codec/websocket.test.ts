import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { acceptKey, encodeClose, encodeFrame, type Frame, FrameReader, opcodes } from './websocket.ts';

/** A frame as a client sends it. */
function masked(opcode: number, payload: Buffer, mask = Buffer.from([1, 2, 3, 4]), first = 0x80): Buffer {
  const frame = encodeFrame(opcode as never, payload);
  const head = Buffer.from(frame.subarray(0, frame.length - payload.length));
  head[0] = first | opcode;
  head[1] = (head[1] as number) | 0x80;
  return Buffer.concat([head, mask, payload.map((byte, at) => byte ^ (mask[at % 4] as number))]);
}

function readAll(bytes: Buffer, step: number, limit = 1 << 20): Frame[] {
  const reader = new FrameReader(limit);
  const frames: Frame[] = [];
  for (let at = 0; at < bytes.length; at += step) frames.push(...reader.read(bytes.subarray(at, at + step)));
  return frames;
}

describe('WebSocket', () => {
  test('answers the key of the RFC as the RFC says', () => {
    expect(acceptKey('dGhlIHNhbXBsZSBub25jZQ==')).toBe('s3pPLMBiTxaQ9kYGzzhZRbK+xOo=');
  });

  test.each([
    [0, '8100'],
    [125, '817d'],
    [126, '817e007e'],
    [65535, '817effff'],
    [65536, '817f0000000000010000'],
  ])('writes the length %i', (length, head) => {
    const frame = encodeFrame(opcodes.text, Buffer.alloc(length));
    expect(frame.subarray(0, head.length / 2).toString('hex')).toBe(head);
    expect(frame.length).toBe(length + head.length / 2);
  });

  test('says why it closes', () => {
    expect(encodeClose(1000).toString('hex')).toBe('880203e8');
  });

  test('reads frames in whatever pieces they come', () => {
    const payloads = fc.array(fc.uint8Array({ maxLength: 300 }), { minLength: 1, maxLength: 5 });
    fc.assert(
      fc.property(
        payloads,
        fc.uint8Array({ minLength: 4, maxLength: 4 }),
        fc.integer({ min: 1, max: 400 }),
        (given, mask, step) => {
          const bytes = Buffer.concat(
            given.map((payload) => masked(opcodes.binary, Buffer.from(payload), Buffer.from(mask))),
          );
          const found = readAll(bytes, step);
          expect(found.map(({ payload }) => payload.toString('hex'))).toEqual(
            given.map((payload) => Buffer.from(payload).toString('hex')),
          );
        },
      ),
    );
  });

  test.each([
    ['a frame without a mask', encodeFrame(opcodes.text, Buffer.from('x')), 1002],
    ['a reserved bit', masked(opcodes.text, Buffer.from('x'), undefined, 0xc0), 1002],
    ['a long ping', masked(opcodes.ping, Buffer.alloc(126)), 1002],
    ['a ping in parts', masked(opcodes.ping, Buffer.alloc(1), undefined, 0), 1002],
    ['a frame that is too large', masked(opcodes.binary, Buffer.alloc(70_000)), 1009],
  ])('refuses %s', (_, bytes, code) => {
    expect(() => readAll(bytes, bytes.length, 65_536)).toThrow(expect.objectContaining({ code }));
  });

  test('refuses a frame that is too large before it has come', () => {
    const head = masked(opcodes.binary, Buffer.alloc(1 << 20)).subarray(0, 14);
    expect(() => readAll(head, 14, 65_536)).toThrow(expect.objectContaining({ code: 1009 }));
  });
});
