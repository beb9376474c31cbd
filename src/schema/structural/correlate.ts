// Which part of an old value a part of a new one stands for.

import { getOwn, isJsonObject, isSameJson, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { additionalOf, itemsOf, keysOf, listTypeOf, type Schema } from './schema.ts';

/** Which item a list had before with the keys of another; only lists that are maps have such. */
export function oldItems(schema: Schema, old: JsonValue | undefined): (item: JsonValue) => JsonValue | undefined {
  if (listTypeOf(schema) !== 'map' || !Array.isArray(old)) return () => undefined;
  const keys = keysOf(schema);
  const known = new Map<string, JsonValue>();
  for (const item of old) {
    const id = idOf(item, keys);
    if (id !== undefined && !known.has(id)) known.set(id, item);
  }
  return (item) => known.get(idOf(item, keys) ?? '');
}

function idOf(item: JsonValue, keys: readonly string[]): string | undefined {
  if (!isJsonObject(item)) return undefined;
  const values = keys.map((key) => getOwn(item, key));
  const isComplete = values.every((value) => value !== undefined && value !== null && typeof value !== 'object');
  return isComplete ? JSON.stringify(values.map((value) => [typeof value, String(value)])) : undefined;
}

/** What a member was before; undefined where there was none. */
export function oldMember(old: JsonValue | undefined, key: string): JsonValue | undefined {
  return isJsonObject(old) ? getOwn(old, key) : undefined;
}

/**
 * Whether a value is what it was, so that what is wrong with it may stay. Items of lists that are maps are compared by their
 * keys, wherever they stand.
 */
export function isUnchanged(value: JsonValue, old: JsonValue, schema: Schema): boolean {
  if (Array.isArray(value) && Array.isArray(old)) return hasSameItems(value, old, schema);
  if (isJsonObject(value) && isJsonObject(old)) return hasSameMembers(value, old, schema);
  return isSameJson(value, old);
}

function hasSameItems(value: readonly JsonValue[], old: readonly JsonValue[], schema: Schema): boolean {
  if (value.length !== old.length) return false;
  if (listTypeOf(schema) !== 'map') return isSameJson(value, old);
  const items = itemsOf(schema);
  const before = oldItems(schema, old as JsonValue);
  return value.every((item) => {
    const was = before(item);
    return was !== undefined && items !== undefined && isUnchanged(item, was, items);
  });
}

/** compat: an object with members that its schema does not describe always counts as changed */
function hasSameMembers(value: JsonObject, old: JsonObject, schema: Schema): boolean {
  const keys = Object.keys(value);
  if (keys.length !== Object.keys(old).length) return false;
  return keys.every((key) => {
    const was = getOwn(old, key);
    const own = getOwn(schema.properties ?? {}, key) ?? additionalOf(schema);
    return was !== undefined && own !== undefined && isUnchanged(value[key] as JsonValue, was, own);
  });
}
