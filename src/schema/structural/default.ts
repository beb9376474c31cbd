// Defaults of a structural schema, and nulls that stand for nothing.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { shallowCopy } from '../../base/maps/with-fields.ts';
import { memoized } from '../../base/memoized.ts';
import type { DefaultsBudget } from './defaults-budget.ts';
import { prune } from './prune.ts';
import { innerSchemas, remembersWhether, type Schema } from './schema.ts';
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
export function applyDefaults(value: JsonValue, schema: Schema | undefined, budget: DefaultsBudget): JsonValue {
  if (schema === undefined || !hasDefaults(schema)) return value;
  return applyInnerDefaults(isJsonObject(value) ? withMissing(value, schema, budget) : value, schema, budget);
}

/** The defaults of what is in the value: it has no member more. */
function applyInnerDefaults(value: JsonValue, schema: Schema | undefined, budget: DefaultsBudget): JsonValue {
  if (schema === undefined || !hasDefaults(schema)) return value;
  return changeParts(value, schema, (part, inner, key) => {
    const given = isRefusedNull(part, inner) ? (freshDefault(inner as Schema, String(key), budget) ?? part) : part;
    return applyDefaults(given, inner, budget);
  });
}

function withMissing(object: JsonObject, schema: Schema, budget: DefaultsBudget): JsonObject {
  let result: JsonObject | undefined;
  for (const { key, inner } of defaultedMembers(schema)) {
    if (Object.hasOwn(object, key)) continue;
    result ??= shallowCopy(object);
    setOwn(result, key, freshDefault(inner, key, budget) as JsonValue);
  }
  return result ?? object;
}

interface Defaulted {
  readonly key: string;
  readonly inner: Schema;
}

/** Members that have a default; found out once. */
const defaultedMembers = memoized((schema: Schema): readonly Defaulted[] => {
  const members = Object.entries(schema.properties ?? {}).map(([key, inner]) => ({ key, inner }));
  return members.filter(({ inner }) => defaultOf(inner) !== undefined);
});

/** Whether something in a value of the schema has a default. */
export const hasDefaults = remembersWhether((schema) =>
  innerSchemas(schema).some((inner) => defaultOf(inner) !== undefined),
);

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

/** The default of a schema is this one, without a look at what the schema knows. */
export function keepDefault(schema: Schema, value: JsonValue): void {
  pruned.set(schema, value);
}

function freshDefault(schema: Schema, key: string, budget: DefaultsBudget): JsonValue | undefined {
  const value = defaultOf(schema);
  if (value === undefined) return undefined;
  budget.charge(value, key);
  return copyOf(value);
}

/** Callers may change what they get. */
function copyOf(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return value.map(copyOf);
  if (!isJsonObject(value)) return value;
  const copy: JsonObject = {};
  for (const key of Object.keys(value)) setOwn(copy, key, copyOf(value[key] as JsonValue));
  return copy;
}
