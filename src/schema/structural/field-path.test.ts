import { expect, test } from 'vitest';
import { findField } from './field-path.ts';

const size = { type: 'integer' };
const spec = { type: 'object', properties: { size, 'a.b': size, "it's": size, 'x-y': size } };
const schema = { properties: { spec, labels: { additionalProperties: size }, free: { additionalProperties: true } } };

test.each<[string, string]>([
  ['.spec.size', 'spec.size'],
  [".spec['a.b']", 'spec.a.b'],
  [".spec['it\\'s']", "spec.it's"],
  ['.spec.x-y', 'spec.x-y'],
  ['.labels.any', 'labels[any]'],
  [".labels['a/b']", 'labels[a/b]'],
])('%j leads to %j', (path, shown) => {
  expect(findField(path, schema)).toMatchObject({ schema: size, path: shown });
});

test.each<[string, string]>([
  ['spec', 'expected [ or . but got: spec'],
  ['.spec..size', 'does not refer to a valid field'],
  ['.spec.none', 'does not refer to a valid field'],
  ['.spec.constructor', 'does not refer to a valid field'],
  ['.spec.size.more', 'does not refer to a valid field'],
  ['.free.any.more', 'does not refer to a valid field'],
  ['.spec.', 'unexpected end of JSON path'],
  ['.spec[', 'unexpected end of JSON path'],
  [".spec['size'", 'unexpected end of JSON path'],
  ['.spec[0]', 'expected single quoted string but got 0'],
  [".spec['size", "expected single quoted string but got 'size"],
  [".spec['\\x']", 'invalid string literal: invalid escape char \\x'],
  [".spec['size'.", 'expected ] but got .'],
])('%j leads nowhere: %s', (path, problem) => {
  expect(findField(path, schema)).toEqual({ problem });
});

test('brackets may be refused', () => {
  expect(findField(".spec['size']", schema, { dotsOnly: true })).toEqual({ problem: 'array notation is not allowed' });
});
