import { describe, expect, test } from 'vitest';
import { TypeMismatch } from '../wording/type-mismatch.ts';
import { decoderOf, zeroOf } from './decode.ts';
import { DecodeContext } from './decode-context.ts';
import { givenEmpty, holdsGivenEmpty } from './given-empty.ts';
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
  type StructType,
  string,
  struct,
} from './types.ts';

const part = struct('test/v1', 'Part', 'A part.', {
  name: field(1, string, { always: true }),
  size: field(2, int32),
  tags: field(3, mapOf(string)),
});

const whole = struct('test/v1', 'Whole', 'Everything at once.', {
  zeta: field(1, string),
  alpha: field(2, int32),
  flag: field(3, bool),
  pointer: field(4, bool, { pointer: true }),
  count: field(5, int64, { pointer: true }),
  always: field(6, string, { always: true }),
  part: field(7, part),
  optional: field(8, part, { pointer: true }),
  alwaysPart: field(9, part, { always: true }),
  parts: field(10, listOf(part)),
  alwaysParts: field(11, listOf(part), { always: true }),
  labels: field(12, mapOf(string)),
  byName: field(13, mapOf(part)),
  kept: field(14, string, { default: 'standard' }),
  when: field(15, dateTime),
  exactly: field(16, microTime, { pointer: true }),
  data: field(17, mapOf(bytes)),
  share: field(18, double),
  owned: field(19, fieldsV1, { pointer: true }),
  names: field(20, listOf(string)),
});

/** What every decoded Whole has. */
const least = { always: '', alwaysPart: { name: '' }, alwaysParts: null, kept: 'standard' };

function decode(type: SchemaType, value: unknown): { value: unknown; metUnknown: boolean } {
  const context = new DecodeContext();
  return { value: decoderOf(type)(value, context), metUnknown: context.metUnknown };
}

const decoded = (value: unknown) => decode(whole, value).value;
const parsed = (text: string) => decoded(JSON.parse(text));

describe('unset and zero', () => {
  test('nothing gives what is always written, and the defaults', () => {
    expect(decoded({})).toEqual(least);
  });

  test.each([
    ['an empty string', { zeta: '' }],
    ['zero', { alpha: 0, share: 0 }],
    ['false', { flag: false }],
    ['an empty list', { parts: [], names: [] }],
    ['an empty map', { labels: {}, byName: {} }],
    [
      'null',
      { zeta: null, alpha: null, flag: null, pointer: null, optional: null, parts: null, labels: null, when: null },
    ],
  ])('%s is left out', (_, value) => {
    expect(JSON.parse(JSON.stringify(decoded(value)))).toEqual(least);
  });

  test('that a list or a map was given empty is remembered, also in copies', () => {
    const value = decoded({ parts: [], labels: {}, zeta: '' }) as object;
    expect(givenEmpty({ ...value }, 'parts')).toEqual([]);
    expect(givenEmpty(value, 'labels')).toEqual({});
    expect(['zeta', 'names', '__proto__'].map((name) => givenEmpty(value, name))).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
    expect(holdsGivenEmpty([{ in: value }])).toBe(true);
    expect(holdsGivenEmpty([decoded({ parts: [{}] })])).toBe(false);
  });

  test('a struct is left out when nothing in it is left', () => {
    const empty = struct('test/v1', 'Empty', '', { size: field(1, int32) });
    const holder = struct('test/v1', 'Holder', '', { empty: field(1, empty), set: field(2, empty, { pointer: true }) });
    expect(decode(holder, { empty: { size: 0 }, set: { size: 0 } }).value).toEqual({ set: {} });
    expect(decoded({ part: {} })).toEqual({ ...least, part: { name: '' } });
  });

  test.each([
    ['false', { pointer: false }],
    ['zero', { count: 0 }],
    ['a struct', { optional: { name: '' } }],
  ])('%s behind a pointer stays', (_, value) => {
    expect(decoded(value)).toEqual({ ...least, ...value });
  });

  test('what is always written shows its zero when null was given', () => {
    expect(decoded({ always: null, alwaysPart: null, alwaysParts: null })).toEqual(least);
  });

  test('a default stands in for missing, null and empty, and yields to anything else', () => {
    for (const value of [{}, { kept: null }, { kept: '' }]) expect(decoded(value)).toMatchObject({ kept: 'standard' });
    expect(decoded({ kept: 'mine' })).toMatchObject({ kept: 'mine' });
  });

  test('a default that is an object is given out as a copy', () => {
    const type = struct('test/v1', 'D', '', { list: field(1, listOf(string), { default: ['a'] }) });
    const first = decode(type, {}).value as { list: string[] };
    first.list.push('b');
    expect(decode(type, {}).value).toEqual({ list: ['a'] });
  });

  test('null inside lists and maps is the zero of their elements', () => {
    expect(decoded({ names: ['a', null], labels: { x: null }, parts: [null], byName: { y: null } })).toEqual({
      ...least,
      names: ['a', ''],
      labels: { x: '' },
      parts: [{ name: '' }],
      byName: { y: { name: '' } },
    });
  });

  test.each<[string, SchemaType, unknown]>([
    ['string', string, ''],
    ['int32', int32, 0],
    ['bool', bool, false],
    ['double', double, 0],
    ['bytes', bytes, null],
    ['date-time', dateTime, null],
    ['list', listOf(string), null],
    ['map', mapOf(string), null],
    ['struct', part, { name: '' }],
  ])('the zero of a %s', (_, type, expected) => {
    expect(zeroOf(type)).toEqual(expected);
  });
});

describe('order', () => {
  test('fields come out as they are declared', () => {
    expect(JSON.stringify(decoded({ labels: { x: '1' }, alpha: 1, zeta: 'z' }))).toBe(
      '{"zeta":"z","alpha":1,"always":"","alwaysPart":{"name":""},"alwaysParts":null,"labels":{"x":"1"},"kept":"standard"}',
    );
  });

  test('keys of maps are sorted', () => {
    const { labels } = decoded({ labels: { b: '1', a: '2', B: '3', 'a/b': '4', aa: '5' } }) as { labels: object };
    expect(Object.keys(labels)).toEqual(['B', 'a', 'a/b', 'aa', 'b']);
  });
});

describe('unknown fields', () => {
  test('are dropped, at every depth', () => {
    const value = {
      top: 1,
      part: { name: 'a', more: true },
      parts: [{ name: 'a' }, { name: 'b', bogus: {}, tags: { anything: 'goes' } }],
      byName: { 'a.b': { odd: 1 } },
    };
    expect(decode(whole, value)).toEqual({
      value: {
        ...least,
        part: { name: 'a' },
        parts: [{ name: 'a' }, { name: 'b', tags: { anything: 'goes' } }],
        byName: { 'a.b': { name: '' } },
      },
      metUnknown: true,
    });
  });

  test.each([
    [{}, false],
    [{ zeta: 'x', part: { name: 'a' } }, false],
    [{ zeta: null }, false],
    [{ nope: null }, true],
    [{ Zeta: 'x' }, true],
    [{ part: { Name: 'x' } }, true],
    [{ parts: [{}, { odd: 1 }] }, true],
    [{ byName: { k: { odd: 1 } } }, true],
    [{ labels: { any: 'thing' } }, false],
    [{ zeta: 'x', nope: 1 }, true],
  ])('are noticed: %j %s', (value, met) => {
    expect(decode(whole, value).metUnknown).toBe(met);
  });
});

describe('names that JavaScript knows', () => {
  test('are data in a map and pollute nothing', () => {
    const text = '{"labels":{"__proto__":"x","constructor":"y","toString":"z"}}';
    const { labels } = parsed(text) as { labels: Record<string, string> };
    expect(JSON.stringify(labels)).toBe('{"__proto__":"x","constructor":"y","toString":"z"}');
    expect(Object.getPrototypeOf(labels)).toBe(Object.prototype);
    expect(({} as Record<string, unknown>)['x']).toBeUndefined();
  });

  test('are data in a map of structs', () => {
    const { byName } = parsed('{"byName":{"__proto__":{"name":"a"}}}') as { byName: object };
    expect(JSON.stringify(byName)).toBe('{"__proto__":{"name":"a"}}');
  });

  test('are unknown fields of a struct', () => {
    const value: unknown = JSON.parse('{"__proto__":{"zeta":"stolen"},"constructor":1}');
    expect(decode(whole, value)).toEqual({ value: least, metUnknown: true });
  });
});

describe('recursive types', () => {
  const fields: { name: string; number: number; type: SchemaType }[] = [{ name: 'value', number: 1, type: string }];
  const tree: StructType = { is: 'struct', home: 'test/v1', name: 'Tree', about: '', fields };
  fields.push({ name: 'children', number: 2, type: listOf(tree) }, { name: 'byKey', number: 3, type: mapOf(tree) });

  test('are decoded to any depth', () => {
    const value = { value: 'a', children: [{ children: [{ value: 'c', byKey: { k: { value: 'd' } } }] }] };
    expect(decode(tree, value)).toEqual({ value, metUnknown: false });
  });

  test('are checked to any depth', () => {
    expect(decode(tree, { children: [{ children: [{ byKey: { k: { odd: 1 } } }] }] }).metUnknown).toBe(true);
    expect(() => decode(tree, { children: [{ children: [{ value: 1 }] }] })).toThrow(TypeMismatch);
  });
});

describe('a value made from a decoded one', () => {
  const before = parsed(
    '{"zeta":"z","part":{"name":"p","tags":{"b":"2"}},"parts":[{"name":"q"}],"labels":{"a":"1"}}',
  ) as {
    readonly part: object;
    readonly parts: readonly object[];
  };
  const decodeFrom = (value: unknown) => decoderOf(whole)(value, new DecodeContext(), before);

  test('keeps the very parts that are the same in both', () => {
    const after = decodeFrom({ ...before, zeta: 'y' }) as typeof before;
    expect(after).toEqual({ ...before, zeta: 'y' });
    expect(after.part).toBe(before.part);
    expect(after.parts).toBe(before.parts);
  });

  test('is decoded like any other where it differs', () => {
    const changed = { ...before, part: { ...before.part, size: 0, name: '' }, when: '2026-01-02T03:04:05+01:00' };
    expect(decodeFrom(changed)).toEqual(decoded(JSON.parse(JSON.stringify(changed))));
    expect(() => decodeFrom({ ...before, part: { ...before.part, size: 'x' } })).toThrow(TypeMismatch);
  });
});

test('a list or map that says how many it may have refuses more before it looks at them', () => {
  const type = struct('test/v1', 'Limited', '', {
    items: field(1, listOf(string, 2), { about: '' }),
    keys: field(2, mapOf(string, 2), { about: '' }),
  });
  const decode = (value: object) => decoderOf(type)(value, new DecodeContext());
  expect(decode({ items: ['a', 'b'], keys: { a: '', b: '' } })).toEqual({ items: ['a', 'b'], keys: { a: '', b: '' } });
  expect(() => decode({ items: ['a', 'b', 'c'] })).toThrow('items has more than 2 items');
  expect(() => decode({ keys: { a: '', b: '', c: '' } })).toThrow('keys has more than 2 items');
});
