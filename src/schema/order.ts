// Declared field order: strategies and patches build objects in whatever order they like; what is stored and
// sent follows the schema, and fields that are undefined are left out as JSON leaves them out. Objects already in
// order, the common case, are returned as they are.

import { isJsonObject, setOwn } from '../base/json.ts';
import { alternativeFor } from './decode.ts';
import type { SchemaType, StructType } from './types.ts';

type Order = (value: unknown) => unknown;

const compiled = new WeakMap<SchemaType, Order>();
const same: Order = (value) => value;

/** The same value with every struct's fields in declared order. */
export function inDeclaredOrder(type: SchemaType, value: unknown): unknown {
  return ordererOf(type)(value);
}

function ordererOf(type: SchemaType): Order {
  let order = compiled.get(type);
  if (order === undefined) {
    order = compile(type);
    compiled.set(type, order);
  }
  return order;
}

function compile(type: SchemaType): Order {
  switch (type.is) {
    case 'scalar':
      return same;
    case 'struct':
      return structOrder(type);
    case 'union':
      return (value) => {
        const chosen = alternativeFor(type, value);
        return chosen === undefined ? value : ordererOf(chosen.type)(value);
      };
    case 'list': {
      const element = ordererOf(type.of);
      return element === same ? same : (value) => (Array.isArray(value) ? mapSame(value, element) : value);
    }
    case 'map': {
      const element = ordererOf(type.of);
      return element === same ? same : (value) => (isJsonObject(value) ? mapValues(value, element) : value);
    }
  }
}

function structOrder(type: StructType): Order {
  const position = new Map(type.fields.map((field, index) => [field.name, index]));
  let orderers: Map<string, Order> | undefined;
  return (value) => {
    if (!isJsonObject(value)) return value;
    // made when first needed: types may contain themselves
    orderers ??= new Map(type.fields.map((field) => [field.name, ordererOf(field.type)]));
    const orderField = orderers;
    const inner = mapValues(value, same, (key, item) => (orderField.get(key) ?? same)(item));
    return isSorted(inner, position) ? inner : sortFields(inner, position);
  };
}

const rank = (position: ReadonlyMap<string, number>, key: string) => position.get(key) ?? -1;

function isSorted(value: Record<string, unknown>, position: ReadonlyMap<string, number>): boolean {
  let last = -1;
  for (const key in value) {
    const at = rank(position, key);
    if (at < last || value[key] === undefined) return false;
    last = at;
  }
  return true;
}

/** Unknown keys (kind and apiVersion of a top-level object) come first, in their own order; what is undefined goes. */
function sortFields(value: Record<string, unknown>, position: ReadonlyMap<string, number>): Record<string, unknown> {
  const entries = Object.entries(value).filter(([, item]) => item !== undefined);
  entries.sort(([a], [b]) => rank(position, a) - rank(position, b));
  return Object.fromEntries(entries);
}

function mapSame(list: readonly unknown[], change: Order): readonly unknown[] {
  let result: unknown[] | undefined;
  list.forEach((item, index) => {
    const next = change(item);
    if (next !== item) {
      result ??= [...list];
      result[index] = next;
    }
  });
  return result ?? list;
}

function mapValues(
  value: Record<string, unknown>,
  change: Order,
  changeAt = (_key: string, item: unknown) => change(item),
): Record<string, unknown> {
  let result: Record<string, unknown> | undefined;
  for (const key in value) {
    const item = value[key];
    if (typeof item !== 'object') continue;
    const next = changeAt(key, item);
    if (next !== item) {
      result ??= { ...value };
      setOwn(result, key, next);
    }
  }
  return result ?? value;
}
