// Declared field order: strategies and patches build objects in whatever order they like; what is stored and
// sent follows the schema, and fields that are undefined are left out as JSON leaves them out. Objects already in
// order, the common case, are returned as they are.

import { isJsonObject, setOwn } from '../base/json/json.ts';
import { KeyPlans } from '../base/key-plans.ts';
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

/** A field that an object has; `order` is undefined where its values have no order. */
interface PlannedField {
  readonly name: string;
  readonly order: Order | undefined;
}

/** What is to be done with the objects of a struct that have certain keys in a certain order. */
interface Plan {
  readonly fields: readonly PlannedField[];
  readonly isSorted: boolean;
  /** Unknown keys (kind and apiVersion of a top-level object) come first, in their own order. */
  readonly sorted: readonly string[];
}

function plansOf(type: StructType): KeyPlans<Plan> {
  const places = new Map(type.fields.map(({ name, type: of }, at) => [name, { at, order: ordererOf(of) }]));
  return new KeyPlans((keys) => {
    const rankOf = (key: string) => places.get(key)?.at ?? -1;
    const sorted = [...keys].sort((a, b) => rankOf(a) - rankOf(b));
    const fields = keys.map((name) => {
      const order = places.get(name)?.order;
      return { name, order: order === same ? undefined : order };
    });
    return { fields, sorted, isSorted: keys.every((key, i) => key === sorted[i]) };
  });
}

function structOrder(type: StructType): Order {
  // made when first needed: types may contain themselves
  let plans: KeyPlans<Plan> | undefined;
  return (value, known) => {
    if (!isJsonObject(value)) return value;
    plans ??= plansOf(type);
    const { fields, isSorted, sorted } = plans.of(value);
    const before = isJsonObject(known) ? known : nothingKnown;
    let result: Record<string, unknown> | undefined;
    let isComplete = true;
    for (const { name, order } of fields) {
      const item = value[name];
      if (item === undefined) isComplete = false;
      if (order === undefined || typeof item !== 'object' || item === before[name]) continue;
      const next = order(item, before[name]);
      if (next === item) continue;
      result ??= { ...value };
      setOwn(result, name, next);
    }
    return isSorted && isComplete ? (result ?? value) : ordered(result ?? value, sorted);
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

/** Without what is undefined. */
function ordered(value: Readonly<Record<string, unknown>>, keys: readonly string[]): Record<string, unknown> {
  const result: Record<string, unknown> = {};
  for (const key of keys) if (value[key] !== undefined) setOwn(result, key, value[key]);
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
