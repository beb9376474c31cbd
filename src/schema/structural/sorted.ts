// Custom resources are written with sorted keys: there is no order of declaration to follow.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';

/** An object has more members than it may. */
export class TooWideError extends Error {}

/**
 * The value with sorted keys everywhere; `value` itself where they are sorted already. Throws a `TooWideError` where an object
 * has more than `maxKeys`.
 */
export function sortedKeys(value: JsonValue, maxKeys = Number.POSITIVE_INFINITY): JsonValue {
  if (typeof value === 'bigint') return asHeld(value);
  if (Array.isArray(value)) return sortedItems(value, maxKeys);
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value);
  if (keys.length > maxKeys) throw new TooWideError();
  // a copy is only begun with the first member that changes: to make one of a large map takes longer than to look at it
  let result: JsonObject | undefined = isSorted(keys) ? undefined : {};
  if (result !== undefined) keys.sort();
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    const member = value[key] as JsonValue;
    const next = typeof member === 'object' || typeof member === 'bigint' ? sortedKeys(member, maxKeys) : member;
    if (result === undefined && next !== member) result = firstOf(value, keys, at);
    if (result !== undefined) setOwn(result, key, next);
  }
  return result ?? value;
}

/** The members of an object by its first keys. */
function firstOf(object: JsonObject, keys: readonly string[], count: number): JsonObject {
  const first: JsonObject = {};
  for (let at = 0; at < count; at++) setOwn(first, keys[at] as string, object[keys[at] as string] as JsonValue);
  return first;
}

function sortedItems(list: JsonValue[], maxKeys: number): JsonValue[] {
  let result: JsonValue[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue;
    const next = typeof item === 'object' || typeof item === 'bigint' ? sortedKeys(item, maxKeys) : item;
    if (next === item) continue;
    result ??= [...list];
    result[i] = next;
  }
  return result ?? list;
}

/** compat: an integer of a custom resource that 64 bits do not hold is a floating number */
const asHeld = (value: bigint): JsonValue => (BigInt.asIntN(64, value) === value ? value : Number(value));

/** Keys that look like positions are always first, and in their own order: those are as sorted as they can be. */
function isSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) {
    const [before, key] = [keys[i - 1] as string, keys[i] as string];
    if (before > key && !/^\d+$/.test(before)) return false;
  }
  return true;
}
