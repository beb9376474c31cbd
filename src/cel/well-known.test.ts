// Well-known messages of protobuf that expressions write.

import { expect, test } from 'vitest';
import { toJson } from './adapt.ts';
import { compile } from './compile.ts';
import { Environment } from './environment.ts';
import { formatType } from './types.ts';

const environment = new Environment({ variables: {} });
const compiled = (source: string) => {
  const result = compile(source, environment);
  if ('errors' in result) throw new Error(result.errors.message);
  return result.program;
};

test.each([
  ['google.protobuf.Int32Value{value: 3} + 1', 4n],
  ['google.protobuf.Int64Value{} == null', false],
  ['true ? google.protobuf.StringValue{} : null', ''],
  ['[1, google.protobuf.Int64Value{value: 2}]', [1n, 2n]],
  ['google.protobuf.FloatValue{value: 1.333} == 1.333', false],
  ['google.protobuf.Duration{seconds: 61, nanos: 500000000}', '61.5s'],
  ["google.protobuf.Timestamp{seconds: 1} == timestamp('1970-01-01T00:00:01Z')", true],
  [
    "google.protobuf.Struct{fields: {'a': dyn([1, 2]), 'b': dyn(9007199254740993)}}",
    { a: [1, 2], b: '9007199254740993' },
  ],
  ['google.protobuf.Value{}', null],
  ['google.protobuf.Int32Value{value: 2147483648}', { error: 'integer overflow' }],
  ["google.protobuf.Any{type_url: 'x'}", { error: 'conversion error: got invalid google.protobuf.Any message' }],
])('%s', (source, expected) => {
  const outcome = compiled(source).evaluate({});
  expect('error' in outcome ? { error: outcome.error } : toJson(outcome.value)).toEqual(expected);
});

test('their types', () => {
  expect(formatType(compiled('google.protobuf.Int32Value{}').type)).toBe('wrapper(int)');
  expect(formatType(compiled('google.protobuf.Struct{}').type)).toBe('map(string, dyn)');
  expect(() => compiled('google.protobuf.Int32Value{value: null}')).toThrow("expected type of field 'value' is 'int'");
  expect(() => compiled('google.protobuf.Int32Value{size: 1}')).toThrow("undefined field 'size'");
  expect(() => compiled('google.protobuf.Int32Value{}.value')).toThrow('does not support field selection');
});
