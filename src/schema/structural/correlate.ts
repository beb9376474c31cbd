// Which part of an old value a part of a new one stands for.

import { getOwn, isJsonObject, type JsonValue } from '../../base/json.ts';
import { keysOf, listTypeOf, type Schema } from './schema.ts';

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
