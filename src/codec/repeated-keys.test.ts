// A repeated key is read into what the first one has set, as kube-apiserver's decoder does it.

import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import { scanJson } from '../base/json/json-scan.ts';
import {
  anyJson,
  bool,
  bytes,
  dateTime,
  field,
  int32,
  listOf,
  mapOf,
  quantity,
  rawExtension,
  type SchemaType,
  string,
  struct,
  union,
} from '../schema/types.ts';
import { fuzzRuns } from '../testing/fuzz-runs.ts';
import { expectProcessorTime } from '../testing/processor-time.ts';
import { joinRepeated } from './repeated-keys.ts';

const inner = struct('test/v1', 'Inner', '', {
  a: field(1, string),
  b: field(2, string),
  list: field(3, listOf(string)),
});
const choice = union('test/v1', 'Choice', '', () => [
  { number: 1, type: inner },
  { number: 2, type: bool },
]);
const thing = struct('test/v1', 'Thing', '', {
  name: field(1, string),
  count: field(2, int32),
  replicas: field(3, int32, { pointer: true }),
  plain: field(4, inner),
  behind: field(5, inner, { pointer: true }),
  items: field(6, listOf(inner)),
  labels: field(7, mapOf(string)),
  byName: field(8, mapOf(inner)),
  raw: field(9, rawExtension),
  any: field(10, anyJson),
  data: field(11, bytes),
  at: field(12, dateTime),
  amount: field(13, quantity),
  choice: field(14, choice, { pointer: true }),
  matrix: field(15, listOf(listOf(string))),
});

/** Texts of objects of the type `thing`, or of what is in them, in which keys repeat. */
function members(depth: number): fc.Arbitrary<string> {
  const plain = fc.constantFrom(
    '"name":"a"',
    '"name":"b"',
    '"name":null',
    '"replicas":1',
    '"replicas":null',
    '"labels":{"a":"1"}',
    '"labels":{"b":"2"}',
    '"labels":null',
    '"any":{"x":1}',
  );
  const texts = (key: string) =>
    fc
      .array(fc.constantFrom('"a":"1"', '"a":null', '"b":"2"', '"list":["x","y"]', '"list":["z"]', '"list":null'))
      .map((all) => `"${key}":{${all.join(',')}}`);
  const items = fc
    .array(
      texts('i').map((text) => text.slice(4)),
      { maxLength: 3 },
    )
    .map((all) => `"items":[${all.join(',')}]`);
  const nothing = fc.constantFrom('"plain":null', '"behind":null', '"items":null');
  const one = fc.oneof(plain, texts('plain'), texts('behind'), items, nothing);
  return fc.array(one, { maxLength: depth * 3 }).map((all) => `{${all.join(',')}}`);
}

/** Members in the order of the text, repeated ones too. */
type Members = (readonly [key: string, value: unknown])[];

/** A text with every key made different, parsed, and the keys taken back. */
function scanMembers(text: string): unknown {
  let count = 0;
  const different = text.replace(/"(\w+)":/g, (_, key: string) => `"${key}#${count++}":`);
  const back = (value: unknown): unknown => {
    if (Array.isArray(value)) return { items: value.map(back) };
    if (typeof value !== 'object' || value === null) return value;
    return Object.entries(value).map(([key, member]) => [key.split('#')[0], back(member)]);
  };
  return back(JSON.parse(different));
}

const emptied = new Set(['replicas', 'labels', 'behind', 'items', 'list']);

/** The plain way: one member after the other is set in the object there is. */
function readInto(type: SchemaType, value: unknown, before: unknown): unknown {
  if (type.is === 'list') {
    const former = (before ?? []) as unknown[];
    return (value as { items: unknown[] }).items.map((item, i) => readInto(type.of, item, former[i]));
  }
  if (type.is !== 'struct' && type.is !== 'map') {
    return Array.isArray(value) ? Object.fromEntries(value as Members) : value;
  }
  const object = (before ?? {}) as Record<string, unknown>;
  for (const [key, member] of value as Members) {
    const of = type.is === 'map' ? type.of : (type.fields.find(({ name }) => name === key)?.type as SchemaType);
    if (member !== null) object[key] = readInto(of, member, type.is === 'map' ? undefined : object[key]);
    else if (emptied.has(key)) object[key] = null;
    else object[key] ??= null;
  }
  return object;
}

const joined = (text: string) => joinRepeated(thing, { value: null, repeating: text });

describe('of keys that repeat', () => {
  test.each<[string, string, JsonValue]>([
    ['plain values, the last counts', '{"name":"a","name":"b"}', { name: 'b' }],
    ['null leaves a plain value as it is', '{"name":"a","name":null,"count":3,"count":null}', { name: 'a', count: 3 }],
    ['null takes away what is optional', '{"replicas":1,"replicas":null}', { replicas: null }],
    ['what comes after null counts', '{"replicas":1,"replicas":null,"replicas":2}', { replicas: 2 }],
    ['structs add up', '{"plain":{"a":"1","b":"1"},"plain":{"a":"2"}}', { plain: { a: '2', b: '1' } }],
    ['optional structs add up too', '{"behind":{"a":"1"},"behind":{"b":"2"}}', { behind: { a: '1', b: '2' } }],
    ['null leaves a struct as it is', '{"plain":{"a":"1"},"plain":null}', { plain: { a: '1' } }],
    ['an optional struct begins again after null', '{"behind":{"a":"1"},"behind":null,"behind":{}}', { behind: {} }],
    ['maps gain keys', '{"labels":{"a":"1","b":"1"},"labels":{"b":"2"}}', { labels: { a: '1', b: '2' } }],
    ['null empties maps', '{"labels":{"a":"1"},"labels":null}', { labels: null }],
    ['a value of a map begins again', '{"byName":{"x":{"a":"1"},"x":{"b":"2"}}}', { byName: { x: { b: '2' } } }],
    [
      'lists are read item by item',
      '{"items":[{"a":"1"},{"a":"2"}],"items":[{"b":"3"}]}',
      { items: [{ a: '1', b: '3' }] },
    ],
    [
      'longer lists go on',
      '{"items":[{"a":"1"}],"items":[{"b":"2"},{"b":"3"}]}',
      { items: [{ a: '1', b: '2' }, { b: '3' }] },
    ],
    ['an empty list empties', '{"items":[{"a":"1"}],"items":[]}', { items: [] }],
    ['a null item leaves what is there', '{"items":[{"a":"1"}],"items":[null]}', { items: [{ a: '1' }] }],
    ['lists in lists too', '{"matrix":[["a","b"]],"matrix":[["c"]]}', { matrix: [['c']] }],
    ['raw values, the last counts', '{"raw":{"x":1},"raw":{"y":2}}', { raw: { y: 2 } }],
    ['also inside of them', '{"any":{"x":{"a":1},"x":{"b":2}}}', { any: { x: { b: 2 } } }],
    [
      'null takes away bytes and times',
      '{"data":"YQ==","data":null,"at":"2020-01-01T00:00:00Z","at":null}',
      { data: null, at: null },
    ],
    ['alternatives replace each other', '{"choice":{"a":"1"},"choice":{"b":"2"}}', { choice: { b: '2' } }],
    ['unknown fields are kept', '{"plain":{"odd":1},"plain":{"strange":2}}', { plain: { odd: 1, strange: 2 } }],
    ['kind is plain text', '{"kind":"A","kind":"B"}', { kind: 'B' }],
    [
      'those inside of what repeats are read in the order of the text',
      '{"plain":{"a":"1","list":["x","y"]},"plain":{"list":null,"list":["z"],"b":"2"}}',
      { plain: { a: '1', list: ['z'], b: '2' } },
    ],
    ['__proto__ is one like any other', '{"__proto__":1,"__proto__":2}', JSON.parse('{"__proto__":2}') as JsonValue],
  ])('%s', (_, text, expected) => expect(joined(text)).toEqual(expected));

  test.each<[string, JsonValue]>([
    ['{"count":"x","count":1}', { count: 'x' }],
    ['{"plain":[],"plain":{}}', { plain: [] }],
    ['{"items":{},"items":[]}', { items: {} }],
    ['{"labels":1,"labels":{}}', { labels: 1 }],
    ['{"amount":"many","amount":"1"}', { amount: 'many' }],
    ['{"at":"late","at":null}', { at: 'late' }],
    ['{"byName":{"x":1,"x":{}}}', { byName: { x: 1 } }],
    ['{"choice":"x","choice":true}', { choice: 'x' }],
  ])('one of a wrong type is not forgiven: %s', (text, expected) => {
    expect(joined(text)).toEqual(expected);
  });

  test('any text is read as if field after field were set in one object', () => {
    fc.assert(
      fc.property(members(3), (text) => {
        expect(joined(text)).toEqual(readInto(thing, scanMembers(text), {}));
      }),
      fuzzRuns(500),
    );
  });

  test('a map that comes in many pieces is put together at once', async () => {
    const pieces = Array.from({ length: 20_000 }, (_, index) => `"labels":{"k${index}":"v"}`);
    // a copy for each piece took 88 seconds
    await expectProcessorTime(3000, () => {
      const { labels } = joined(`{${pieces.join(',')}}`) as { labels: object };
      expect(Object.keys(labels)).toHaveLength(20_000);
    });
  });

  test('a text without any is read as it is', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(joined(text)).toEqual(scanJson(text));
      }),
      fuzzRuns(200),
    );
  });
});
