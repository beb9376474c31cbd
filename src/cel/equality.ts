// Equality and order of values: numbers of different types compare by what they are worth.

import { adapterOf } from './adapt.ts';
import { KeyedList } from './keyed-list.ts';
import { dyn } from './types.ts';
import {
  DurationValue,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from './values.ts';
import { perComparedCharacter, perEntry, perItem, work, workOnText } from './work.ts';

const asAny = adapterOf(dyn);

export function equals(a: Value, b: Value): boolean {
  if (typeof a === 'string') return typeof b === 'string' && equalTexts(a, b);
  if (a === b) return true;
  const first = numberOf(a);
  if (first !== undefined) {
    const second = numberOf(b);
    return second !== undefined && order(first, second) === 0;
  }
  return typeof a === 'object' && typeof b === 'object' && a !== null && b !== null && equalObjects(a, b);
}

function equalTexts(a: string, b: string): boolean {
  if (a.length !== b.length) return false;
  workOnText(a, perComparedCharacter);
  return a === b;
}

/** Undefined for other values than numbers. */
function numberOf(value: Value): number | bigint | undefined {
  if (typeof value === 'number' || typeof value === 'bigint') return value;
  return value instanceof UintValue ? value.value : undefined;
}

function equalObjects(a: Value & object, b: Value & object): boolean {
  if (a instanceof ListValue) return b instanceof ListValue && equalLists(a, b);
  if (a instanceof MapValue) return b instanceof MapValue && equalMaps(a, b);
  if (a instanceof ObjectValue) return b instanceof ObjectValue && equalFields(a, b);
  if (a instanceof Uint8Array) return b instanceof Uint8Array && Buffer.compare(a, b) === 0;
  if (a instanceof TimestampValue) return b instanceof TimestampValue && a.ns === b.ns;
  if (a instanceof DurationValue) return b instanceof DurationValue && a.ns === b.ns;
  if (a instanceof TypeValue) return b instanceof TypeValue && a.name === b.name;
  if (a instanceof OptionalValue) return b instanceof OptionalValue && equalOptionals(a, b);
  if (a instanceof OpaqueValue) return b instanceof OpaqueValue && a.type.name === b.type.name && a.equals(b);
  return false;
}

function equalLists(a: ListValue, b: ListValue): boolean {
  if (a instanceof KeyedList) return a.isLike(b, equals);
  if (a.size !== b.size) return false;
  for (let index = 0; index < a.size; index++) {
    work(perItem);
    if (!equals(a.at(index), b.at(index))) return false;
  }
  return true;
}

function equalMaps(a: MapValue, b: MapValue): boolean {
  if (a.size !== b.size) return false;
  for (const key of a.keys()) {
    work(perEntry);
    const other = b.get(key);
    if (other === undefined || !equals(a.get(key) as Value, other)) return false;
  }
  return true;
}

function equalFields(a: ObjectValue, b: ObjectValue): boolean {
  if (a.type.fields.name !== b.type.fields.name) return false;
  const names = new Set([...Object.keys(a.source), ...Object.keys(b.source)]);
  for (const name of names) {
    work(perEntry);
    const first = a.member(name, asAny);
    const second = b.member(name, asAny);
    if (first === undefined || second === undefined ? first !== second : !equals(first, second)) return false;
  }
  return true;
}

function equalOptionals(a: OptionalValue, b: OptionalValue): boolean {
  if (a.value === undefined || b.value === undefined) return a.value === b.value;
  return equals(a.value, b.value);
}

/** Negative, zero or positive; undefined when the values have no order, as NaN has none. */
export function compare(a: Value, b: Value): number | undefined {
  const first = numberOf(a);
  if (first !== undefined) {
    const second = numberOf(b);
    return second === undefined ? undefined : order(first, second);
  }
  if (typeof a === 'string') return typeof b === 'string' ? compareTexts(a, b) : undefined;
  if (typeof a === 'boolean') return typeof b === 'boolean' ? Number(a) - Number(b) : undefined;
  if (a instanceof Uint8Array) return b instanceof Uint8Array ? Buffer.compare(a, b) : undefined;
  if (a instanceof TimestampValue) return b instanceof TimestampValue ? order(a.ns, b.ns) : undefined;
  if (a instanceof DurationValue) return b instanceof DurationValue ? order(a.ns, b.ns) : undefined;
  return undefined;
}

/** An integer is rounded to a double when it is compared with one, as the language's own suite wants it. */
function order(a: number | bigint, b: number | bigint): number | undefined {
  if (typeof a !== typeof b) return order(Number(a), Number(b));
  if (a < b) return -1;
  if (a > b) return 1;
  return a === b ? 0 : undefined;
}

/** Of work: comparing the order of two characters. */
const perOrderedCharacter = 4;

/** By code points: UTF-16 puts the characters from U+E000 on after those beyond U+FFFF. */
function compareTexts(a: string, b: string): number {
  const length = Math.min(a.length, b.length);
  for (let index = 0; index < length; index++) {
    const first = a.charCodeAt(index);
    const second = b.charCodeAt(index);
    if (first === second) continue;
    work(index * perOrderedCharacter);
    return pointRank(first) - pointRank(second);
  }
  work(length * perOrderedCharacter);
  return a.length - b.length;
}

const pointRank = (unit: number): number => (unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit);
