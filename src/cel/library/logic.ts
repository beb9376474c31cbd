// Logic, equality, order and membership.

import { type Library, type Overload, plain } from '../declarations.ts';
import { compare, equals } from '../equality.ts';
import {
  bool,
  bytes,
  type CelType,
  double,
  duration,
  int,
  list,
  map,
  param,
  string,
  timestamp,
  uint,
} from '../types.ts';
import { type ListValue, MapValue, noSuchOverload, type ObjectValue, type Value } from '../values.ts';

const a = param('A');
const b = param('B');

/** Evaluated by the plan itself: they do not need both of their arguments. */
const byPlan = (): Value => {
  throw noSuchOverload();
};

const numbers: readonly (readonly [string, CelType])[] = [
  ['int64', int],
  ['uint64', uint],
  ['double', double],
];
const ordered: readonly (readonly [string, CelType])[] = [
  ['bool', bool],
  ['string', string],
  ['bytes', bytes],
  ['timestamp', timestamp],
  ['duration', duration],
];

/** How two values of one type of numbers compare, without asking what they are. */
type Direct = (first: number | bigint, second: number | bigint) => boolean;

/** One overload for each type that has an order, and for each two kinds of numbers. */
function orderOverloads(name: string, test: (order: number) => boolean, direct: Direct): Overload[] {
  const run = (first: Value, second: Value): Value => {
    const order = compare(first, second);
    return order !== undefined && test(order);
  };
  const same = [...numbers, ...ordered].map(([id, type]) =>
    plain(`${name}_${id}`, [type, type], bool, type === int || type === double ? direct : run),
  );
  const mixed = numbers.flatMap(([first, firstType]) =>
    numbers
      .filter(([second]) => second !== first)
      .map(([second, secondType]) => plain(`${name}_${first}_${second}`, [firstType, secondType], bool, run)),
  );
  return [...same, ...mixed];
}

export function isIn(value: Value, items: ListValue): boolean {
  for (let index = 0; index < items.size; index++) if (equals(items.at(index), value)) return true;
  return false;
}

/** Objects are maps too, behind `dyn`. */
const isKeyOf = (key: Value, entries: MapValue | ObjectValue): boolean =>
  entries instanceof MapValue ? entries.has(key) : entries.get(key as string) !== undefined;

export const logic: Library = {
  functions: {
    '_&&_': [plain('logical_and', [bool, bool], bool, byPlan)],
    '_||_': [plain('logical_or', [bool, bool], bool, byPlan)],
    '_?_:_': [plain('conditional', [bool, a, a], a, byPlan)],
    '@not_strictly_false': [plain('not_strictly_false', [bool], bool, byPlan)],
    '!_': [plain('logical_not', [bool], bool, (value: boolean) => !value)],
    '_==_': [plain('equals', [a, a], bool, equals)],
    '_!=_': [plain('not_equals', [a, a], bool, (first, second) => !equals(first as Value, second as Value))],
    '_<_': orderOverloads(
      'less',
      (order) => order < 0,
      (first, second) => first < second,
    ),
    '_<=_': orderOverloads(
      'less_equals',
      (order) => order <= 0,
      (first, second) => first <= second,
    ),
    '_>_': orderOverloads(
      'greater',
      (order) => order > 0,
      (first, second) => first > second,
    ),
    '_>=_': orderOverloads(
      'greater_equals',
      (order) => order >= 0,
      (first, second) => first >= second,
    ),
    '@in': [plain('in_list', [a, list(a)], bool, isIn), plain('in_map', [a, map(a, b)], bool, isKeyOf)],
  },
};
