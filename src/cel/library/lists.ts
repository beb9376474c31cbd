// Lists: sums and extremes, positions, order, and new lists from old ones; also maps that comprehensions make.

import { type Library, member, type Overload, plain } from '../declarations.ts';
import { compare, equals } from '../equality.ts';
import { checkedDuration } from '../time.ts';
import {
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  list,
  map,
  param,
  string,
  timestamp,
  uint,
} from '../types.ts';
import {
  checkedItems,
  DurationValue,
  EntryMap,
  EvaluationError,
  ListValue,
  type MapValue,
  noSuchOverload,
  UintValue,
  type Value,
} from '../values.ts';
import { perItem, work } from '../work.ts';
import { checkedInt, checkedUint } from './arithmetic.ts';

const t = param('T');
const k = param('K');
const v = param('V');

const comparable: readonly (readonly [string, CelType])[] = [
  ['int', int],
  ['uint', uint],
  ['double', double],
  ['bool', bool],
  ['duration', duration],
  ['timestamp', timestamp],
  ['string', string],
  ['bytes', bytes],
];

const ofComparable = (name: string, result: (item: CelType) => CelType, run: (items: ListValue) => Value): Overload[] =>
  comparable.map(([id, type]) => member(`list_${id}_${name}`, [list(type)], result(type), run));

function ordered(a: Value, b: Value): number {
  const order = compare(a, b);
  if (order === undefined) throw noSuchOverload();
  return order;
}

function isSorted(items: ListValue): boolean {
  work(items.size * perItem);
  for (let index = 1; index < items.size; index++) if (ordered(items.at(index - 1), items.at(index)) > 0) return false;
  return true;
}

const extreme = (name: string, sign: 1 | -1) => (items: ListValue) => {
  if (items.size === 0) throw new EvaluationError(`${name} called on empty list`);
  return items.toArray().reduce((best, item) => (sign * ordered(item, best) > 0 ? item : best));
};

function add(a: Value, b: Value): Value {
  if (typeof a === 'bigint' && typeof b === 'bigint') return checkedInt(a + b);
  if (typeof a === 'number' && typeof b === 'number') return a + b;
  if (a instanceof UintValue && b instanceof UintValue) return checkedUint(a.value + b.value);
  if (a instanceof DurationValue && b instanceof DurationValue) return checkedDuration(a.ns + b.ns);
  throw noSuchOverload();
}

/** For a list of `dyn`, the first item decides the type of the sum. */
function sum(items: ListValue, zero: Value): Value {
  const [first, ...rest] = items.toArray();
  if (first === undefined) return zero;
  const isSummable = typeof first === 'bigint' || typeof first === 'number' || isWrappedNumber(first);
  if (!isSummable) throw new EvaluationError('no such overload: sum(list)');
  return rest.reduce(add, first);
}

const isWrappedNumber = (value: Value): boolean => value instanceof UintValue || value instanceof DurationValue;

const sums: readonly (readonly [string, CelType, Value])[] = [
  ['int', int, 0n],
  ['uint', uint, new UintValue(0n)],
  ['double', double, 0],
  ['duration', duration, new DurationValue(0n)],
];

const positionOf = (last: boolean) => (items: ListValue, sought: Value) => {
  const all = items.toArray();
  return BigInt(
    last ? all.findLastIndex((item) => equals(item, sought)) : all.findIndex((item) => equals(item, sought)),
  );
};

function slice(items: ListValue, start: bigint, end: bigint): Value {
  if (start < 0n || end < 0n)
    throw new EvaluationError(`cannot slice(${start}, ${end}), negative indexes not supported`);
  if (start > end)
    throw new EvaluationError(`cannot slice(${start}, ${end}), start index must be less than or equal to end index`);
  if (end > items.size) throw new EvaluationError(`cannot slice(${start}, ${end}), list is length ${items.size}`);
  const length = Number(end - start);
  return new ListValue(Array.from({ length }, (_, index) => items.at(Number(start) + index)));
}

function flatten(items: ListValue, depth = 1n): Value {
  if (depth < 0n) throw new EvaluationError('level must be non-negative');
  const flat: Value[] = [];
  // a list is not nested deeper than the expression or the JSON that it came from
  const add = (list: ListValue, left: bigint): void => {
    work(perItem + (list.size * perItem) / 2);
    for (let index = 0; index < list.size; index++) {
      const item = list.at(index);
      if (item instanceof ListValue && left > 0n) add(item, left - 1n);
      else checkedItems(flat.push(item));
    }
  };
  add(items, depth);
  return new ListValue(flat);
}

function distinct(items: ListValue): Value {
  const simple = new Set<Value>();
  const others: Value[] = [];
  const uniqueItems: Value[] = [];
  for (const item of items.toArray()) {
    const isSimple = typeof item === 'string' || typeof item === 'boolean';
    if (isSimple ? simple.has(item) : others.some((other) => equals(other, item))) continue;
    if (isSimple) simple.add(item);
    else others.push(item);
    uniqueItems.push(item);
  }
  return new ListValue(uniqueItems);
}

function range(count: bigint): Value {
  const length = count < 0n ? 0 : checkedItems(Number(count));
  return new ListValue(Array.from({ length }, (_, index) => BigInt(index)));
}

function sortBy(items: ListValue, keys: ListValue): Value {
  const order = items.toArray().map((item, index) => ({ item, key: keys.at(index) }));
  order.sort((a, b) => ordered(a.key, b.key));
  return new ListValue(order.map(({ item }) => item));
}

/** The map of a comprehension grows in place. */
const grown = (entries: MapValue): EntryMap => {
  if (!(entries instanceof EntryMap)) throw noSuchOverload();
  return entries.growing ? entries : entries.copy();
};

function insert(entries: MapValue, key: Value, value: Value): Value {
  const target = grown(entries);
  target.insert(key, value);
  return target;
}

function insertAll(entries: MapValue, more: MapValue): Value {
  const target = grown(entries);
  for (const key of more.keys()) target.insert(key, more.get(key) as Value);
  return target;
}

export const lists: Library = {
  functions: {
    isSorted: ofComparable('is_sorted', () => bool, isSorted),
    min: ofComparable('min', (type) => type, extreme('min', -1)),
    max: ofComparable('max', (type) => type, extreme('max', 1)),
    sum: sums.map(([id, type, zero]) =>
      member(`list_${id}_sum`, [list(type)], type, (items: ListValue) => sum(items, zero)),
    ),
    indexOf: [member('list_a_index_of_int', [list(t), t], int, positionOf(false))],
    lastIndexOf: [member('list_a_last_index_of_int', [list(t), t], int, positionOf(true))],
    'cel.@mapInsert': [
      plain('@mapInsert_map_key_value', [map(k, v), k, v], map(k, v), insert),
      plain('@mapInsert_map_map', [map(k, v), map(k, v)], map(k, v), insertAll),
    ],
  },
};

/** What came with release 1.34. */
export const newerLists: Library = {
  since: 34,
  functions: {
    slice: [member('list_slice', [list(t), int, int], list(t), slice)],
    flatten: [
      member('list_flatten', [list(list(t))], list(t), flatten),
      member('list_flatten_int', [list(dyn), int], list(dyn), flatten),
    ],
    distinct: [member('list_distinct', [list(t)], list(t), distinct)],
    reverse: [
      member('list_reverse', [list(t)], list(t), (items: ListValue) => new ListValue([...items.toArray()].reverse())),
    ],
    sort: ofComparable('sort', list, (items) => new ListValue([...items.toArray()].sort(ordered))),
    '@sortByAssociatedKeys': comparable.map(([id, type]) =>
      member(`list_${id}_sortByAssociatedKeys`, [list(t), list(type)], list(t), sortBy),
    ),
    'lists.range': [plain('lists_range', [int], list(int), range)],
  },
};
