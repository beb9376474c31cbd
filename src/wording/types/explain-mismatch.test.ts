import { describe, expect, test, vi } from 'vitest';
import { scalars } from '../../schema/scalars.ts';
import {
  bool,
  bytes,
  dateTime,
  embedded,
  field,
  int32,
  intOrString,
  listOf,
  mapOf,
  quantity,
  type SchemaType,
  type StructType,
  string,
  struct,
  union,
  within,
} from '../../schema/types.ts';
import { explainMismatch, type KeyOrder } from './explain-mismatch.ts';

const sourceFields = { path: field(1, string), size: field(2, int32), ...within(3, 'Deep', { deep: field(1, bool) }) };
const schema: StructType = struct('test/v2', 'Schema', '', () => ({
  n: field(1, int32),
  either: field(2, either),
  refused: field(3, refused),
}));
const either: SchemaType = union(
  'test/v2',
  'Either',
  '',
  () => [
    { number: 1, type: schema },
    { number: 2, type: listOf(string) },
  ],
  '',
);
const refused: SchemaType = union('test/v2', 'Refused', '', () => [{ number: 1, type: schema }], 'schema expected');
const inner = struct('test/v2', 'Inner', '', { name: field(1, string), n: field(2, int32) });
const type = struct('test/v2', 'Thing', '', () => ({
  policy: field(1, string, { goType: 'Policy', pointer: true }),
  uid: field(2, string, { goType: 'types.UID' }),
  modes: field(3, listOf(string), { goType: '[]Mode' }),
  keyed: field(4, mapOf(mapOf(inner)), { goType: 'map[Key]map[types.Name]Inner' }),
  amounts: field(5, mapOf(quantity), { goType: 'Amounts' }),
  inner: field(6, inner),
  all: field(7, listOf(inner)),
  when: field(8, dateTime),
  port: field(9, intOrString),
  data: field(10, bytes),
  schema: field(11, either),
  strict: field(12, refused),
  nested: field(13, listOf(embedded(inner))),
  gone: field(14, int32, { off: true }),
  ...within(15, 'Source', sourceFields),
}));

const told = (value: unknown, order?: KeyOrder) => explainMismatch(type, value, order)?.message;
const cannot = (words: string) => `json: cannot unmarshal ${words}`;

test('nothing is said of a value that is of its type', () => {
  expect(
    told({ policy: null, modes: [null], keyed: { a: { b: null } }, data: [1], schema: 5, other: 1 }),
  ).toBeUndefined();
});

test.each<[unknown, string]>([
  [[], 'array into Go value of type v2.Thing'],
  [{ policy: 1 }, 'number into Go struct field Thing.policy of type v2.Policy'],
  [{ uid: {} }, 'object into Go struct field Thing.uid of type types.UID'],
  [{ modes: 'x' }, 'string into Go struct field Thing.modes of type []v2.Mode'],
  [{ modes: ['x', true] }, 'bool into Go struct field Thing.modes of type v2.Mode'],
  [{ keyed: [] }, 'array into Go struct field Thing.keyed of type map[v2.Key]map[types.Name]v2.Inner'],
  [{ keyed: { k: 1 } }, 'number into Go struct field Thing.keyed of type map[types.Name]v2.Inner'],
  [{ keyed: { k: { l: 1 } } }, 'number into Go struct field Thing.keyed of type v2.Inner'],
  [{ keyed: { k: { l: { n: 'x' } } } }, 'string into Go struct field Inner.keyed.n of type int32'],
  [{ amounts: 1 }, 'number into Go struct field Thing.amounts of type v2.Amounts'],
  [{ all: [{}, { n: 2147483648 }] }, 'number 2147483648 into Go struct field Inner.all.n of type int32'],
  [{ all: [{}, { n: 2n ** 80n }] }, `number ${2n ** 80n} into Go struct field Inner.all.n of type int32`],
  [{ when: [] }, 'array into Go struct field Thing.when of type string'],
  [{ port: true }, 'bool into Go struct field Thing.port of type int32'],
  [{ data: 1 }, 'number into Go struct field Thing.data of type []uint8'],
  [{ data: ['x'] }, 'string into Go struct field Thing.data of type uint8'],
  [{ data: [256] }, 'number 256 into Go struct field Thing.data of type uint8'],
  [{ gone: 'x' }, 'string into Go struct field Thing.gone of type int32'],
  [{ path: 1 }, 'number into Go struct field Thing.Source.path of type string'],
  [{ deep: 1 }, 'number into Go struct field Thing.Source.Deep.deep of type bool'],
  [{ nested: [{ kind: 1 }] }, 'number into Go struct field Inner.nested.TypeMeta.kind of type string'],
  [{ schema: { n: 'x' } }, 'string into Go struct field Thing.schema.n of type int32'],
  [{ schema: { either: { n: [] } } }, 'array into Go struct field Thing.schema.either.n of type int32'],
  [{ schema: ['x', 1] }, 'number into Go struct field Thing.schema of type string'],
])('%s: %s', (value, words) => {
  expect(told(value)).toBe(cannot(words));
});

test.each<[unknown, string]>([
  [{ data: '!' }, 'illegal base64 data at input byte 0'],
  [{ strict: 5 }, 'schema expected'],
  [
    { amounts: { a: 'x' } },
    "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
  ],
])('%s: what is said has no place', (value, words) => {
  expect(told(value)).toBe(words);
});

describe('of several wrong values', () => {
  const two = { uid: 1, inner: { n: 'x', name: 5 }, policy: 2 };

  test('the first one of the text is told', () => {
    expect(told(two)).toContain('Thing.uid');
    expect(told({ inner: two.inner, uid: 1 })).toContain('Inner.inner.n');
  });

  test('the first one by name is told, of what a patch made', () => {
    expect(told(two, 'byName')).toContain('Inner.inner.n');
    expect(told({ keyed: { b: 1, a: { c: 2 } } }, 'byName')).toContain('of type v2.Inner');
  });

  test('one that reads itself is told, wherever it stands', () => {
    expect(told({ ...two, when: 5, port: {} })).toContain('Thing.when');
    expect(told({ ...two, amounts: { a: true } })).toMatch(/^quantities must match/);
    expect(told({ ...two, schema: { n: 'x' } })).toContain('Thing.schema.n');
  });

  test('one that stands far behind the first is not looked for', () => {
    const labels = Object.fromEntries(Array.from({ length: 30_000 }, (_, at) => [`k${at}`, { l: {} }]));
    expect(told({ uid: 1, keyed: labels, when: 5 })).toContain('Thing.uid');
  });

  test('those that cannot be told are not looked at, however many they are', () => {
    const look = vi.spyOn(scalars, 'string');
    expect(told({ modes: Array.from({ length: 5000 }, () => 5), when: 5 })).toContain('Thing.when');
    expect(look).toHaveBeenCalledTimes(1);
    look.mockRestore();
  });

  test('bytes that are no base64 do not read themselves', () => {
    expect(told({ ...two, data: '!' })).toContain('Thing.uid');
  });
});
