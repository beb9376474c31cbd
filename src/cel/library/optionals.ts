// Optional values.

import { type Library, member, plain } from '../declarations.ts';
import { bool, dyn, int, list, map, optional, param } from '../types.ts';
import {
  DurationValue,
  EvaluationError,
  ListValue,
  MapValue,
  none,
  noSuchOverload,
  OptionalValue,
  TimestampValue,
  UintValue,
  type Value,
} from '../values.ts';

const v = param('V');
const k = param('K');

/** Done by the plan, which does not look at the second argument when the first has a value. */
const byPlan = (): Value => {
  throw noSuchOverload();
};

/** Go's zero time: the first of January of the year 1. */
const yearOne = -62_135_596_800n * 1_000_000_000n;

function isZero(value: Value): boolean {
  if (value instanceof ListValue || value instanceof MapValue) return value.size === 0;
  if (value instanceof UintValue) return value.value === 0n;
  if (value instanceof DurationValue) return value.ns === 0n;
  if (value instanceof TimestampValue) return value.ns === yearOne;
  if (value instanceof Uint8Array) return value.length === 0;
  if (value instanceof OptionalValue) return value.value === undefined;
  return value === null || value === false || value === 0 || value === 0n || value === '';
}

function unwrapped({ value }: OptionalValue): Value {
  if (value === undefined) throw new EvaluationError('optional.none() dereference');
  return value;
}

const at = (items: ListValue, index: number): Value =>
  index >= 0 && index < items.size ? new OptionalValue(items.at(index)) : none;

const unwrap = (items: ListValue): Value =>
  new ListValue(
    items.toArray().flatMap((item) => {
      if (!(item instanceof OptionalValue)) throw new EvaluationError('value is not an optional');
      return item.value === undefined ? [] : [item.value];
    }),
  );

export const optionals: Library = {
  types: [optional(dyn)],
  functions: {
    'optional.none': [plain('optional_none', [], optional(v), () => none)],
    'optional.of': [plain('optional_of', [v], optional(v), (value: Value) => new OptionalValue(value))],
    'optional.ofNonZeroValue': [
      plain('optional_ofNonZeroValue', [v], optional(v), (value: Value) =>
        isZero(value) ? none : new OptionalValue(value),
      ),
    ],
    'optional.unwrap': [plain('optional_unwrap', [list(optional(v))], list(v), unwrap)],
    unwrapOpt: [member('optional_unwrapOpt', [list(optional(v))], list(v), unwrap)],
    value: [member('optional_value', [optional(v)], v, unwrapped)],
    hasValue: [member('optional_hasValue', [optional(v)], bool, ({ value }: OptionalValue) => value !== undefined)],
    or: [member('optional_or_optional', [optional(v), optional(v)], optional(v), byPlan)],
    orValue: [member('optional_orValue_value', [optional(v), v], v, byPlan)],
    first: [member('list_first', [list(v)], optional(v), (items: ListValue) => at(items, 0))],
    last: [member('list_last', [list(v)], optional(v), (items: ListValue) => at(items, items.size - 1))],
    '_[_]': [
      plain('optional_list_index_value', [optional(list(v)), int], optional(v), byPlan),
      plain('optional_map_index_value', [optional(map(k, v)), k], optional(v), byPlan),
    ],
    '_[?_]': [
      plain('list_optindex_optional_int', [list(v), int], optional(v), byPlan),
      plain('optional_list_optindex_optional_int', [optional(list(v)), int], optional(v), byPlan),
      plain('map_optindex_optional_value', [map(k, v), k], optional(v), byPlan),
      plain('optional_map_optindex_optional_value', [optional(map(k, v)), k], optional(v), byPlan),
    ],
  },
};
