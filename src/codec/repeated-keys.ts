// Keys that repeat in a JSON body. A later one is read into what an earlier one has set: fields of a struct and keys of
// a map add up, lists are read item by item, everything else is replaced.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json/json.ts';
import { type JsonVisitor, scanJson } from '../base/json/json-scan.ts';
import { memoized } from '../base/memoized.ts';
import { alternativeFor } from '../schema/alternatives.ts';
import { decoderOf } from '../schema/decode.ts';
import { DecodeContext } from '../schema/decode-context.ts';
import type { ObjectType } from '../schema/object-type.ts';
import type { Field, SchemaType, StructType } from '../schema/types.ts';
import { TypeMismatch } from '../wording/type-mismatch.ts';
import type { Parsed } from './strict.ts';

/** Values of a key before the one that an object has in the end. */
type Earlier = WeakMap<JsonObject, Map<string, JsonValue[]>>;

/**
 * The value of a JSON text in which keys repeat.
 * compat: a key that repeats is read into what the first one has set
 */
export function joinRepeated(type: ObjectType, { value: parsed, repeating = '' }: Parsed): JsonValue {
  // the last one counts where no fields are declared
  if (type.is !== 'struct') return parsed;
  const earlier: Earlier = new WeakMap();
  let found = false;
  const visitor: JsonVisitor = {
    replaced(object, key) {
      found = true;
      remember(earlier, object, key);
    },
  };
  const value = scanJson(repeating, visitor);
  return found ? new Joining(earlier).value(type, value, undefined) : value;
}

function remember(earlier: Earlier, object: JsonObject, key: string): void {
  const keys = earlier.get(object) ?? new Map<string, JsonValue[]>();
  earlier.set(object, keys);
  const values = keys.get(key) ?? [];
  keys.set(key, values);
  values.push(object[key] as JsonValue);
}

class Joining {
  readonly #earlier: Earlier;

  constructor(earlier: Earlier) {
    this.#earlier = earlier;
  }

  /**
   * `value`, read into what was there `before`. Both were read here and are changed: a copy each time would be slow.
   * Where nothing was there before, that is the value itself, and the last of unknown keys is what it has already.
   */
  value(type: SchemaType, value: JsonValue, before: JsonValue | undefined): JsonValue {
    if (isMisfit(type, before)) return before;
    if (type.is === 'struct' && isJsonObject(value)) return this.#struct(type, value, before);
    if (type.is === 'map' && isJsonObject(value)) return this.#map(type.of, value, before);
    if (type.is === 'list' && Array.isArray(value)) return this.#list(type.of, value, before);
    const form = type.is === 'union' ? alternativeFor(type, value)?.type : undefined;
    return form === undefined ? value : this.value(form, value, undefined);
  }

  #struct(type: StructType, value: JsonObject, before: JsonValue | undefined): JsonObject {
    const fields = fieldsByName(type);
    if (!isJsonObject(before)) {
      for (const [key, field] of fields) if (Object.hasOwn(value, key)) this.#settle(field, value, key);
      return value;
    }
    for (const key of Object.keys(value)) {
      const field = fields.get(key);
      for (const one of this.#valuesOf(value, key))
        setOwn(before, key, field === undefined ? one : this.#field(field, one, getOwn(before, key)));
    }
    return before;
  }

  /** A field of a struct that was not there before, by all that was said of it. */
  #settle(field: Field, object: JsonObject, key: string): void {
    let settled: JsonValue | undefined;
    for (const one of this.#valuesOf(object, key)) settled = this.#field(field, one, settled);
    setOwn(object, key, settled as JsonValue);
  }

  #field(field: Field, value: JsonValue, before: JsonValue | undefined): JsonValue {
    if (value === null && !isMisfit(field.type, before)) return isCleared(field) ? null : (before ?? null);
    return this.value(field.type, value, before);
  }

  /** A value of a map begins again. */
  #map(of: SchemaType, value: JsonObject, before: JsonValue | undefined): JsonObject {
    const result = isJsonObject(before) ? before : value;
    for (const key of this.#keysToRead(of, value, result)) {
      let settled = result === value ? undefined : getOwn(result, key);
      for (const one of this.#valuesOf(value, key))
        if (!isMisfit(of, settled)) settled = this.value(of, one, undefined);
      setOwn(result, key, settled as JsonValue);
    }
    return result;
  }

  /** Plain values that do not repeat are what they are already. */
  #keysToRead(of: SchemaType, value: JsonObject, result: JsonObject): Iterable<string> {
    return result === value && of.is === 'scalar' ? (this.#earlier.get(value)?.keys() ?? []) : Object.keys(value);
  }

  #list(of: SchemaType, value: JsonValue[], before: JsonValue | undefined): JsonValue[] {
    const former = Array.isArray(before) ? before : [];
    return value.map((item, index) =>
      item === null && of.is !== 'list' && of.is !== 'map'
        ? (former[index] ?? null)
        : this.value(of, item, former[index]),
    );
  }

  #valuesOf(object: JsonObject, key: string): readonly JsonValue[] {
    const earlier = this.#earlier.get(object)?.get(key);
    const last = object[key] as JsonValue;
    return earlier === undefined ? [last] : [...earlier, last];
  }
}

const fieldsByName = memoized(
  (type: StructType): ReadonlyMap<string, Field> => new Map(type.fields.map((field) => [field.name, field])),
);

const clearedScalars: ReadonlySet<string> = new Set(['bytes', 'date-time', 'micro-time']);

/** Whether null takes away what was there; a plain value it leaves as it is. */
function isCleared({ pointer, type }: Field): boolean {
  if (pointer || type.is === 'list' || type.is === 'map') return true;
  return type.is === 'scalar' && clearedScalars.has(type.name);
}

/** What does not fit stays, for decoding to refuse it wherever in the text it stands. */
const isMisfit = (type: SchemaType, before: JsonValue | undefined): before is JsonValue =>
  before !== undefined && before !== null && !fits(type, before);

/** Whether a value is of the form of its type; what is inside of it is looked at later. */
function fits(type: SchemaType, value: JsonValue): boolean {
  if (type.is === 'list') return Array.isArray(value);
  if (type.is === 'union') return alternativeFor(type, value) !== undefined;
  return type.is === 'scalar' ? isDecodable(type, value) : isJsonObject(value);
}

function isDecodable(type: SchemaType, value: JsonValue): boolean {
  try {
    decoderOf(type)(value, new DecodeContext());
    return true;
  } catch (error) {
    if (error instanceof TypeMismatch) return false;
    throw error;
  }
}
