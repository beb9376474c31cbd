// Whether two values of a type say the same thing. Amounts may be written in several ways, 1Gi and 1073741824, and what is not
// set may be missing, null or empty. Rules about what may change, and the count of changes, go by what a value means.

import { isJsonObject, isSameJson, type JsonObject } from '../base/json/json.ts';
import { memoized } from '../base/memoized.ts';
import { compareQuantities, parseQuantity } from '../meta/quantity.ts';
import type { ObjectType } from './object-type.ts';
import type { Field, SchemaType, StructType } from './types.ts';

/** Two values in canonical form. */
export function meansSame(type: SchemaType, a: unknown, b: unknown): boolean {
  return isSameJson(a, b) || isSame(type, a ?? undefined, b ?? undefined);
}

/** The same for a field of objects, by its name; what a user's schema describes means what it says. */
export function fieldMeansSame(type: ObjectType, name: string, a: unknown, b: unknown): boolean {
  if (isSameJson(a, b)) return true;
  const field = type.is === 'struct' ? fieldsOf(type).get(name) : undefined;
  return field !== undefined && isSameField(field, a, b);
}

function isSame(type: SchemaType, a: unknown, b: unknown): boolean {
  if (a === b) return true;
  switch (type.is) {
    case 'scalar':
      return type.name === 'quantity' ? isSameAmount(a, b) : isSameJson(a, b);
    case 'list':
      return isSameList(type.of, a ?? [], b ?? []);
    case 'map':
      return isSameMap(type.of, a ?? {}, b ?? {});
    case 'struct':
      return isJsonObject(a) && isJsonObject(b) && isSameStruct(type, a, b);
    case 'union':
      return isSameJson(a, b);
  }
}

function isSameAmount(a: unknown, b: unknown): boolean {
  const [one, other] = [a, b].map((text) => (typeof text === 'string' ? parseQuantity(text) : undefined));
  return one !== undefined && other !== undefined && compareQuantities(one, other) === 0;
}

function isSameList(of: SchemaType, a: unknown, b: unknown): boolean {
  if (!Array.isArray(a) || !Array.isArray(b) || a.length !== b.length) return false;
  return a.every((item, index) => isSame(of, item, b[index]));
}

function isSameMap(of: SchemaType, a: unknown, b: unknown): boolean {
  if (!isJsonObject(a) || !isJsonObject(b)) return false;
  const keys = Object.keys(a);
  if (keys.length !== Object.keys(b).length) return false;
  return keys.every((key) => Object.hasOwn(b, key) && isSame(of, a[key], b[key]));
}

function isSameStruct(type: StructType, a: JsonObject, b: JsonObject): boolean {
  const fields = fieldsOf(type);
  const isSameAt = (name: string): boolean => {
    const field = fields.get(name);
    return field === undefined ? isSameJson(a[name], b[name]) : isSameField(field, a[name], b[name]);
  };
  for (const name of Object.keys(a)) if (!isSameAt(name)) return false;
  for (const name of Object.keys(b)) if (!Object.hasOwn(a, name) && !isSameAt(name)) return false;
  return true;
}

function isSameField({ type, pointer }: Field, a: unknown, b: unknown): boolean {
  const unset = pointer ? undefined : unsetValue(type);
  return isSame(type, a ?? unset, b ?? unset);
}

/** What a field is that is no pointer and was not set. */
function unsetValue(type: SchemaType): unknown {
  if (type.is === 'struct') return {};
  return type.is === 'scalar' && type.name === 'quantity' ? '0' : undefined;
}

const fieldsOf = memoized(
  (type: StructType): ReadonlyMap<string, Field> => new Map(type.fields.map((field) => [field.name, field])),
);
