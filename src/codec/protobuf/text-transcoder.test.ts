import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../../base/json/json.ts';
import { parseJsonText } from '../../base/json/json-scan.ts';
import { builtInGroups } from '../../groups/catalog.ts';
import { partialObjectMetadata } from '../../groups/meta/v1/types.ts';
import { kubernetes } from '../../meta/dialect.ts';
import { decoderOf } from '../../schema/decode.ts';
import { DecodeContext } from '../../schema/decode-context.ts';
import {
  anyJson,
  bool,
  dateTime,
  field,
  int32,
  int64,
  intOrString,
  listOf,
  mapOf,
  microTime,
  type StructType,
  string,
  struct,
} from '../../schema/types.ts';
import { declaredType } from '../../testing/declared-type.ts';
import { fuzzRuns } from '../../testing/fuzz-runs.ts';
import { valuesOf } from '../../testing/values-of-type.ts';
import { encodeMessage } from './message.ts';
import { textTranscoder } from './text-transcoder.ts';
import { ProtobufWriter } from './writer.ts';

function encoded(type: StructType, value: JsonObject): Buffer {
  const out = new ProtobufWriter();
  encodeMessage(type, value, out);
  return out.finish();
}

const transcoded = (type: StructType, text: string) => textTranscoder.whole(type, Buffer.from(text));

const kinds = builtInGroups(kubernetes)
  .flatMap(({ resources }) => resources)
  .map(declaredType);

describe.each(kinds.map((type) => [type.name, type] as const))('%s', (_, type) => {
  test('text becomes the message that the object becomes', () => {
    fc.assert(
      fc.property(valuesOf(type), (value) => {
        const object = decoderOf(type)(value, new DecodeContext()) as JsonObject;
        const text = stringifyJson({ kind: 'K', apiVersion: 'v1', ...object });
        const message = transcoded(type, text);
        expect(Buffer.from(message ?? []).toString('hex')).toBe(encoded(type, object).toString('hex'));
      }),
      fuzzRuns(5),
    );
  });

  test('fields of another release are left out, wherever they are', () => {
    fc.assert(
      fc.property(valuesOf(type), fc.jsonValue(), fc.nat(), (value, unknown, at) => {
        const object = decoderOf(type)(value, new DecodeContext()) as JsonObject;
        const text = stringifyJson(
          withUnknown({ kind: 'K', apiVersion: 'v1', ...object }, type, { unknown: unknown as JsonValue, at }),
        );
        // a text in which such a field parts the members of one message is left to the encoder of objects
        const message = transcoded(type, text) ?? encoded(type, parseJsonText(text) as JsonObject);
        expect(Buffer.from(message).toString('hex')).toBe(encoded(type, object).toString('hex'));
      }),
      fuzzRuns(3),
    );
  });
});

/** The object with a field more in each of its structs. */
function withUnknown(
  object: JsonObject,
  type: StructType,
  more: { readonly unknown: JsonValue; readonly at: number },
): JsonObject {
  const entries = Object.entries(object).map(([name, value]) => {
    const inner = type.fields.find((one) => one.name === name)?.type;
    const isStruct = inner?.is === 'struct' && isJsonObject(value);
    return [name, isStruct ? withUnknown(value, inner, more) : value];
  });
  entries.splice(more.at % (entries.length + 1), 0, ['fieldOfAnotherRelease', more.unknown]);
  return Object.fromEntries(entries) as JsonObject;
}

const inner = struct('test/v1', 'Inner', '', () => ({ text: field(1, string), list: field(2, listOf(string)) }));
const sample = struct('test/v1', 'Sample', '', () => ({
  text: field(1, string),
  number: field(2, int32),
  long: field(3, int64, { pointer: true }),
  flag: field(4, bool),
  time: field(5, dateTime),
  micro: field(6, microTime),
  either: field(7, intOrString),
  inner: field(8, inner),
  inners: field(9, listOf(inner)),
  map: field(10, mapOf(string)),
  json: field(11, anyJson),
}));

describe('one message', () => {
  const same: readonly (readonly [string, JsonObject])[] = [
    ['escapes', { text: '"\\/\b\f\n\r\t\u0001\u001f\u2028é😀' }],
    ['long strings', { text: `${'x'.repeat(63)}\n${'y'.repeat(300)}"${'z'.repeat(70)}` }],
    [
      'strings at the ends of lengths',
      { inners: [126, 127, 128, 16_383, 16_384].map((n) => ({ text: 'é'.repeat(n / 2) })) },
    ],
    ['numbers', { number: -1, long: 9_007_199_254_740_993n, either: -5 }],
    ['large numbers', { number: 2_147_483_647, long: 999_999_999_999_999, either: 70_000 }],
    ['the least number', { number: -2_147_483_648, long: -9_223_372_036_854_775_808n }],
    ['times', { time: '2026-11-19T10:00:00Z', micro: '2024-02-29T23:59:59.000001Z' }],
    ['odd times', { time: '1969-12-31T23:59:59Z', micro: '2026-11-19T10:00:00Z' }],
    ['ends of months', { time: '2026-01-31T00:00:00Z', micro: '2028-02-29T00:00:00.999999Z', inners: [] }],
    ['early years', { time: '0001-01-01T00:00:00Z' }],
    ['keys with escapes', { map: { 'a"b\\c': 'd', é: '' } }],
    ['free JSON', { json: { a: [1, { b: 'c"}' }], d: null } }],
    ['nothing', {}],
    ['nulls', { long: null, time: null, inner: { list: ['a', ''] } }],
    ['nothing in something', { inner: {}, inners: [{}], map: {} }],
  ];

  test.each(same)('%s', (_, object) => {
    expect(Buffer.from(transcoded(sample, stringifyJson(object)) ?? [])).toEqual(encoded(sample, object));
  });

  test('halves of characters become what they become in an object', () => {
    for (const text of ['\\ud83d', '\\ud83d\\ude00', '\\ude00\\ud83d', 'a\\ud83d\\u0041', '\\ud83d\\ud83d\\ude00'])
      expect(Buffer.from(transcoded(sample, `{"text":"${text}"}`) ?? [])).toEqual(
        encoded(sample, { text: JSON.parse(`"${text}"`) as string }),
      );
  });

  test('a field that the type does not have is left out', () => {
    const message = transcoded(sample, '{"more":{"a":["}"]},"text":"a","other":1,"flag":true,"last":"x"}');
    expect(Buffer.from(message ?? [])).toEqual(encoded(sample, { text: 'a', flag: true }));
  });

  test('a message that is larger than the memory at hand', () => {
    const object = { text: 'a'.repeat(300_000), inners: Array.from({ length: 20_000 }, () => ({ text: 'é' })) };
    expect(encoded(sample, object).equals(transcoded(sample, JSON.stringify(object)) ?? Buffer.alloc(0))).toBe(true);
  });

  test.each([
    ['members out of order', '{"number":1,"text":"a"}'],
    ['a key twice', '{"text":"a","text":"b"}'],
    ['spaces', '{ "text":"a"}'],
    ['a null in a list', '{"inner":{"list":["a",null]}}'],
    ['another type', '{"inner":"a"}'],
    ['a broken text', '{"text":"a'],
    ['text behind the object', '{"text":"a"}}'],
    ['an escaped key', '{"te\\u0078t":"a"}'],
  ])('%s is left to the encoder of objects', (_, text) => {
    expect(transcoded(sample, text)).toBeUndefined();
  });

  test('values that come again are copied, each to where it belongs', () => {
    const long = fc.string({ unit: 'grapheme', minLength: 20, maxLength: 40 });
    const inners = fc.uniqueArray(long, { minLength: 1, maxLength: 6 }).map((texts) => texts.map((text) => ({ text })));
    const picks = fc.array(fc.tuple(fc.nat(5), fc.nat(5), fc.boolean()), { minLength: 2, maxLength: 40 });
    fc.assert(
      fc.property(inners, picks, (pool, objects) => {
        for (const [first, second, flag] of objects) {
          const [a, b] = [pool[first % pool.length], pool[second % pool.length]] as [JsonObject, JsonObject];
          const object: JsonObject = { flag, inner: a, inners: [b, a], map: { key: a['text'] ?? '' }, json: [a, b] };
          expect(Buffer.from(transcoded(sample, stringifyJson(object)) ?? [])).toEqual(encoded(sample, object));
        }
      }),
      fuzzRuns(50),
    );
  });

  test('a value that begins like the one before it is another one', () => {
    const text = 'x'.repeat(40);
    for (const inner of [{ text }, { text, list: ['a'] }, { text: `${text}y` }, { text }])
      expect(Buffer.from(transcoded(sample, stringifyJson({ inner })) ?? [])).toEqual(encoded(sample, { inner }));
  });

  test('more different values than there is memory for', () => {
    for (let round = 0; round < 3; round++)
      for (let n = 0; n < 100; n++) {
        const object = { inner: { text: `${n}`.repeat(6000) }, json: [`${n % 3}`.repeat(3000)] };
        expect(encoded(sample, object).equals(transcoded(sample, stringifyJson(object)) ?? Buffer.alloc(0))).toBe(true);
      }
  });

  test('only metadata', () => {
    const metadata = { name: 'a', creationTimestamp: '2026-11-19T10:00:00Z', labels: { b: 'c' } };
    const text = JSON.stringify({ kind: 'Pod', apiVersion: 'v1', metadata, spec: { metadata: {} } });
    const message = textTranscoder.onlyMember(partialObjectMetadata, 'metadata', Buffer.from(text));
    expect(Buffer.from(message ?? [])).toEqual(encoded(partialObjectMetadata, { metadata }));
  });
});
