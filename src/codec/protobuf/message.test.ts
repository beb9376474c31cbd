import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonObject } from '../../base/json/json.ts';
import { stringifyJson } from '../../base/json/json.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { deleteOptions, listOfType, partialObjectMetadata, status } from '../../groups/meta/v1/types.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import {
  bool,
  bytes,
  dateTime,
  double,
  field,
  fieldsV1,
  int32,
  int64,
  listOf,
  mapOf,
  type StructType,
  string,
  struct,
} from '../../schema/types.ts';
import { declaredType } from '../../testing/declared-type.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { valuesOf } from '../../testing/values-of-type.ts';
import { decodeMessage, encodeMessage } from './message.ts';
import { MalformedProtobufError } from './reader.ts';
import { ProtobufWriter } from './writer.ts';

function encode(type: StructType, value: JsonObject): Buffer {
  const out = new ProtobufWriter();
  encodeMessage(type, value, out);
  return out.finish();
}

const canonical = (type: StructType, value: unknown) => decoderOf(type)(value, new DecodeContext()) as JsonObject;

const kinds = builtInGroups(kubernetes)
  .flatMap(({ resources }) => resources)
  .map(declaredType);
const lists = kinds.map((type) => listOfType(type));
/** With how many values of each are tried: those of a list are those of its kind once more. */
const everyType: readonly (readonly [StructType, number])[] = [
  ...[...kinds, status, deleteOptions, partialObjectMetadata].map((type) => [type, 20] as const),
  ...lists.map((type) => [type, 2] as const),
];

describe.each(everyType.map(([type, runs]) => [type.name, type, runs] as const))('%s', (_, type, runs) => {
  test('comes back from protobuf as it was', () => {
    fc.assert(
      fc.property(valuesOf(type), (value) => {
        const object = canonical(type, value);
        const encoded = encode(type, object);
        const back = canonical(type, decodeMessage(type, encoded));
        expect(stringifyJson(back)).toBe(stringifyJson(object));
      }),
      fuzzRuns(runs),
    );
  });

  test('gives each field its own number', () => {
    const numbers = type.fields.filter(({ within }) => within === undefined).map(({ number }) => number);
    expect(new Set(numbers).size).toBe(numbers.length);
    for (const number of numbers) expect(number).toBeGreaterThan(0);
  });
});

const sample = struct('test/v1', 'Sample', '', {
  late: field(9, string, { pointer: true }),
  name: field(1, string),
  count: field(2, int32),
  maybe: field(3, int32, { pointer: true }),
  data: field(4, mapOf(bytes)),
  flags: field(5, listOf(bool)),
  inner: field(6, struct('test/v1', 'Inner', '', { big: field(1, int64) })),
  when: field(7, dateTime),
  share: field(8, double, { pointer: true }),
  owned: field(10, fieldsV1, { pointer: true }),
});

describe('what is written', () => {
  test.each<[string, JsonObject, string]>([
    ['zeros are written, pointers are not', {}, '0a00' + '1000' + '32020800' + '3a00'],
    ['fields go by rising number', { late: 'z', name: 'a' }, '0a0161' + '1000' + '32020800' + '3a00' + '4a017a'],
    ['pointers are written when set, also to zero', { maybe: 0 }, '0a00' + '1000' + '1800' + '32020800' + '3a00'],
    ['negative numbers take ten bytes', { count: -1 }, '0a00' + '10ffffffffffffffffff01' + '32020800' + '3a00'],
    [
      'map entries go by their keys',
      { data: { b: '', a: 'AQ==' } },
      '0a00100022060a0161120101' + '22050a01621200' + '320208003a00',
    ],
    ['lists repeat their number', { flags: [true, false] }, '0a001000' + '2801' + '2800' + '320208003a00'],
    ['times have seconds and nanoseconds', { when: '1970-01-01T00:01:00Z' }, '0a00100032020800' + '3a04083c1000'],
  ])('%s', (_, value, hex) => {
    expect(encode(sample, value).toString('hex')).toBe(hex);
  });

  test('a ConfigMap has the bytes that Kubernetes gives it', () => {
    const configMap = kinds.find(({ name }) => name === 'ConfigMap') as StructType;
    const metadata = '0a11' + '0a01611200' + '1a0022002a003200' + '3800' + '4200';
    const value = { metadata: { name: 'a' }, data: { k: 'v' } };
    expect(encode(configMap, value).toString('hex')).toBe(`${metadata}12060a016b120176`);
  });

  test('nothing but own keys is written', () => {
    expect(encode(sample, JSON.parse('{"__proto__":{"name":"stolen"}}') as JsonObject)).toEqual(encode(sample, {}));
  });
});

describe('what is read', () => {
  test('fields from the future are skipped', () => {
    const extended = Buffer.concat([encode(sample, { name: 'a' }), new ProtobufWriter().string(99, 'x').finish()]);
    expect(decodeMessage(sample, extended)).toMatchObject({ name: 'a' });
  });

  test('the last of a repeated single field counts', () => {
    expect(decodeMessage(sample, new ProtobufWriter().string(1, 'a').string(1, 'b').finish())).toEqual({ name: 'b' });
  });

  test('a map entry without a key or a value has empty ones', () => {
    const decoded = decodeMessage(partialObjectMetadata, Buffer.from('0a025a00', 'hex'));
    expect(canonical(partialObjectMetadata, decoded)).toEqual({ metadata: { labels: { '': '' } } });
  });

  // gogo starts such an entry with an empty slice, not with nil; clients leave out what is nil
  test('a map entry of bytes without a value is empty, not null', () => {
    expect(canonical(sample, decodeMessage(sample, Buffer.from('22030a016b', 'hex')))).toEqual({ data: { k: '' } });
  });

  test('a time without seconds is none', () => {
    expect(decodeMessage(sample, Buffer.from('3a00', 'hex'))).toEqual({ when: null });
  });

  test('a key __proto__ is data', () => {
    const entry = new ProtobufWriter().message(4, (e) => e.string(1, '__proto__').bytes(2, Uint8Array.of(1))).finish();
    expect(JSON.stringify(decodeMessage(sample, entry))).toBe('{"data":{"__proto__":"AQ=="}}');
  });

  test('damaged messages are malformed or mean something else, and fail in one way only', () => {
    const plain = { ...sample, fields: sample.fields.filter(({ name }) => name !== 'share') };
    const damage = fc.array(fc.tuple(fc.nat(), fc.nat(255)), { maxLength: 4 });
    fc.assert(
      fc.property(valuesOf(plain), damage, fc.nat(), (value, flips, cut) => {
        const message = encode(plain, value as JsonObject);
        for (const [at, byte] of flips) message[at % (message.length || 1)] = byte;
        try {
          decodeMessage(plain, message.subarray(0, cut % (message.length + 1)));
        } catch (error) {
          expect(error).toBeInstanceOf(MalformedProtobufError);
        }
      }),
      fuzzRuns(500),
    );
  });

  test.each([
    ['a time that no calendar has', new ProtobufWriter().message(7, (time) => time.integer(1, 2 ** 52))],
    ['field sets that are no JSON', new ProtobufWriter().message(10, (set) => set.string(1, '{'))],
  ])('%s: malformed', (_, writer) => {
    expect(() => decodeMessage(sample, writer.finish())).toThrow(MalformedProtobufError);
  });

  // a RangeError of the buffer escapes; no built-in kind has a double yet
  test('a double of less than eight bytes is malformed', () => {
    const short = new ProtobufWriter().bytes(8, Uint8Array.of(1)).finish();
    expect(() => decodeMessage(sample, short)).toThrow(MalformedProtobufError);
  });
});
