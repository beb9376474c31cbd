import { expect, test } from 'vitest';
import {
  bool,
  bytes,
  dateTime,
  double,
  field,
  int32,
  int64,
  intOrString,
  listOf,
  mapOf,
  string,
  struct,
  union,
} from '../../schema/types.ts';
import { restored, restoreProblem } from './restore-problem.ts';

const inner = struct('test/v2', 'Inner', '', { n: field(1, int32) });
const type = struct('test/v2', 'Thing', '', {
  text: field(1, string, { goType: 'Text' }),
  n: field(2, int32),
  on: field(3, bool),
  rate: field(4, double),
  list: field(5, listOf(string)),
  map: field(6, mapOf(inner)),
  inner: field(7, inner),
  data: field(8, bytes),
  when: field(9, dateTime),
  port: field(10, intOrString),
  schema: field(
    11,
    union('test/v2', 'Either', '', () => [{ number: 1, type: inner }], 'object expected'),
  ),
});

test('nothing is said of values that fit', () => {
  const value = { text: 'x', n: 1, on: null, rate: 1, list: [null], map: { a: null }, data: '', schema: {} };
  expect(restoreProblem(type, value)).toBeUndefined();
});

test.each<[unknown, string]>([
  [{ text: 5 }, 'cannot convert int64 to v2.Text'],
  [{ text: 1.5 }, 'unrecognized type: string'],
  [{ text: [] }, 'unrecognized type: string'],
  [{ n: 'x' }, 'unrecognized type: int32'],
  [{ n: 1.5 }, 'cannot convert float64 to int32'],
  [{ on: 1 }, 'unrecognized type: bool'],
  [{ rate: 'x' }, 'unrecognized type: float64'],
  [{ list: 5 }, 'cannot restore slice from int64'],
  [{ list: {} }, 'cannot restore slice from map'],
  [{ list: [5] }, 'cannot convert int64 to string'],
  [{ map: 'x' }, 'cannot restore map from string'],
  [{ map: { a: [] } }, 'cannot restore struct from: slice'],
  [{ inner: true }, 'cannot restore struct from: bool'],
  [{ inner: { n: {} } }, 'unrecognized type: int32'],
  [{ data: '!' }, 'error decoding from json: illegal base64 data at input byte 0'],
  [{ data: 5 }, 'cannot restore slice from int64'],
  [{ data: ['x'] }, 'unrecognized type: uint8'],
  [{ when: 5 }, 'json: cannot unmarshal number into Go value of type string'],
  [{ port: {} }, 'json: cannot unmarshal object into Go value of type int32'],
  [{ schema: 5 }, 'object expected'],
  [{ schema: { n: 'x' } }, 'json: cannot unmarshal string into Go struct field Inner.n of type int32'],
])('%j: %s', (value, problem) => {
  expect(restoreProblem(type, value)).toBe(problem);
});

test('the first field in declared order is told', () => {
  expect(restoreProblem(type, { inner: 1, n: 'x', text: {} })).toBe('unrecognized type: string');
});

test.each<[number | bigint, number | bigint]>([
  [7, 7],
  [2147483647, 2147483647],
  [2147483648, -2147483648],
  [99999999999, 1215752191],
  [-2147483649, 2147483647],
  [2n ** 63n, 0],
  [1e30, 0],
])('%d becomes %d in a field of 32 bits', (given, held) => {
  const value = { n: given, list: ['x'], map: { a: { n: given } } };
  expect(restoreProblem(type, value)).toBeUndefined();
  expect(restored(type, value)).toEqual({ n: held, list: ['x'], map: { a: { n: held } } });
});

test('what no 64 bits hold is the least number of 64 bits', () => {
  const wide = struct('test/v2', 'Wide', '', { n: field(1, int64), port: field(2, intOrString) });
  expect(restored(wide, { n: 1e30, port: 99999999999 })).toEqual({ n: -(2n ** 63n), port: 99999999999 });
  const value = { n: 99999999999, port: 1 };
  expect(restored(wide, value)).toBe(value);
});
