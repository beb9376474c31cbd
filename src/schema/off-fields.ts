// Fields of features that are off: what clients send for them is taken out before anything is stored.

import { isJsonObject, type JsonObject } from '../base/json.ts';
import type { ObjectType } from './object-type.ts';
import type { Field, SchemaType, StructType } from './types.ts';

/** The value without such fields; undefined where nothing is left of a struct that goes with its field. */
type Dropper = (value: unknown, old: unknown) => unknown;

type Gates = Readonly<Record<string, boolean>>;

const keep: Dropper = (value) => value;

/** The fields that are off with the feature gates of one server. */
export class OffFields {
  readonly #gates: Gates;
  readonly #droppers = new WeakMap<SchemaType, Dropper>();

  constructor(gates: Gates = {}) {
    this.#gates = gates;
  }

  /** The same object where it has none of them. What the old object has stays: another server let it in. */
  without<T extends object>(type: ObjectType, object: T, old?: object): T {
    return type.is === 'struct' ? (this.#dropperOf(type)(object, old) as T) : object;
  }

  #isOff({ off, gate }: Field): boolean {
    return off !== undefined && (gate === undefined || this.#gates[gate] !== true);
  }

  #dropperOf(type: SchemaType): Dropper {
    let dropper = this.#droppers.get(type);
    if (dropper === undefined) {
      dropper = this.#mentionsOff(type, new Set()) ? this.#compiled(type) : keep;
      this.#droppers.set(type, dropper);
    }
    return dropper;
  }

  #mentionsOff(type: SchemaType, seen: Set<SchemaType>): boolean {
    if (seen.has(type)) return false;
    seen.add(type);
    if (type.is === 'list' || type.is === 'map') return this.#mentionsOff(type.of, seen);
    if (type.is !== 'struct') return false;
    return type.fields.some((field) => this.#isOff(field) || this.#mentionsOff(field.type, seen));
  }

  #compiled(type: SchemaType): Dropper {
    if (type.is === 'list') return this.#inList(type.of);
    if (type.is === 'map') return this.#inMap(type.of);
    return type.is === 'struct' ? this.#inStruct(type) : keep;
  }

  #inList(of: SchemaType): Dropper {
    return (value, old) => {
      if (!Array.isArray(value)) return value;
      const items: readonly unknown[] = value;
      const before: readonly unknown[] = Array.isArray(old) ? old : [];
      const next = items.map((item, at) => this.#dropperOf(of)(item, before[at]));
      return next.some((item, at) => item !== items[at]) ? next : items;
    };
  }

  #inMap(of: SchemaType): Dropper {
    return (value, old) => {
      if (!isJsonObject(value)) return value;
      const before = isJsonObject(old) ? old : {};
      const drop = this.#dropperOf(of);
      const entries = Object.entries(value).map(([key, item]) => [key, drop(item, before[key])] as const);
      return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
    };
  }

  #inStruct(type: StructType): Dropper {
    // found out when first needed: types may contain themselves
    let fields: readonly Field[] | undefined;
    return (value, old) => {
      if (!isJsonObject(value)) return value;
      fields ??= type.fields.filter((field) => this.#isOff(field) || this.#dropperOf(field.type) !== keep);
      const concerned = fields;
      const before = isJsonObject(old) ? old : {};
      let result: Record<string, unknown> | undefined;
      for (const field of concerned) {
        const was = value[field.name];
        if (was === undefined || was === null) continue;
        const next = this.#changed(field, was, before[field.name]);
        if (next === was) continue;
        result ??= { ...value };
        if (next === undefined) delete result[field.name];
        else result[field.name] = next;
      }
      return result === undefined ? value : leftOf(concerned, value, result);
    };
  }

  #changed(field: Field, value: unknown, old: unknown): unknown {
    if (old === undefined && this.#isOff(field)) return undefined;
    return this.#dropperOf(field.type)(value, old);
  }
}

function leftOf(fields: readonly Field[], before: JsonObject, left: Record<string, unknown>): unknown {
  if (Object.keys(left).length > 0) return left;
  const wentWith = fields.some(({ name, off }) => off === 'with-struct' && before[name] !== undefined);
  return wentWith ? undefined : left;
}
