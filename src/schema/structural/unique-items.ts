// Lists whose items must differ: by themselves, or by their keys.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, stringifyJson } from '../../base/json/json.ts';
import { duplicate, invalidValue } from '../../meta/field-errors.ts';
import type { FieldError } from '../../meta/status.ts';
import { additionalOf, itemsOf, keysOf, listTypeOf, remembersWhether, type Schema } from './schema.ts';

/** Where in a list each value stands first; values are the same whatever order their members have. */
export function distinctFrom(values: readonly JsonValue[]): readonly number[] {
  return firstAndSecond(values, identityOf).first;
}

function firstAndSecond(
  values: readonly JsonValue[],
  identify: (value: JsonValue) => string,
): { first: readonly number[]; second: readonly number[] } {
  const seen = new Map<string, number>();
  const [first, second]: [number[], number[]] = [[], []];
  for (let index = 0; index < values.length; index++) {
    const identity = identify(values[index] as JsonValue);
    const times = seen.get(identity) ?? 0;
    seen.set(identity, times + 1);
    if (times === 0) first.push(index);
    if (times === 1) second.push(index);
  }
  return { first, second };
}

/** The same text for the same values, and for no others. */
const identityOf = (value: JsonValue): string =>
  typeof value === 'string' ? `"${value}` : stringifyJson(sorted(value));

/** A form in which the same values are the same text. */
function sorted(value: JsonValue): JsonValue {
  if (Array.isArray(value)) return ['list', ...value.map(sorted)];
  if (!isJsonObject(value)) return value;
  const keys = Object.keys(value).sort();
  return ['object', ...keys.flatMap((key) => [key, sorted(value[key] as JsonValue)])];
}

const hasDistinctItems = remembersWhether((schema) => ['set', 'map'].includes(listTypeOf(schema) ?? ''));

/** Sets and keyed lists anywhere in a value that have something twice; each such thing is named once. */
export function repeatedItems(value: JsonValue, schema: Schema, at: string): readonly FieldError[] {
  if (!hasDistinctItems(schema)) return [];
  if (Array.isArray(value)) return repeatedInList(value, schema, at);
  if (!isJsonObject(value)) return [];
  const found: FieldError[] = [];
  const { properties = {} } = schema;
  const others = additionalOf(schema);
  for (const [key, member] of Object.entries(value)) {
    const one = getOwn(properties, key);
    if (one !== undefined) found.push(...repeatedItems(member, one, at === '' ? key : `${at}.${key}`));
    else if (others !== undefined) found.push(...repeatedItems(member, others, `${at}[${key}]`));
  }
  return found;
}

function repeatedInList(list: readonly JsonValue[], schema: Schema, at: string): readonly FieldError[] {
  const items = itemsOf(schema);
  const kind = listTypeOf(schema);
  const found: FieldError[] = [];
  if (kind === 'set') found.push(...repeated(list, at));
  if (kind === 'map') found.push(...repeatedKeys(list, keysOf(schema), at));
  if (items === undefined || !hasDistinctItems(items)) return found;
  for (const [index, item] of list.entries()) {
    found.push(...repeatedItems(item, items, `${at}[${index}]`));
  }
  return found;
}

function repeatedKeys(list: readonly JsonValue[], keys: readonly string[], at: string): readonly FieldError[] {
  const odd = list.findIndex((item) => item !== null && !isJsonObject(item));
  if (odd >= 0) return [invalidValue(`${at}[${odd}]`, list[odd], 'must be an object for an array of list-type map')];
  const { second } = firstAndSecond(list, (item) => identityOf(keyOf(item as JsonObject | null, keys)));
  return second.map((index) => duplicate(`${at}[${index}]`, keyOf(list[index] as JsonObject | null, keys)));
}

function keyOf(item: JsonObject | null, keys: readonly string[]): JsonObject {
  const present = keys.filter((key) => item !== null && Object.hasOwn(item, key));
  return Object.fromEntries(present.map((key) => [key, (item as JsonObject)[key] as JsonValue]));
}

function repeated(list: readonly JsonValue[], at: string): readonly FieldError[] {
  const { second } = firstAndSecond(list, identityOf);
  return second.map((index) => duplicate(`${at}[${index}]`, list[index]));
}
