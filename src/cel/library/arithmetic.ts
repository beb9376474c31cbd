// Arithmetic. Integers have 64 bits, and what does not fit is an error.

import { type Library, member, plain } from '../declarations.ts';
import { KeyedList } from '../keyed-list.ts';
import { fitsInt, fitsUint } from '../literals.ts';
import { checkedDuration, checkedTimestamp } from '../time.ts';
import { bytes, type CelType, double, duration, int, list, map, param, string, timestamp, uint } from '../types.ts';
import {
  ConcatenatedList,
  checkedBytes,
  checkedLength,
  type DurationValue,
  EvaluationError,
  intOf,
  type ListValue,
  lengthOf,
  type MapValue,
  noSuchKey,
  type TimestampValue,
  UintValue,
  type Value,
} from '../values.ts';

const a = param('A');
const b = param('B');

export function checkedInt(value: bigint): bigint {
  if (!fitsInt(value)) throw new EvaluationError('integer overflow');
  return value;
}

export function checkedUint(value: bigint): UintValue {
  if (!fitsUint(value)) throw new EvaluationError('unsigned integer overflow');
  return new UintValue(value);
}

const ofInts = (name: string, run: (first: bigint, second: bigint) => bigint) =>
  plain(`${name}_int64`, [int, int], int, (first: bigint, second: bigint) => checkedInt(run(first, second)));

const ofUints = (name: string, run: (first: bigint, second: bigint) => bigint) =>
  plain(`${name}_uint64`, [uint, uint], uint, (first: UintValue, second: UintValue) =>
    checkedUint(run(first.value, second.value)),
  );

const ofDoubles = (name: string, run: (first: number, second: number) => number) =>
  plain(`${name}_double`, [double, double], double, run);

const nonZero = (value: bigint, what: string): bigint => {
  if (value === 0n) throw new EvaluationError(`${what} by zero`);
  return value;
};

const divide = (first: bigint, second: bigint) => first / nonZero(second, 'division');
const modulo = (first: bigint, second: bigint) => first % nonZero(second, 'modulus');

/** The list of a comprehension grows in place, or collecting n items would copy n lists. */
function concatenate(first: ListValue, second: ListValue): ListValue {
  if (first instanceof KeyedList) return first.merged(second);
  if (!first.growing) return new ConcatenatedList(first, second);
  const items = first.items as Value[];
  for (let index = 0; index < second.size; index++) items.push(second.at(index));
  return first;
}

/** An index may be any number that is whole. */
function indexOf(index: Value): number {
  const number = index instanceof UintValue ? index.value : index;
  const whole = typeof number === 'bigint' || (typeof number === 'number' && Number.isInteger(number));
  if (!whole) throw new EvaluationError(`unsupported index type '${typeof index}' in list`);
  return Number(number);
}

function itemAt(items: ListValue, index: Value): Value | undefined {
  const position = indexOf(index);
  return position >= 0 && position < items.size ? items.at(position) : undefined;
}

function indexList(items: ListValue, index: Value): Value {
  const item = itemAt(items, index);
  if (item === undefined) throw new EvaluationError(`index out of bounds: ${indexOf(index)}`);
  return item;
}

function indexMap(entries: MapValue, key: Value): Value {
  const value = entries.get(key);
  if (value === undefined) throw noSuchKey(key instanceof UintValue ? key.value : key);
  return value;
}

function addTexts(first: string, second: string): string {
  checkedLength(first.length + second.length);
  return first + second;
}

function addBytes(first: Uint8Array, second: Uint8Array): Uint8Array {
  checkedBytes(first.length + second.length);
  return Buffer.concat([first, second]);
}

const plus = [
  ofInts('add', (first, second) => first + second),
  ofUints('add', (first, second) => first + second),
  ofDoubles('add', (first, second) => first + second),
  plain('add_string', [string, string], string, addTexts),
  plain('add_bytes', [bytes, bytes], bytes, addBytes),
  plain('add_list', [list(a), list(a)], list(a), concatenate),
  plain('add_timestamp_duration', [timestamp, duration], timestamp, (time: TimestampValue, span: DurationValue) =>
    checkedTimestamp(time.ns + span.ns),
  ),
  plain('add_duration_timestamp', [duration, timestamp], timestamp, (span: DurationValue, time: TimestampValue) =>
    checkedTimestamp(time.ns + span.ns),
  ),
  plain('add_duration_duration', [duration, duration], duration, (first: DurationValue, second: DurationValue) =>
    checkedDuration(first.ns + second.ns),
  ),
];

const minus = [
  ofInts('subtract', (first, second) => first - second),
  ofUints('subtract', (first, second) => first - second),
  ofDoubles('subtract', (first, second) => first - second),
  plain(
    'subtract_timestamp_timestamp',
    [timestamp, timestamp],
    duration,
    (first: TimestampValue, second: TimestampValue) => checkedDuration(first.ns - second.ns),
  ),
  plain('subtract_timestamp_duration', [timestamp, duration], timestamp, (time: TimestampValue, span: DurationValue) =>
    checkedTimestamp(time.ns - span.ns),
  ),
  plain('subtract_duration_duration', [duration, duration], duration, (first: DurationValue, second: DurationValue) =>
    checkedDuration(first.ns - second.ns),
  ),
];

const sizes: readonly { readonly id: string; readonly type: CelType; readonly of: (value: never) => bigint }[] = [
  { id: 'string', type: string, of: ((value: string) => intOf(lengthOf(value))) as (value: never) => bigint },
  { id: 'bytes', type: bytes, of: ((value: Uint8Array) => intOf(value.length)) as (value: never) => bigint },
  { id: 'list', type: list(a), of: ((value: ListValue) => intOf(value.size)) as (value: never) => bigint },
  { id: 'map', type: map(a, b), of: ((value: MapValue) => intOf(value.size)) as (value: never) => bigint },
];

export const arithmetic: Library = {
  functions: {
    '_+_': plus,
    '_-_': minus,
    '_*_': [
      ofInts('multiply', (first, second) => first * second),
      ofUints('multiply', (first, second) => first * second),
      ofDoubles('multiply', (first, second) => first * second),
    ],
    '_/_': [
      ofInts('divide', divide),
      ofUints('divide', divide),
      ofDoubles('divide', (first, second) => first / second),
    ],
    '_%_': [ofInts('modulo', modulo), ofUints('modulo', modulo)],
    '-_': [
      plain('negate_int64', [int], int, (value: bigint) => checkedInt(-value)),
      plain('negate_double', [double], double, (value: number) => -value),
    ],
    '_[_]': [plain('index_list', [list(a), int], a, indexList), plain('index_map', [map(a, b), a], b, indexMap)],
    size: sizes.flatMap(({ id, type, of }) => [
      plain(`size_${id}`, [type], int, of),
      member(`${id}_size`, [type], int, of),
    ]),
  },
};
