import { describe, expect, test } from 'vitest';
import { TypeMismatch } from '../wording/type-mismatch.ts';
import { decoderOf } from './decode.ts';
import { DecodeContext } from './decode-context.ts';
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
  microTime,
  type SchemaType,
  string,
  struct,
} from './types.ts';

const decode = (type: SchemaType, value: unknown) => decoderOf(type)(value, new DecodeContext());

function refusal(type: SchemaType, value: unknown, context = new DecodeContext()): string {
  try {
    decoderOf(type)(value, context);
  } catch (error) {
    if (error instanceof TypeMismatch) return error.message;
    throw error;
  }
  throw new Error('was not refused');
}

describe('values that are taken', () => {
  test.each<[string, SchemaType, unknown]>([
    ['string', string, 'x\u0000é😀'],
    ['bool', bool, true],
    ['int32', int32, 2147483647],
    ['int32', int32, -2147483648],
    ['int64', int64, Number.MAX_SAFE_INTEGER],
    ['int64', int64, -1],
    ['double', double, -1.5e300],
    ['bytes', bytes, ''],
    ['bytes', bytes, 'AA=='],
    ['bytes', bytes, 'AAA='],
    ['bytes', bytes, '+/09'],
    ['fields-v1', fieldsV1, { 'f:a': {} }],
    ['date-time', dateTime, '2024-01-02T03:04:05Z'],
    ['micro-time', microTime, '2024-01-02T03:04:05.000006Z'],
  ])('%s', (_, type, value) => {
    expect(decode(type, value)).toEqual(value);
  });

  test.each<[string, SchemaType, unknown, unknown]>([
    ['line breaks in base64 are ignored', bytes, 'QU\r\nJD\n', 'QUJD'],
    ['bytes may be numbers', bytes, [65, null, 255], 'QQD/'],
    ['times become UTC', dateTime, '2024-01-02T03:04:05.9+01:00', '2024-01-02T02:04:05Z'],
    [
      'times with microseconds become UTC',
      microTime,
      '2024-01-02T03:04:05.123456+01:00',
      '2024-01-02T02:04:05.123456Z',
    ],
  ])('%s', (_, type, value, expected) => {
    expect(decode(type, value)).toBe(expected);
  });

  // Go decodes to bytes and encodes again: bits that mean nothing are lost
  test('base64 comes out in its one canonical form', () => {
    expect(decode(bytes, 'QR==')).toBe('QQ==');
  });
});

// Go's zero time is no time: it is written as null, or not at all
test('the first second of the year 1 is no time', () => {
  const type = struct('test/v1', 'Timed', '', { when: field(1, dateTime), at: field(2, dateTime, { always: true }) });
  const zero = '0001-01-01T00:00:00Z';
  expect(decode(type, { when: zero, at: zero })).toEqual({ at: null });
});

describe('values that are refused', () => {
  const struct1 = struct('test/v1', 'Thing', '', { a: field(1, string) });

  test.each<[string, SchemaType, readonly unknown[]]>([
    ['string', string, [1, true, [], {}]],
    ['bool', bool, ['true', 1, 0, [], {}]],
    ['int32', int32, ['1', 1.5, true, [], {}, 2147483648, -2147483649, 1e300]],
    ['int64', int64, ['1', 1.5, true, [], {}]],
    ['double', double, ['1', true, [], {}]],
    ['bytes', bytes, [1, ['A'], [256], [-1], [1.5], 'A', 'AA', 'AAA', 'A===', 'AA=A', '====', 'AA-_', 'A A=', 'AAAA=']],
    ['date-time', dateTime, [1, true, {}, '', 'now', '2024-01-02']],
    ['micro-time', microTime, [1, '', '2024-01-02T03:04:05Z', '2024-01-02T03:04:05.123Z']],
    ['list', listOf(string), ['a', 1, true, {}, { 0: 'a' }]],
    ['map', mapOf(string), ['a', 1, true, [], ['a']]],
    ['struct', struct1, ['a', 1, true, []]],
  ])('%s', (_, type, values) => {
    for (const value of values) expect(() => decode(type, value), JSON.stringify(value)).toThrow(TypeMismatch);
  });

  // a Go int64 ends at 2^63 - 1
  test('numbers that are no int64', () => {
    expect(() => decode(int64, 1e300)).toThrow(TypeMismatch);
  });
});

describe('what is wrong is said as Go says it', () => {
  const inner = struct('core/v1', 'Inner', '', { n: field(1, int32), list: field(2, listOf(string)) });
  const outer = struct('core/v1', 'Outer', '', {
    inner: field(1, inner),
    all: field(2, listOf(inner)),
    map: field(3, mapOf(inner)),
    labels: field(4, mapOf(string)),
    when: field(5, dateTime),
    data: field(6, mapOf(bytes)),
  });

  test.each<[unknown, string]>([
    [{ inner: 1 }, 'number into Go struct field Outer.inner of type v1.Inner'],
    [{ inner: { n: 'x' } }, 'string into Go struct field Inner.inner.n of type int32'],
    [{ inner: { list: ['a', 2] } }, 'number into Go struct field Inner.inner.list of type string'],
    [{ inner: [] }, 'array into Go struct field Outer.inner of type v1.Inner'],
    [{ all: {} }, 'object into Go struct field Outer.all of type []v1.Inner'],
    [{ all: [{}, { n: true }] }, 'bool into Go struct field Inner.all.n of type int32'],
    [{ map: { k: { n: [] } } }, 'array into Go struct field Inner.map.n of type int32'],
    [{ labels: true }, 'bool into Go struct field Outer.labels of type map[string]string'],
    [{ labels: { 'a.b/c': 1 } }, 'number into Go struct field Outer.labels of type string'],
    [{ when: 1 }, 'number into Go struct field Outer.when of type string'],
    [{ inner: { n: 1.5 } }, 'number 1.5 into Go struct field Inner.inner.n of type int32'],
    [[], 'array into Go value of type v1.Outer'],
    [{ inner: { n: 2147483648 } }, 'number 2147483648 into Go struct field Inner.inner.n of type int32'],
  ])('%j: cannot unmarshal %s', (value, expected) => {
    expect(refusal(outer, value)).toBe(`json: cannot unmarshal ${expected}`);
  });

  test.each([
    ['A', 0],
    ['AAAAAA', 4],
    ['AA=', 3],
    ['AA=A', 2],
    ['AA-A', 2],
    ['AAAA=', 4],
    ['é===', 0],
  ])('where %j stops being base64', (text, at) => {
    expect(refusal(outer, { data: { k: text } })).toBe(`illegal base64 data at input byte ${at}`);
  });

  test('which time cannot be read', () => {
    expect(refusal(outer, { when: 'now' })).toMatch(/^parsing time "now" as "2006-01-02T15:04:05Z07:00": cannot parse/);
  });
});
