// Reading fields, entries and items of values.

import { typeOf } from './type-of.ts';
import {
  type EntryMap,
  EvaluationError,
  ListValue,
  MapValue,
  none,
  noSuchKey,
  ObjectValue,
  OptionalValue,
  UintValue,
  type Value,
} from './values.ts';

export function fieldOf(value: Value, field: string): Value {
  if (value instanceof ObjectValue || value instanceof MapValue) {
    const entry = value.get(field);
    if (entry === undefined) throw noSuchKey(field);
    return entry;
  }
  if (value instanceof OptionalValue) return optionalIndexOf(value, field);
  if (value instanceof ListValue) positionOf(field);
  throw noSuchKey(field);
}

export function isPresent(value: Value, field: string): boolean {
  if (value instanceof ObjectValue) return value.has(field);
  if (value instanceof MapValue) return value.has(field);
  if (value instanceof OptionalValue) return value.value !== undefined && isPresent(value.value, field);
  if (value instanceof ListValue) positionOf(field);
  return false;
}

/** An index may be a number of any type that is whole. */
function positionOf(key: Value): number {
  const index = key instanceof UintValue ? key.value : key;
  if (typeof index !== 'number' && typeof index !== 'bigint')
    throw new EvaluationError(`unsupported index type '${typeOf(key)}' in list`);
  if (typeof index === 'number' && !Number.isInteger(index))
    throw new EvaluationError(`unsupported index value ${index} in list`);
  return Number(index);
}

/** Undefined when there is nothing at the index: null and numbers have nothing at any. */
function entryOf(value: Value, key: Value): Value | undefined {
  if (value instanceof ListValue) {
    const index = positionOf(key);
    return index >= 0 && index < value.size ? value.at(index) : undefined;
  }
  if (value instanceof MapValue) return value.get(key);
  return value instanceof ObjectValue && typeof key === 'string' ? value.get(key) : undefined;
}

export function indexOf(value: Value, key: Value): Value {
  if (value instanceof OptionalValue) return optionalIndexOf(value, key);
  const entry = entryOf(value, key);
  if (entry !== undefined) return entry;
  const shownKey = key instanceof UintValue ? key.value : key;
  throw value instanceof ListValue
    ? new EvaluationError(`index out of bounds: ${String(shownKey)}`)
    : noSuchKey(shownKey);
}

/** Of an optional, or with `[?key]` or `.?key`. */
export function optionalIndexOf(value: Value, key: Value): Value {
  const target = value instanceof OptionalValue ? value.value : value;
  const entry = target === undefined ? undefined : entryOf(target, key);
  return entry === undefined ? none : new OptionalValue(entry);
}

/** What an optional entry of a literal adds. */
export function present(value: Value): readonly Value[] {
  if (!(value instanceof OptionalValue))
    throw new EvaluationError('cannot initialize optional entry from non-optional value');
  return value.value === undefined ? [] : [value.value];
}

/** compat: of entries of a literal that have the same key the last one counts, and an empty optional takes the key away */
export function insertEntry(map: EntryMap, key: Value, value: Value, optional: boolean): void {
  const [shownKey] = optional ? present(value) : [value];
  map.delete(key);
  if (shownKey !== undefined) map.insert(key, shownKey);
}
