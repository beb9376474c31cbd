// Frames and HPACK against themselves, and against bytes of any kind: what is written is read, and nonsense is told as such.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { frame } from '../testing/http2-bytes.ts';
import { HpackDecoder } from './hpack-decoder.ts';
import type { HeaderField } from './hpack-tables.ts';
import { Http2Error } from './http2-error.ts';
import { type FrameListener, IncomingFrames } from './incoming-frames.ts';
import { giveBack } from './outgoing-bytes.ts';
import { OutgoingFrames } from './outgoing-frames.ts';

/** Everything that is heard, in a word each. */
class Heard implements FrameListener {
  readonly told: string[] = [];
  readonly decoder = new HpackDecoder();
  onData(stream: number, piece: Buffer, frameBytes: number, isLast: boolean): void {
    this.told.push(`data ${stream} ${piece.toString('hex')} ${frameBytes} ${isLast}`);
  }
  onHeaders(stream: number, block: Buffer, isLast: boolean): void {
    this.told.push(`headers ${stream} ${isLast} ${JSON.stringify(fieldsOf(this.decoder, block))}`);
  }
  onReset(stream: number, code: number): void {
    this.told.push(`reset ${stream} ${code}`);
  }
  onWindow(stream: number, bytes: number): void {
    this.told.push(`window ${stream} ${bytes}`);
  }
  onSetting(id: number, value: number): void {
    this.told.push(`setting ${id} ${value}`);
  }
  onSettings(isAck: boolean): void {
    this.told.push(`settings ${isAck}`);
  }
  onPing(payload: Buffer, isAck: boolean): void {
    this.told.push(`ping ${payload.toString('hex')} ${isAck}`);
  }
  onGoaway(last: number): void {
    this.told.push(`goaway ${last}`);
  }
  onIgnored(): void {
    this.told.push('ignored');
  }
}

function fieldsOf(decoder: HpackDecoder, block: Buffer): [string, string][] {
  const fields: [string, string][] = [];
  decoder.decode(block, { add: ({ name, value }: HeaderField) => fields.push([name, value]) });
  return fields;
}

/** What is heard of these bytes in pieces of such lengths, and the error at their end. */
function heard(bytes: Buffer, lengths: readonly number[]): readonly unknown[] {
  const listener = new Heard();
  const frames = new IncomingFrames(listener, 10_000);
  try {
    for (let at = 0, piece = 0; at < bytes.length; piece++) {
      const length = lengths[piece % lengths.length] ?? bytes.length;
      frames.read(bytes.subarray(at, at + length));
      at += length;
    }
    return listener.told;
  } catch (error) {
    expect(error).toBeInstanceOf(Http2Error);
    return [...listener.told, (error as Http2Error).code];
  }
}

const anyFrame = fc
  .record({
    type: fc.oneof(fc.integer({ min: 0, max: 10 }), fc.nat({ max: 255 })),
    flags: fc.nat({ max: 255 }),
    stream: fc.oneof(fc.nat({ max: 5 }), fc.nat()),
    payload: fc.oneof(fc.uint8Array({ maxLength: 12 }), fc.uint8Array({ maxLength: 200 })),
  })
  .map(({ type, flags, stream, payload }) => frame(type, flags, stream, payload));
const settings = frame(4, 0, 0);
const pieces = fc.array(fc.integer({ min: 1, max: 40 }), { minLength: 1 });

describe('what is read', () => {
  test('is the same however it is cut, and nonsense is an error of HTTP/2', () => {
    fc.assert(
      fc.property(fc.array(anyFrame, { maxLength: 20 }), pieces, (frames, lengths) => {
        const bytes = Buffer.concat([settings, ...frames]);
        expect(heard(bytes, lengths)).toEqual(heard(bytes, [bytes.length]));
      }),
      fuzzRuns(500),
    );
  });

  test('of bytes of any kind is nothing else', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
        heard(Buffer.concat([settings, bytes]), [7]);
      }),
      fuzzRuns(500),
    );
  });

  test('of blocks of any kind is fields, or an error of HTTP/2', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 60 }), { maxLength: 5 }), (blocks) => {
        const decoder = new HpackDecoder();
        try {
          for (const block of blocks) fieldsOf(decoder, Buffer.from(block));
        } catch (error) {
          expect(error).toBeInstanceOf(Http2Error);
        }
      }),
      fuzzRuns(1000),
    );
  });
});

describe('what is written', () => {
  const text = fc.string({ unit: 'grapheme-ascii', maxLength: 60 });
  const field = fc.tuple(fc.constantFrom('a', 'b', 'audit-id', 'content-type', 'date', 'x-long'), text);
  const block = fc.record({
    fields: fc.array(field, { maxLength: 12 }),
    resizes: fc.array(fc.integer({ min: 0, max: 5000 }), { maxLength: 3 }),
    long: fc.constantFrom(0, 0, 0, 300, 20_000),
  });

  test('is read as it was meant, while tables grow, shrink and forget', () => {
    fc.assert(
      fc.property(fc.array(block, { maxLength: 30 }), (blocks) => {
        const out = new OutgoingFrames();
        const listener = new Heard();
        const frames = new IncomingFrames(listener, 100_000);
        frames.read(settings);
        listener.told.length = 0;
        for (const { fields, resizes, long } of blocks) {
          for (const bytes of resizes) out.resizeTable(bytes);
          const all = long === 0 ? fields : [...fields, ['x-long', 'v'.repeat(long)] as const];
          out.beginHeaders(1);
          out.status(200);
          for (const [name, value] of all) out.field(name, value);
          out.endHeaders(1, false);
          const bytes = out.take();
          frames.read(Buffer.from(bytes));
          giveBack(bytes);
          expect(listener.told.pop()).toBe(`headers 1 false ${JSON.stringify([[':status', '200'], ...all])}`);
        }
      }),
      fuzzRuns(150),
    );
  });

  test('of the same fields is a byte each from the second time on, but for those that never come again', () => {
    const out = new OutgoingFrames();
    const size = (id: string) => {
      out.beginHeaders(1);
      out.status(200);
      out.field('content-type', 'application/json');
      out.field('audit-id', id);
      out.endHeaders(1, true);
      return out.take().length;
    };
    size('x'.repeat(36));
    expect(size('y'.repeat(36))).toBe(9 + 2 + 1 + 9 + 1 + 36);
  });
});

test('fields that are said again are the same to the other end, whatever else is said in between', () => {
  const word = fc.stringMatching(/^[a-z]{1,8}$/);
  const list = fc.dictionary(word, fc.oneof(word, fc.array(word, { minLength: 1, maxLength: 3 })), { maxKeys: 6 });
  const step = fc.oneof(
    fc.record({ list: fc.nat({ max: 3 }) }),
    fc.record({ other: fc.tuple(word, fc.string({ minLength: 0, maxLength: 300, unit: fc.constantFrom('a', 'b') })) }),
    fc.record({ table: fc.nat({ max: 4096 }) }),
  );
  const holds = (lists: readonly Record<string, string | string[]>[], steps: readonly object[]) => {
    const frames = new OutgoingFrames();
    const decoder = new HpackDecoder();
    for (const one of steps as readonly { list?: number; other?: [string, string]; table?: number }[]) {
      if (one.table !== undefined) frames.resizeTable(one.table);
      const listed = one.list === undefined ? {} : (lists[one.list] ?? {});
      frames.beginHeaders(1);
      frames.fields(listed);
      if (one.other !== undefined) frames.field(...one.other);
      frames.endHeaders(1, true);
      const expected = Object.entries(listed).flatMap(([name, value]) => [value].flat().map((each) => [name, each]));
      expect(fieldsOf(decoder, frames.take().subarray(9))).toEqual([...expected, ...(one.other ? [one.other] : [])]);
    }
  };
  fc.assert(
    fc.property(fc.array(list, { minLength: 4, maxLength: 4 }), fc.array(step, { maxLength: 40 }), holds),
    fuzzRuns(200),
  );
});
