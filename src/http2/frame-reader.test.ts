// What it costs to read frames does not depend on how a client cuts them.

import { expect, test } from 'vitest';
import { FrameReader } from './frame-reader.ts';

/** Frames of one length, of as many bytes in all as asked for. */
function framesOf(payload: number, total: number): Buffer {
  const frame = Buffer.alloc(9 + payload, 'x');
  frame.writeUIntBE(payload, 0, 3);
  return Buffer.concat(Array.from({ length: Math.ceil(total / frame.length) }, () => frame));
}

/** Microseconds of processor time to read them byte by byte. */
function costOf(bytes: Buffer): number {
  const reader = new FrameReader();
  let frames = 0;
  const before = process.cpuUsage();
  for (let at = 0; at < bytes.length; at++)
    reader.read(Buffer.from([bytes[at] as number]), ({ payload }) => {
      frames += payload.length + 9;
      return true;
    });
  const { user, system } = process.cpuUsage(before);
  expect(frames).toBe(bytes.length);
  return user + system;
}

test('long frames that come byte by byte cost no more than short ones', () => {
  const total = 6 * 16_393;
  const [short, long] = [framesOf(16, total), framesOf(16_384, total)];
  costOf(short);
  const ratios = Array.from({ length: 3 }, () => costOf(long) / costOf(short));
  expect(Math.min(...ratios)).toBeLessThan(3);
});
