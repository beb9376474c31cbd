// Declared field order: strategies and patches build objects in whatever order they like; what is stored and
// sent follows the schema, and fields that are undefined are left out as JSON leaves them out. Objects already in
// order, the common case, are returned as they are.

import { isJsonObject, setOwn } from '../base/json.ts';
import { memoized } from '../base/memoized.ts';
import { alternativeFor } from './alternatives.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { SchemaType, StructType } from './types.ts';

/** `known` is a value of the same type that is in order: what is still the very same in both needs no second look. */
type Order = (value: unknown, known?: unknown) => unknown;

const same: Order = (value) => value;

/** The same value with every struct's fields in declared order. `known` is in order, and `value` was made from it. */
export function inDeclaredOrder(type: SchemaType | StructuralType, value: unknown, known?: unknown): unknown {
  return ordererOf(type)(value, known);
}

const ordererOf = memoized((type: SchemaType | StructuralType): Order => compile(type));

function compile(type: SchemaType | StructuralType): Order {
  switch (type.is) {
    case 'scalar':
      return same;
    case 'struct':
      return structOrder(type);
    case 'structural':
      return structuralOrder(ordererOf(type.meta));
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

interface Place {
  /** Position among the fields of its struct. */
  readonly at: number;
  readonly order: Order;
}

type Places = ReadonlyMap<string, Place>;

function structOrder(type: StructType): Order {
  // made when first needed: types may contain themselves
  let places: Places | undefined;
  return (value, known) => {
    if (!isJsonObject(value)) return value;
    places ??= new Map(type.fields.map(({ name, type: of }, at) => [name, { at, order: ordererOf(of) }]));
    const before = isJsonObject(known) ? known : nothingKnown;
    let result: Record<string, unknown> | undefined;
    let last = -1;
    let isSorted = true;
    for (const key in value) {
      const item = value[key];
      const place = places.get(key);
      const at = place?.at ?? -1;
      if (at < last || item === undefined) isSorted = false;
      last = at;
      if (place === undefined || typeof item !== 'object' || item === before[key]) continue;
      const next = place.order(item, before[key]);
      if (next === item) continue;
      result ??= { ...value };
      setOwn(result, key, next);
    }
    return isSorted ? (result ?? value) : sortFields(result ?? value, places);
  };
}

const nothingKnown: Readonly<Record<string, unknown>> = {};

/** Kind, apiVersion and metadata come first, the rest in alphabetical order, whatever is in it as it is. */
function structuralOrder(meta: Order): Order {
  return (value, known) => {
    if (!isJsonObject(value)) return value;
    const before = isJsonObject(known) ? known['metadata'] : undefined;
    const metadata = value['metadata'] === before ? before : meta(value['metadata'], before);
    const keys = Object.keys(value);
    const sorted = keys.filter((key) => value[key] !== undefined).sort(byRank);
    const isSame = metadata === value['metadata'] && keys.length === sorted.length && keys.every(isAt(sorted));
    if (isSame) return value;
    const result: Record<string, unknown> = {};
    for (const key of sorted) setOwn(result, key, key === 'metadata' ? metadata : value[key]);
    return result;
  };
}

const firstKeys = ['kind', 'apiVersion', 'metadata'];
const rankOf = (key: string) => (firstKeys.indexOf(key) + firstKeys.length + 1) % (firstKeys.length + 1);
const byRank = (a: string, b: string) => rankOf(a) - rankOf(b) || (a < b ? -1 : a > b ? 1 : 0);
const isAt = (sorted: readonly string[]) => (key: string, index: number) => sorted[index] === key;

/** Unknown keys (kind and apiVersion of a top-level object) come first, in their own order; what is undefined goes. */
function sortFields(value: Record<string, unknown>, places: Places): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  const keys: string[] = [];
  const ranks: number[] = [];
  for (const key in value) {
    if (value[key] === undefined) continue;
    const rank = places.get(key)?.at;
    if (rank === undefined) setOwn(result, key, value[key]);
    else {
      // most fields are in order: one is seldom moved far
      let at = ranks.length;
      for (; at > 0 && (ranks[at - 1] as number) > rank; at--) {
        ranks[at] = ranks[at - 1] as number;
        keys[at] = keys[at - 1] as string;
      }
      ranks[at] = rank;
      keys[at] = key;
    }
  }
  for (const key of keys) result[key] = value[key];
  return result;
}

function mapSame(list: readonly unknown[], change: Order): readonly unknown[] {
  let result: unknown[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const next = change(list[index]);
    if (next === list[index]) continue;
    result ??= [...list];
    result[index] = next;
  }
  return result ?? list;
}

function mapValues(value: Record<string, unknown>, change: Order): Record<string, unknown> {
  let result: Record<string, unknown> | undefined;
  for (const key in value) {
    const item = value[key];
    if (typeof item !== 'object') continue;
    const next = change(item);
    if (next === item) continue;
    result ??= { ...value };
    setOwn(result, key, next);
  }
  return result ?? value;
}
