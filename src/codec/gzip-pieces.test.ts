import { gunzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compressPiece, GzipEnd, type GzipPiece, gzipHead, storePiece } from './gzip-pieces.ts';

function joined(pieces: readonly GzipPiece[]): Buffer {
  const end = new GzipEnd();
  for (const piece of pieces) end.add(piece);
  return Buffer.concat([gzipHead, ...pieces.map(({ bytes }) => bytes), end.bytes]);
}

describe('a gzip text of pieces', () => {
  test('holds the pieces one after the other, with the checksum and the length of all', async () => {
    const part = fc.record({ isStored: fc.boolean(), data: fc.uint8Array({ maxLength: 300 }), times: fc.nat(3000) });
    await fc.assert(
      fc.asyncProperty(fc.array(part, { maxLength: 6 }), async (parts) => {
        const texts = parts.map(({ data, times }) => Buffer.alloc(data.length === 0 ? 0 : data.length + times, data));
        const pieces = parts.map(async ({ isStored }, at) =>
          isStored ? storePiece(texts[at] as Buffer) : compressPiece(texts[at] as Buffer),
        );
        expect(gunzipSync(joined(await Promise.all(pieces))).equals(Buffer.concat(texts))).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  test('may have a piece of more than one block', () => {
    const text = Buffer.alloc(200_000, 'abc');
    expect(gunzipSync(joined([storePiece(text), storePiece(text)])).equals(Buffer.concat([text, text]))).toBe(true);
  });

  test('is refused by its reader where a piece is another one', async () => {
    const [a, b] = [await compressPiece(Buffer.from('a')), await compressPiece(Buffer.from('b'))];
    const end = new GzipEnd();
    end.add(a);
    expect(() => gunzipSync(Buffer.concat([gzipHead, b.bytes, end.bytes]))).toThrow('incorrect data check');
  });

  test('can be sent any number of times', async () => {
    const piece = await compressPiece(Buffer.alloc(100_000, 'a text that repeats'));
    expect(gunzipSync(joined([piece, piece, piece])).length).toBe(300_000);
  });
});
