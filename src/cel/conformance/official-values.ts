// Values and types as the official conformance data writes them, as the engine has them.

import type { JsonObject, JsonValue } from '../../base/json/json.ts';
import { formatDuration, formatTimestamp, parseDuration, parseTimestamp } from '../time.ts';
import { typeOf } from '../type-of.ts';
import {
  anyType,
  anyValue,
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  list,
  map,
  nullType,
  opaque,
  param,
  string,
  timestamp,
  uint,
} from '../types.ts';
import {
  DurationValue,
  EntryMap,
  ListValue,
  MapValue,
  OptionalValue,
  TimestampValue,
  TypeValue,
  UintValue,
  type Value,
} from '../values.ts';
import { wellKnownMessage } from '../well-known.ts';

/** The data names something that the engine has no form for, such as a message of a user's protobuf file. */
export class Unsupported extends Error {}

const object = (json: unknown): JsonObject => (json ?? {}) as JsonObject;
const array = (json: unknown): readonly JsonValue[] => (json ?? []) as readonly JsonValue[];

const readers: Readonly<Record<string, (json: JsonValue) => Value>> = {
  nullValue: () => null,
  boolValue: (json) => json as boolean,
  int64Value: (json) => BigInt(json as string),
  uint64Value: (json) => new UintValue(BigInt(json as string)),
  doubleValue: (json) =>
    Number(json === '-Infinity' || json === 'Infinity' || json === 'NaN' ? json : (json as number)),
  stringValue: (json) => json as string,
  bytesValue: (json) => Buffer.from(json as string, 'base64'),
  typeValue: (json) => new TypeValue(json as string),
  listValue: (json) => new ListValue(array(object(json)['values']).map(readValue)),
  mapValue: (json) => readMap(array(object(json)['entries'])),
  objectValue: (json) => readMessage(object(json)),
};

export function readValue(json: JsonValue): Value {
  const [kind = '', content] = Object.entries(object(json))[0] ?? [];
  const read = Object.hasOwn(readers, kind) ? readers[kind] : undefined;
  if (read === undefined) throw new Unsupported(`no value is written as ${kind}`);
  return read(content as JsonValue);
}

function readMap(entries: readonly JsonValue[]): EntryMap {
  const result = new EntryMap();
  for (const entry of entries) {
    const { key, value } = object(entry);
    result.insert(readValue(key as JsonValue), readValue(value as JsonValue));
  }
  return result;
}

const asIs = (content: JsonValue): Value => content as Value;
const asInt = (content: JsonValue): Value => BigInt(content as string);
const asUint = (content: JsonValue): Value => new UintValue(BigInt(content as string));

function fromJson(content: JsonValue): Value {
  if (Array.isArray(content)) return new ListValue((content as JsonValue[]).map(fromJson));
  if (typeof content !== 'object' || content === null) return content;
  const result = new EntryMap();
  for (const [key, value] of Object.entries(content)) result.insert(key, fromJson(value as JsonValue));
  return result;
}

/** Well-known messages are values of the language; their content is under `value`. */
const messages: Readonly<Record<string, (content: JsonValue) => Value | undefined>> = {
  Duration: (content) => parseDuration(content as string),
  Timestamp: (content) => parseTimestamp(content as string),
  BoolValue: asIs,
  StringValue: asIs,
  DoubleValue: asIs,
  FloatValue: asIs,
  BytesValue: (content) => Buffer.from(content as string, 'base64'),
  Int32Value: asInt,
  Int64Value: asInt,
  UInt32Value: asUint,
  UInt64Value: asUint,
  ListValue: fromJson,
  Struct: fromJson,
  Value: fromJson,
};

function readMessage(json: JsonObject): Value {
  const name = String(json['@type']).replace(/^.*\/google\.protobuf\./, '');
  const read = Object.hasOwn(messages, name) ? messages[name] : undefined;
  const value = read?.(json['value'] as JsonValue);
  if (value === undefined) throw new Unsupported(`no message ${String(json['@type'])}`);
  return value;
}

const primitives: Readonly<Record<string, CelType>> = {
  BOOL: bool,
  INT64: int,
  UINT64: uint,
  DOUBLE: double,
  STRING: string,
  BYTES: bytes,
};
const wellKnown: Readonly<Record<string, CelType>> = { ANY: anyValue, TIMESTAMP: timestamp, DURATION: duration };

const typeReaders: Readonly<Record<string, (json: JsonValue) => CelType | undefined>> = {
  primitive: (json) => primitives[json as string],
  wellKnown: (json) => wellKnown[json as string],
  messageType: (json) => wellKnownMessage(json as string)?.type,
  dyn: () => dyn,
  null: () => nullType,
  type: () => anyType,
  typeParam: (json) => param(json as string),
  listType: (json) => list(readType(object(json)['elemType'] as JsonValue)),
  mapType: (json) =>
    map(readType(object(json)['keyType'] as JsonValue), readType(object(json)['valueType'] as JsonValue)),
  abstractType: (json) =>
    opaque(String(object(json)['name']), ...array(object(json)['parameterTypes']).map((each) => readType(each))),
};

export function readType(json: JsonValue): CelType {
  const [kind = '', content] = Object.entries(object(json))[0] ?? [];
  const read = Object.hasOwn(typeReaders, kind) ? typeReaders[kind] : undefined;
  const type = read?.(content as JsonValue);
  if (type === undefined) throw new Unsupported(`no type is written as ${JSON.stringify(json)}`);
  return type;
}

/** The value as a text that two values share only if they are the same, of the same type. */
export function canonical(value: Value): string {
  if (value instanceof ListValue) return `[${value.toArray().map(canonical).join(', ')}]`;
  if (value instanceof MapValue) return canonicalMap(value);
  if (value instanceof OptionalValue) return `optional(${value.value === undefined ? '' : canonical(value.value)})`;
  return `${typeOf(value)} ${content(value)}`;
}

function canonicalMap(value: MapValue): string {
  const entries = value.keys().map((key) => `${canonical(key)}: ${canonical(value.get(key) as Value)}`);
  return `{${entries.sort().join(', ')}}`;
}

function content(value: Value): string {
  if (value instanceof UintValue) return String(value.value);
  if (value instanceof TypeValue) return value.name;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('hex');
  if (value instanceof DurationValue) return formatDuration(value);
  if (value instanceof TimestampValue) return formatTimestamp(value);
  return Object.is(value, -0) ? '-0' : String(value);
}
