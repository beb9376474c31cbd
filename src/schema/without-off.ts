// Fields of features that are off: what clients send for them is taken out before anything is stored.

import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ObjectType } from './object-type.ts';
import type { Field, SchemaType, StructType } from './types.ts';

/** The value without such fields; undefined where nothing is left of a struct that goes with its field. */
type Dropper = (value: unknown, old: unknown) => unknown;

const keep: Dropper = (value) => value;
const droppers = new WeakMap<SchemaType, Dropper>();

/** The same object where it has none of them. What the old object has stays: another server let it in. */
export function withoutOff<T extends object>(type: ObjectType, object: T, old?: object): T {
  return type.is === 'struct' ? (dropperOf(type)(object, old) as T) : object;
}

function dropperOf(type: SchemaType): Dropper {
  let dropper = droppers.get(type);
  if (dropper === undefined) {
    dropper = mentionsOff(type, new Set()) ? compiled(type) : keep;
    droppers.set(type, dropper);
  }
  return dropper;
}

function mentionsOff(type: SchemaType, seen: Set<SchemaType>): boolean {
  if (seen.has(type)) return false;
  seen.add(type);
  if (type.is === 'list' || type.is === 'map') return mentionsOff(type.of, seen);
  return type.is === 'struct' && type.fields.some((field) => field.off || mentionsOff(field.type, seen));
}

function compiled(type: SchemaType): Dropper {
  if (type.is === 'list') return inList(type.of);
  if (type.is === 'map') return inMap(type.of);
  return type.is === 'struct' ? inStruct(type) : keep;
}

function inList(of: SchemaType): Dropper {
  return (value, old) => {
    if (!Array.isArray(value)) return value;
    const items: readonly unknown[] = value;
    const before: readonly unknown[] = Array.isArray(old) ? old : [];
    const next = items.map((item, at) => dropperOf(of)(item, before[at]));
    return next.some((item, at) => item !== items[at]) ? next : items;
  };
}

function inMap(of: SchemaType): Dropper {
  return (value, old) => {
    if (!isJsonObject(value)) return value;
    const before = isJsonObject(old) ? old : {};
    const entries = Object.entries(value).map(([key, item]) => [key, dropperOf(of)(item, before[key])] as const);
    return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
  };
}

function inStruct(type: StructType): Dropper {
  // found out when first needed: types may contain themselves
  let fields: readonly Field[] | undefined;
  return (value, old) => {
    if (!isJsonObject(value)) return value;
    fields ??= type.fields.filter((field) => field.off || dropperOf(field.type) !== keep);
    const concerned = fields;
    const before = isJsonObject(old) ? old : {};
    let result: Record<string, unknown> | undefined;
    for (const field of concerned) {
      const was = value[field.name];
      if (was === undefined || was === null) continue;
      const next = changed(field, was, before[field.name]);
      if (next === was) continue;
      result ??= { ...value };
      if (next === undefined) delete result[field.name];
      else result[field.name] = next;
    }
    return result === undefined ? value : leftOf(concerned, value, result);
  };
}

function changed(field: Field, value: unknown, old: unknown): unknown {
  if (field.off && old === undefined) return undefined;
  return dropperOf(field.type)(value, old);
}

function leftOf(fields: readonly Field[], before: JsonObject, left: Record<string, unknown>): unknown {
  if (Object.keys(left).length > 0) return left;
  const wentWith = fields.some(({ name, off }) => off === 'with-struct' && before[name] !== undefined);
  return wentWith ? undefined : left;
}
