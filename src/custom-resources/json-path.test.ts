import { expect, test } from 'vitest';
import { firstAt, JsonPathError, parseJsonPath } from './json-path.ts';

const object = {
  metadata: { labels: { 'app.io/name': 'x' } },
  spec: {
    n: 0,
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
  ['.', object],
])('%j leads to %j', (path, expected) => {
  expect(firstAt(parseJsonPath(path), object)).toEqual(expected);
});

test.each(['spec', '.a[', '.a[?(@.b=="c"]', '.a[x]', `.${'a'.repeat(5000)}`])('%j is no path', (path) => {
  expect(() => parseJsonPath(path)).toThrow(JsonPathError);
});
