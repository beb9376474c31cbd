// From JSON to values, by the declared type, and back.

import { isJsonObject, type JsonValue, setOwn } from '../base/json/json.ts';
import { memoized } from '../base/memoized.ts';
import { KeyedList } from './keyed-list.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from './time.ts';
import { type CelType, dyn, formatType, type ListType, type MapType, type ObjectType } from './types.ts';
import {
  type Adapter,
  DurationValue,
  EvaluationError,
  JsonMap,
  ListValue,
  MapValue,
  ObjectValue,
  OpaqueValue,
  OptionalValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from './values.ts';

export const adapterOf = memoized((type: CelType): Adapter => makeAdapter(type));

function makeAdapter(type: CelType): Adapter {
  const inner = adapterOfType(type);
  // looks for values itself
  if (inner === adaptAny) return adaptAny;
  return (raw) => (isValueObject(raw) ? raw : (inner(raw) ?? misfit(type, raw)));
}

function misfit(type: CelType, raw: unknown): Value {
  // a value of the wrong form is adapted by its JSON type: objects that were stored before their schema changed can be read
  if (raw === null || typeof raw === 'object' || typeof raw === 'string' || typeof raw === 'boolean')
    return adaptAny(raw);
  throw new EvaluationError(`invalid data, expected a value of type ${formatType(type)}`);
}

function adapterOfType(type: CelType): (raw: unknown) => Value | undefined {
  switch (type.is) {
    case 'int':
      return toInt;
    case 'uint':
      return (raw) => (isNumber(raw) ? new UintValue(BigInt(raw)) : undefined);
    case 'double':
      return (raw) => (isNumber(raw) ? Number(raw) : undefined);
    case 'bytes':
      return (raw) => (typeof raw === 'string' ? Buffer.from(raw, 'base64') : undefined);
    case 'timestamp':
      return (raw) => (typeof raw === 'string' ? parseTimestamp(day.test(raw) ? `${raw}T00:00:00Z` : raw) : undefined);
    case 'duration':
      return (raw) => (typeof raw === 'string' ? parseDuration(raw) : undefined);
    case 'list':
      return listAdapter(type);
    case 'map':
      return mapAdapter(type);
    case 'object':
      return objectAdapter(type);
    default:
      return adaptAny;
  }
}

/** Schemas may ask for a date, without a time. */
const day = /^\d{4}-\d\d-\d\d$/;
const isNumber = (raw: unknown): raw is number | bigint => typeof raw === 'number' || typeof raw === 'bigint';

function toInt(raw: unknown): bigint | undefined {
  if (typeof raw === 'bigint') return raw;
  return typeof raw === 'number' && Number.isInteger(raw) ? BigInt(raw) : undefined;
}

const listAdapter =
  ({ of, keys }: ListType) =>
  (raw: unknown): Value | undefined => {
    if (!Array.isArray(raw)) return undefined;
    return keys === undefined ? new ListValue(raw, adapterOf(of)) : new KeyedList(raw, keys, adapterOf(of));
  };

const mapAdapter =
  ({ of }: MapType) =>
  (raw: unknown): Value | undefined =>
    isJsonObject(raw) ? new JsonMap(raw, adapterOf(of)) : undefined;

const objectAdapter =
  (type: ObjectType) =>
  (raw: unknown): Value | undefined =>
    isJsonObject(raw) ? new ObjectValue(type, raw, adapterOf) : undefined;

/** JSON of unknown type: whole numbers are integers. */
function adaptAny(raw: unknown): Value {
  switch (typeof raw) {
    case 'number':
      return Number.isInteger(raw) && Math.abs(raw) < 2 ** 63 ? BigInt(raw) : raw;
    case 'string':
    case 'boolean':
    case 'bigint':
      return raw;
    case 'object':
      if (raw === null) return null;
      if (Array.isArray(raw)) return new ListValue(raw, adapterOf(dyn));
      return isValueObject(raw) ? raw : new JsonMap(raw as Record<string, unknown>, adapterOf(dyn));
    default:
      throw new EvaluationError('unsupported value');
  }
}

/** Already a value: variables may be given as such. */
function isValueObject(raw: unknown): raw is Value & object {
  if (typeof raw !== 'object' || raw === null) return false;
  const prototype: unknown = Object.getPrototypeOf(raw);
  if (prototype === Object.prototype || prototype === Array.prototype || prototype === null) return false;
  return (
    raw instanceof MapValue ||
    raw instanceof ObjectValue ||
    raw instanceof ListValue ||
    raw instanceof UintValue ||
    raw instanceof TimestampValue ||
    raw instanceof DurationValue ||
    raw instanceof TypeValue ||
    raw instanceof OptionalValue ||
    raw instanceof OpaqueValue ||
    raw instanceof Uint8Array
  );
}

/** No object has more: a list may have one value in many places, and JSON has it as often. */
export const maxJsonValues = 200_000;
const maxJsonCharacters = 4 * 1024 * 1024;
const maxJsonDepth = 1000;

/** The value as JSON; bytes become base64. Throws where JSON has no form for it, and where it would be too large. */
export const toJson = (value: Value): JsonValue => new JsonConversion().of(value);

/** Values that are too large together are refused as one would be. */
export class JsonConversion {
  #values = 0;
  #characters = 0;

  of(value: Value, depth = 0): JsonValue {
    if (++this.#values > maxJsonValues || depth > maxJsonDepth) throw tooLarge();
    if (typeof value === 'string') return this.#text(value);
    if (value === null || typeof value !== 'object') return value;
    if (value instanceof UintValue) return value.value;
    if (value instanceof TimestampValue) return formatTimestamp(value);
    if (value instanceof DurationValue) return formatDuration(value);
    if (value instanceof Uint8Array) return this.#text(Buffer.from(value).toString('base64'));
    if (value instanceof ListValue) return value.toArray().map((item) => this.of(item, depth + 1));
    if (value instanceof MapValue) return this.#ofMap(value, depth + 1);
    if (value instanceof ObjectValue) return this.#ofObject(value, depth + 1);
    throw new EvaluationError('the value has no JSON form');
  }

  #text(text: string): string {
    this.#characters += text.length;
    if (this.#characters > maxJsonCharacters) throw tooLarge();
    return text;
  }

  #ofMap(map: MapValue, depth: number): JsonValue {
    const result: Record<string, JsonValue> = {};
    for (const key of map.keys()) {
      const name = this.#text(String(key instanceof UintValue ? key.value : key));
      setOwn(result, name, this.of(map.get(key) ?? null, depth));
    }
    return result;
  }

  #ofObject(object: ObjectValue, depth: number): JsonValue {
    const result: Record<string, JsonValue> = {};
    for (const [key, raw] of Object.entries(object.source)) {
      if (raw !== undefined) setOwn(result, key, isValueObject(raw) ? this.of(raw, depth) : this.#ofRaw(raw));
    }
    return result;
  }

  /** JSON already: a part of an object, or a scalar that an expression wrote. */
  #ofRaw(raw: unknown): JsonValue {
    if (typeof raw === 'string') this.#text(raw);
    return raw as JsonValue;
  }
}

const tooLarge = () => new EvaluationError('the value is too large to be written as JSON');
