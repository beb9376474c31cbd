// Fields of features that are off: what clients send for them is taken out before anything is stored.

import { isJsonObject, type JsonObject } from '../base/json/json.ts';
import type { ObjectType } from './object-type.ts';
import type { Field, SchemaType, StructType } from './types.ts';

/** Whether the object had a feature before: then all of its fields stay, wherever they stand. */
type HasBefore = (field: Field) => boolean;

/** The value without such fields; undefined where nothing is left of a struct that goes with its field. */
type Dropper = (value: unknown, hasBefore: HasBefore) => unknown;

type Gates = Readonly<Record<string, boolean>>;

/** What fields have in common that stay together: their gate. One without a gate is a feature by itself. */
type Feature = string | Field;
const featureOf = (field: Field): Feature => field.gate ?? field;

const keep: Dropper = (value) => value;

/** The fields that are off with the feature gates of one server. */
export class OffFields {
  readonly #gates: Gates;
  readonly #droppers = new WeakMap<SchemaType, Dropper>();

  constructor(gates: Gates = {}) {
    this.#gates = gates;
  }

  /** The same object where it has none of them. The features of the old object stay: another server let them in. */
  without<T extends object>(type: ObjectType, object: T, old?: object): T {
    if (type.is !== 'struct') return object;
    let before: ReadonlySet<Feature> | undefined;
    const hasBefore = (field: Field) => {
      if (old === undefined) return false;
      before ??= this.#featuresOf(type, old);
      return before.has(featureOf(field));
    };
    return this.#dropperOf(type)(object, hasBefore) as T;
  }

  #isOff({ off, gate }: Field): boolean {
    const given = gate === undefined ? undefined : this.#gates[gate];
    return off === undefined ? given === false : given !== true;
  }

  /** The features in a value that are off. */
  #featuresOf(type: SchemaType, value: unknown, found = new Set<Feature>()): ReadonlySet<Feature> {
    if (this.#dropperOf(type) === keep) return found;
    if (type.is === 'list' && Array.isArray(value)) for (const item of value) this.#featuresOf(type.of, item, found);
    if (!isJsonObject(value)) return found;
    if (type.is === 'map') for (const item of Object.values(value)) this.#featuresOf(type.of, item, found);
    if (type.is === 'struct') {
      for (const field of type.fields) {
        const member = value[field.name];
        if (member == null) continue;
        if (this.#isOff(field) && member !== field.free) found.add(featureOf(field));
        this.#featuresOf(field.type, member, found);
      }
    }
    return found;
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
    return (value, hasBefore) => {
      if (!Array.isArray(value)) return value;
      const items: readonly unknown[] = value;
      const drop = this.#dropperOf(of);
      const next = items.map((item) => drop(item, hasBefore));
      return next.some((item, at) => item !== items[at]) ? next : items;
    };
  }

  #inMap(of: SchemaType): Dropper {
    return (value, hasBefore) => {
      if (!isJsonObject(value)) return value;
      const drop = this.#dropperOf(of);
      const entries = Object.entries(value).map(([key, item]) => [key, drop(item, hasBefore)] as const);
      return entries.some(([key, item]) => item !== value[key]) ? Object.fromEntries(entries) : value;
    };
  }

  #inStruct(type: StructType): Dropper {
    // found out when first needed: types may contain themselves
    let fields: readonly Field[] | undefined;
    return (value, hasBefore) => {
      if (!isJsonObject(value)) return value;
      fields ??= type.fields.filter((field) => this.#isOff(field) || this.#dropperOf(field.type) !== keep);
      const concerned = fields;
      let result: Record<string, unknown> | undefined;
      for (const field of concerned) {
        const was = value[field.name];
        if (was === undefined || was === null) continue;
        const next = this.#changed(field, was, hasBefore);
        if (next === was) continue;
        result ??= { ...value };
        if (next === undefined) delete result[field.name];
        else result[field.name] = next;
      }
      return result === undefined ? value : leftOf(concerned, value, result);
    };
  }

  #changed(field: Field, value: unknown, hasBefore: HasBefore): unknown {
    if (this.#isOff(field) && value !== field.free && !hasBefore(field)) return undefined;
    return this.#dropperOf(field.type)(value, hasBefore);
  }
}

function leftOf(fields: readonly Field[], before: JsonObject, left: Record<string, unknown>): unknown {
  if (Object.keys(left).length > 0) return left;
  const wentWith = fields.some(({ name, off }) => off === 'with-struct' && before[name] !== undefined);
  return wentWith ? undefined : left;
}
