import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { passingBuffer, passingText } from './passing-bytes.ts';

describe('bytes in passing', () => {
  test('are those of the text, whatever was and is made next to them', () => {
    const some = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string({ unit: 'grapheme' }).map((text) => text.repeat(50)),
    );
    fc.assert(
      fc.property(fc.array(fc.tuple(some, fc.nat(5_000))), (made) => {
        const texts = made.map(([text, length]) => {
          const room = passingBuffer(length).fill(0xff);
          return { text, room, bytes: passingText([text]) };
        });
        for (const { text, room, bytes } of texts) {
          expect(bytes.equals(Buffer.from(text))).toBe(true);
          expect(room.every((byte) => byte === 0xff)).toBe(true);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('share their memory unless they are long', () => {
    const first = passingText(['a']);
    expect(passingText(['b']).buffer.byteLength).toBe(first.buffer.byteLength);
    expect(passingText(['long'.repeat(10_000)]).equals(Buffer.from('long'.repeat(10_000)))).toBe(true);
    const long = passingBuffer(100_000);
    expect([long.length, long.buffer.byteLength]).toEqual([100_000, 100_000]);
  });

  test('may come in parts', () => {
    expect(passingText(['a', '', '\u00e9\u{1f600}', 'b']).toString()).toBe('a\u00e9\u{1f600}b');
    expect(passingText(['long'.repeat(10_000), 'er']).toString()).toBe(`${'long'.repeat(10_000)}er`);
    expect(passingText([]).length).toBe(0);
  });

  test('halves of characters become replacement characters, as they do elsewhere', () => {
    expect(passingText(['a\ud800b']).equals(Buffer.from('a\ud800b'))).toBe(true);
  });
});
