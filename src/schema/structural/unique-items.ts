// Lists whose items must differ: by themselves, or by their keys.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../../base/json.ts';
import { duplicate, invalidValue } from '../../meta/field-errors.ts';
import type { FieldError } from '../../meta/status.ts';
import { additionalOf, itemsOf, keysOf, listTypeOf, remembersWhether, type Schema } from './schema.ts';

/** Where in a list each value stands first; values are the same whatever order their members have. */
export function distinctFrom(values: readonly JsonValue[]): readonly number[] {
  return firstAndSecond(values).first;
}

function firstAndSecond(values: readonly JsonValue[]): { first: readonly number[]; second: readonly number[] } {
  const seen = new Map<string, number>();
  const [first, second]: [number[], number[]] = [[], []];
  for (const [index, value] of values.entries()) {
    const key = stringifyJson(sorted(value));
    const times = seen.get(key) ?? 0;
    seen.set(key, times + 1);
    if (times === 0) first.push(index);
    if (times === 1) second.push(index);
  }
  return { first, second };
}

/** A form in which the same values are the same text. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)];
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return ['object', ...keys.flatMap((key) => [key, sorted(value[key] as JsonValue)])];
}

const hasDistinctItems = remembersWhether((schema) => ['set', 'map'].includes(listTypeOf(schema) ?? ''));

/** Sets and keyed lists anywhere in a value that have something twice; each such thing is named once. */
export function validateUniqueItems(value: JsonValue, schema: Schema, at: string): readonly FieldError[] {
  if (!hasDistinctItems(schema)) return [];
  if (Array.isArray(value)) return validateList(value, schema, at);
  if (!isJsonObject(value)) return [];
  const { properties = {} } = schema;
  const others = additionalOf(schema);
  return Object.entries(value).flatMap(([key, member]) => {
    const one = getOwn(properties, key);
    if (one !== undefined) return validateUniqueItems(member, one, at === '' ? key : `${at}.${key}`);
    return others === undefined ? [] : validateUniqueItems(member, others, `${at}[${key}]`);
  });
}

function validateList(list: readonly JsonValue[], schema: Schema, at: string): readonly FieldError[] {
  const items = itemsOf(schema);
  const kind = listTypeOf(schema);
  return [
    ...(kind === 'set' ? repeated(list, at) : []),
    ...(kind === 'map' ? validateKeyed(list, keysOf(schema), at) : []),
    ...(items ? list.flatMap((item, index) => validateUniqueItems(item, items, `${at}[${index}]`)) : []),
  ];
}

function validateKeyed(list: readonly JsonValue[], keys: readonly string[], at: string): readonly FieldError[] {
  const odd = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (odd >= 0) return [invalidValue(`${at}[${odd}]`, list[odd], 'must be an object for an array of list-type map')];
  return repeated(
    list.map((item) => keyOf(item as JsonObject | null, keys)),
    at,
  );
}

function keyOf(item: JsonObject | null, keys: readonly string[]): JsonObject {
  const present = keys.filter((key) => item !== null && Object.hasOwn(item, key));
  return Object.fromEntries(present.map((key) => [key, (item as JsonObject)[key] as JsonValue]));
}

function repeated(values: readonly JsonValue[], at: string): readonly FieldError[] {
  return firstAndSecond(values).second.map((index) => duplicate(`${at}[${index}]`, values[index]));
}
