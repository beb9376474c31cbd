// Changes of what is in a value, by the schemas of its parts. Nothing is copied where nothing changes.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { additionalOf, itemsOf, type Schema } from './schema.ts';

/** What becomes of a member or an item; undefined where a member goes. `key` is its name or its position. */
type ChangePart = (value: JsonValue, schema: Schema | undefined, key: string | number) => JsonValue | undefined;

/** Where a part stands: positions and keys of maps are in brackets. */
export function partPath(at: string, { properties = {} }: Schema, key: string | number): string {
  if (typeof key === 'number' || !Object.hasOwn(properties, key)) return `${at}[${key}]`;
  return at === '' ? key : `${at}.${key}`;
}

/** The schema of one member of an object; undefined where nothing is said about it. */
function memberSchema(schema: Schema, key: string): Schema | undefined {
  return getOwn(schema.properties ?? {}, key) ?? additionalOf(schema);
}

/** The value with its parts changed; the very value where none of them changes. */
export function changeParts(value: JsonValue, schema: Schema, change: ChangePart): JsonValue {
  if (Array.isArray(value)) return changeItems(value, itemsOf(schema), change);
  return isJsonObject(value) ? changeMembers(value, schema, change) : value;
}

function changeItems(list: JsonValue[], items: Schema | undefined, change: ChangePart): JsonValue[] {
  let result: JsonValue[] | undefined;
  for (let i = 0; i < list.length; i++) {
    const item = list[i] as JsonValue;
    const next = change(item, items, i) ?? null;
    if (next === item) continue;
    result ??= [...list];
    result[i] = next;
  }
  return result ?? list;
}

function changeMembers(object: JsonObject, schema: Schema, change: ChangePart): JsonObject {
  let result: JsonObject | undefined;
  for (const key of Object.keys(object)) {
    const member = object[key] as JsonValue;
    const next = change(member, memberSchema(schema, key), key);
    if (next === member) continue;
    result ??= { ...object };
    if (next === undefined) delete result[key];
    else setOwn(result, key, next);
  }
  return result ?? object;
}
