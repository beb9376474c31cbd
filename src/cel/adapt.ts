// From JSON to values, by the declared type, and back.

import { isJsonObject, type JsonValue, setOwn } from '../base/json.ts';
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

const adapters = new WeakMap<CelType, Adapter>();

export function adapterOf(type: CelType): Adapter {
  let adapter = adapters.get(type);
  if (adapter === undefined) {
    adapter = makeAdapter(type);
    adapters.set(type, adapter);
  }
  return adapter;
}

function makeAdapter(type: CelType): Adapter {
  const inner = adapterOfType(type);
  // looks for values itself
  if (inner === adaptAny) return adaptAny;
  return (raw) => (isValueObject(raw) ? raw : (inner(raw) ?? misfit(type, raw)));
}

function misfit(type: CelType, raw: unknown): Value {
  // a value of the wrong form is taken for what it is: objects that were stored before their schema changed can be read
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

/** The value as JSON; bytes become base64, what JSON has no form for is an error. */
export function toJson(value: Value): JsonValue {
  if (value === null || typeof value !== 'object') return value;
  if (value instanceof UintValue) return value.value;
  if (value instanceof TimestampValue) return formatTimestamp(value);
  if (value instanceof DurationValue) return formatDuration(value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
  if (value instanceof ListValue) return value.toArray().map(toJson);
  if (value instanceof MapValue) return mapToJson(value);
  if (value instanceof ObjectValue) return objectToJson(value);
  throw new EvaluationError('the value has no JSON form');
}

function mapToJson(map: MapValue): JsonValue {
  const result: Record<string, JsonValue> = {};
  for (const key of map.keys()) {
    setOwn(result, String(key instanceof UintValue ? key.value : key), toJson(map.get(key) ?? null));
  }
  return result;
}

function objectToJson(object: ObjectValue): JsonValue {
  const result: Record<string, JsonValue> = {};
  for (const [key, raw] of Object.entries(object.source)) {
    if (raw !== undefined) setOwn(result, key, isValueObject(raw) ? toJson(raw) : (raw as JsonValue));
  }
  return result;
}
