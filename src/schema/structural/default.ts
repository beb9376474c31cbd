// Defaults of a structural schema, and nulls that stand for nothing.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import { prune } from './prune.ts';
import { innerSchemas, type Schema } from './schema.ts';
import { changeParts } from './walk-members.ts';

const isRefusedNull = (value: JsonValue, schema: Schema | undefined): boolean =>
  value === null && schema !== undefined && schema.nullable !== true;

/** The value without members that are null although their schema does not allow it, unless a default takes their place. */
export function dropNulls(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (schema === undefined) return value;
  return changeParts(value, schema, (part, inner) => {
    const goes = isRefusedNull(part, inner) && defaultOf(inner as Schema) === undefined && !Array.isArray(value);
    return goes ? undefined : dropNulls(part, inner);
  });
}

/** The value with the defaults of its schema filled in; the very value where nothing is missing. */
export function applyDefaults(value: JsonValue, schema: Schema | undefined): JsonValue {
  if (schema === undefined || !hasDefaults(schema)) return value;
  const filled = isJsonObject(value) ? withMissing(value, schema) : value;
  return changeParts(filled, schema, (part, inner) => {
    const given = isRefusedNull(part, inner) ? (freshDefault(inner as Schema) ?? part) : part;
    return applyDefaults(given, inner);
  });
}

function withMissing(object: JsonObject, { properties = {} }: Schema): JsonObject {
  let result: JsonObject | undefined;
  for (const key of Object.keys(properties)) {
    if (Object.hasOwn(object, key)) continue;
    const value = freshDefault(properties[key] as Schema);
    if (value === undefined) continue;
    result ??= { ...object };
    setOwn(result, key, value);
  }
  return result ?? object;
}

const withDefaults = new WeakMap<Schema, boolean>();

/** Whether something in a value of the schema has a default; found out once. */
function hasDefaults(schema: Schema): boolean {
  let found = withDefaults.get(schema);
  if (found === undefined) {
    found = innerSchemas(schema).some((inner) => defaultOf(inner) !== undefined || hasDefaults(inner));
    withDefaults.set(schema, found);
  }
  return found;
}

const pruned = new WeakMap<Schema, JsonValue>();

/** The default without what its own schema does not know; null is none. */
function defaultOf(schema: Schema): JsonValue | undefined {
  const given = getOwn(schema as Record<string, JsonValue>, 'default');
  if (given === undefined || given === null || typeof given !== 'object') return given ?? undefined;
  let known = pruned.get(schema);
  if (known === undefined) {
    known = prune(given, schema);
    pruned.set(schema, known);
  }
  return known;
}

function freshDefault(schema: Schema): JsonValue | undefined {
  const value = defaultOf(schema);
  return typeof value === 'object' ? structuredClone(value) : value;
}
