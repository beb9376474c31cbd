import { expect, test } from 'vitest';
import type { JsonValue } from '../base/json/json.ts';
import { JsonPathError, parseJsonPath } from './json-path.ts';

const object = {
  metadata: { labels: { 'app.io/name': 'x' } },
  spec: {
    n: 0,
    nothing: null,
    list: [1, 2, 3],
    items: [
      { type: 'A', v: 1 },
      { type: 'B', v: 2 },
    ],
  },
};

test.each<[string, unknown]>([
  ['.spec.n', 0],
  ['.spec.missing', undefined],
  ['.spec.constructor', undefined],
  ['.metadata.labels.app\\.io/name', 'x'],
  [".metadata.labels['app.io/name']", 'x'],
  ['.spec.list[0]', 1],
  ['.spec.list[-1]', 3],
  ['.spec.list[1:]', 2],
  ['.spec.list[*]', 1],
  ['.spec.list[2,0]', 3],
  [".spec['none','n']", 0],
  ['.spec.items[?(@.type=="B")].v', 2],
  [".spec.items[?(@.type=='B')].v", 2],
  ['.spec.items[?(@.v>1)].type', 'B'],
  ['.spec.items[?(@.none)].type', undefined],
  ['.spec.items[*].v', 1],
  ['..type', 'A'],
  ['..nothing', null],
  ['.spec..items..v', 1],
  ['....v', 1],
  ['..[?(@..v==2)].type', 'B'],
  ['.spec.list[-1,2,0]', 3],
  ['.', object],
])('%j leads to %j', (path, expected) => {
  expect(parseJsonPath(path)(object)).toEqual(expected);
});

test.each(['spec', '.a[', '.a[?(@.b=="c"]', '.a[x]', `.${'a'.repeat(5000)}`])('%j is no path', (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError);
});

/** `depth` objects in each other, each with `width` more members. */
function nested(depth: number, width = 0): JsonValue {
  let value: JsonValue = 'innermost';
  const more = Object.fromEntries(Array.from({ length: width }, (_, i) => [`m${i}`, i]));
  for (let i = 0; i < depth; i++) value = { ...more, a: value };
  return value;
}

const layers = (count: number, more: readonly JsonValue[]): JsonValue =>
  Array.from({ length: count }).reduce<JsonValue>((inner) => [inner, ...more], 1);

test.each<[string, string, JsonValue]>([
  ['five descents through 90 objects', '..a..a..a..a..a.missing', nested(90)],
  ['five descents to all members', '..*..*..*..*..*.missing', nested(90, 20)],
  ['unions of steps to one item', `${'[*,0,0:,:,-1:]'.repeat(60)}.missing`, layers(60, [])],
  ['descents within a filter', '..[?(@..x..y==1)]', layers(90, [{ x: {} }])],
])('%s visit each value once for each step', (_, path, value) => {
  expect(parseJsonPath(path)(value, { visitsLeft: Number.POSITIVE_INFINITY })).toBeUndefined();
});

test.each<[string, string, JsonValue]>([
  ['1,300 descents', `${'..a'.repeat(1300)}.missing`, nested(900, 100)],
  ['descents without a name', `${'.'.repeat(4000)}missing`, nested(900, 100)],
  [
    '1,000 slices of a long list',
    `.[${Array.from({ length: 800 }, (_, i) => `${i}:`).join()}].missing`,
    layers(1, Array(100_000).fill(1)),
  ],
])('%s end after a bounded number of visits', (_, path, value) => {
  expect(parseJsonPath(path)(value)).toBeUndefined();
});

test('a search ends without a value where it exceeds its visits', () => {
  const value = { list: [...Array<JsonValue>(100).fill({ b: 1 }), { a: 1 }] };
  expect(parseJsonPath('.list[*].a')(value, { visitsLeft: 110 })).toBe(1);
  expect(parseJsonPath('.list[*].a')(value, { visitsLeft: 100 })).toBeUndefined();
  expect(parseJsonPath('.list[100].a')(value, { visitsLeft: 10 })).toBe(1);
});
