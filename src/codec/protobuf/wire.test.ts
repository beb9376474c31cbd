import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { ObjectFrames, openEnvelope, sealEnvelope, watchFrame } from './envelope.ts';
import { asBytes, asInteger, asText, MalformedProtobufError, readFields } from './reader.ts';
import { ProtobufWriter } from './writer.ts';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const fieldsOf = (bytes: Uint8Array) => [...readFields(bytes)];

/** Anything but a malformed message is a mistake of the reader. */
function onlyMalformed(read: () => unknown): void {
  try {
    read();
  } catch (error) {
    expect(error).toBeInstanceOf(MalformedProtobufError);
  }
}

describe('the writer', () => {
  test.each([
    ['string', new ProtobufWriter().string(1, 'é'), '0a02c3a9'],
    ['empty string', new ProtobufWriter().string(1, ''), '0a00'],
    ['bytes', new ProtobufWriter().bytes(2, Uint8Array.of(1, 2)), '12020102'],
    ['zero', new ProtobufWriter().integer(1, 0), '0800'],
    ['one byte', new ProtobufWriter().integer(1, 127), '087f'],
    ['two bytes', new ProtobufWriter().integer(1, 300), '08ac02'],
    ['beyond 32 bits', new ProtobufWriter().integer(1, 2 ** 40), '08808080808020'],
    ['minus one', new ProtobufWriter().integer(1, -1), '08ffffffffffffffffff01'],
    ['a large number', new ProtobufWriter().integer(16, 1), '800101'],
    ['bool', new ProtobufWriter().bool(1, true).bool(2, false), '08011000'],
    ['double', new ProtobufWriter().double(1, 1), '09000000000000f03f'],
    ['message', new ProtobufWriter().message(3, (inner) => inner.string(1, 'a')), '1a030a0161'],
    ['empty message', new ProtobufWriter().message(3, () => {}), '1a00'],
  ])('writes %s', (_, writer, expected) => {
    expect(hex(writer.finish())).toBe(expected);
  });
});

describe('the reader', () => {
  test('reads every whole number that was written', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 536_870_911 }), fc.maxSafeInteger(), (number, value) => {
        const [field] = fieldsOf(new ProtobufWriter().integer(number, value).finish());
        expect(field?.number).toBe(number);
        expect(asInteger(field?.value ?? 0n)).toBe(value);
      }),
    );
  });

  test('reads every text and every double that was written', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.double({ noNaN: true }), (text, number) => {
        const fields = fieldsOf(new ProtobufWriter().string(1, text).double(2, number).finish());
        expect(
          fields.map(({ value }) => value).map((value, i) => (i === 0 ? asText(value) : asBytes(value).readDoubleLE())),
        ).toEqual([text, number]);
      }),
    );
  });

  test('reads the four wire types in use', () => {
    const fields = fieldsOf(Buffer.from('0801' + '110102030405060708' + '1a0161' + '2501020304', 'hex'));
    expect(fields.map(({ number, value }) => [number, typeof value === 'bigint' ? value : hex(value)])).toEqual([
      [1, 1n],
      [2, '0102030405060708'],
      [3, '61'],
      [4, '01020304'],
    ]);
  });

  test.each([
    ['a tag that is cut off', '80'],
    ['a number that is cut off', '0880'],
    ['a number of eleven bytes', `08${'ff'.repeat(11)}`],
    ['a length that is cut off', '0aff'],
    ['a length beyond the end', '0a0561'],
    ['a length beyond everything', '0affffffffffffffffff01'],
    ['eight bytes that are cut off', '0901020304'],
    ['four bytes that are cut off', '0d0102'],
    ['the start of a group', '0b'],
    ['the end of a group', '0c'],
    ['a wire type that does not exist', '0f'],
  ])('refuses %s', (_, bytes) => {
    expect(() => fieldsOf(Buffer.from(bytes, 'hex'))).toThrow(MalformedProtobufError);
  });

  test('refuses a number for text, and text for a number', () => {
    expect(() => asText(1n)).toThrow(MalformedProtobufError);
    expect(() => asInteger(Uint8Array.of(1))).toThrow(MalformedProtobufError);
  });

  test('skips groups, and groups in them', () => {
    const bytes = Uint8Array.of(0x7b, 0x08, 1, 0x7b, 0x12, 1, 9, 0x7c, 0x7c, 0x08, 5);
    expect(fieldsOf(bytes)).toEqual([{ number: 1, value: 5n }]);
  });

  test.each([
    ['a group without an end', [0x7b, 0x08, 1], 'unexpected EOF'],
    ['a number that ends too early', [0x08, 0xff], 'unexpected EOF'],
    ['a number of more than ten bytes', [0x08, ...new Array<number>(11).fill(0xff)], 'proto: integer overflow'],
    [
      'a length that is none',
      [0x0a, ...new Array<number>(9).fill(0xff), 1],
      'proto: negative length found during unmarshaling',
    ],
  ])('refuses %s', (_, bytes, words) => {
    expect(() => fieldsOf(Uint8Array.from(bytes))).toThrow(words);
  });

  test('comes to an end on any bytes, and fails in one way only', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        onlyMalformed(() => fieldsOf(bytes));
        onlyMalformed(() => openEnvelope(bytes));
        onlyMalformed(() => openEnvelope(Buffer.concat([Buffer.from('k8s\0'), bytes])));
      }),
      fuzzRuns(2000),
    );
  });
});

describe('the envelope', () => {
  test('frames of a watch that are written in one piece are those that are put together', () => {
    for (const [apiVersion, kind] of [
      ['v1', 'Pod'],
      ['a.very-long-group.example.com/v1beta1', 'K'.repeat(60)],
    ] as const) {
      const frames = new ObjectFrames({ apiVersion, kind });
      for (const type of ['ADDED', 'MODIFIED', 'DELETED', 'ADDED'])
        for (const length of [0, 1, 60, 90, 126, 127, 128, 16_250, 16_384, 2_097_152]) {
          const raw = Buffer.alloc(length, 7);
          const expected = watchFrame(type, sealEnvelope({ apiVersion, kind, raw }));
          expect(frames.frame(type, raw).equals(expected), `${type} ${length}`).toBe(true);
        }
    }
  });

  test('is four magic bytes and a message that writes all four fields', () => {
    const sealed = sealEnvelope({ apiVersion: 'v1', kind: 'A', raw: Uint8Array.of(9) });
    expect(hex(sealed)).toBe('6b387300' + '0a070a0276311201' + '41' + '120109' + '1a00' + '2200');
  });

  test('is opened as it was sealed', () => {
    const text = fc.string({ unit: 'grapheme' });
    fc.assert(
      fc.property(text, text, fc.uint8Array({ maxLength: 300 }), (apiVersion, kind, raw) => {
        const opened = openEnvelope(sealEnvelope({ apiVersion, kind, raw }));
        expect({ ...opened, raw: hex(opened.raw) }).toEqual({ apiVersion, kind, raw: hex(raw) });
      }),
    );
  });

  test('can lie in the middle of a buffer', () => {
    const sealed = sealEnvelope({ apiVersion: 'v1', kind: 'A', raw: Uint8Array.of(9) });
    const shared = Buffer.concat([Buffer.from('before'), sealed, Buffer.from('after')]);
    expect(openEnvelope(shared.subarray(6, 6 + sealed.length)).kind).toBe('A');
  });

  test.each(['', '6b', '6b3873', '6b387301', '6b38730a', '7b7d0000'])('with the first bytes %s is refused', (start) => {
    expect(() => openEnvelope(Buffer.from(start, 'hex'))).toThrow(MalformedProtobufError);
  });

  test('with nothing but the magic bytes is none', () => {
    expect(() => openEnvelope(Buffer.from('k8s\0'))).toThrow('empty body');
  });

  test('with fields from the future is opened all the same', () => {
    const sealed = sealEnvelope({ apiVersion: 'v1', kind: 'A', raw: new Uint8Array(0) });
    const extended = Buffer.concat([sealed, new ProtobufWriter().string(99, 'new').integer(100, 1).finish()]);
    expect(openEnvelope(extended).kind).toBe('A');
  });
});

test('a watch event is framed by its length, with the object in its own envelope', () => {
  const object = sealEnvelope({ apiVersion: 'v1', kind: 'A', raw: Uint8Array.of(9) });
  const frame = watchFrame('ADDED', object);
  expect(frame.readUInt32BE()).toBe(frame.length - 4);
  const [type, raw] = fieldsOf(frame.subarray(4));
  expect([type?.number, asText(type?.value ?? 0n)]).toEqual([1, 'ADDED']);
  const [inner] = fieldsOf(asBytes(raw?.value ?? 0n));
  expect([raw?.number, inner?.number, hex(asBytes(inner?.value ?? 0n))]).toEqual([2, 1, hex(object)]);
});
