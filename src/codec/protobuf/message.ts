// Objects as protobuf messages, in both directions, from the same definitions that JSON is read by.

import type { JsonObject, JsonValue } from '../../base/json.ts';
import { isJsonObject, setOwn } from '../../base/json.ts';
import { formatTime } from '../../meta/time.ts';
import type { Field, ScalarName, SchemaType, StructType } from '../../schema/types.ts';
import { asBytes, asInteger, asText, MalformedProtobufError, readFields, type WireField } from './reader.ts';
import type { ProtobufWriter } from './writer.ts';

/** A message as the JSON value it stands for; fields the schema does not know are skipped. */
export function decodeMessage(type: StructType, bytes: Uint8Array): JsonObject {
  const fields = fieldsByNumber(type);
  const result: JsonObject = {};
  for (const wire of readFields(bytes)) {
    const field = fields.get(wire.number);
    if (field !== undefined) readInto(result, field, wire.value);
  }
  return result;
}

const numbered = new WeakMap<StructType, ReadonlyMap<number, Field>>();

function fieldsByNumber(type: StructType): ReadonlyMap<number, Field> {
  let fields = numbered.get(type);
  if (fields === undefined) {
    fields = new Map(type.fields.map((field) => [field.number, field]));
    numbered.set(type, fields);
  }
  return fields;
}

function readInto(result: JsonObject, { name, type }: Field, value: WireField['value']): void {
  if (type.is === 'list') {
    result[name] ??= [];
    (result[name] as JsonValue[]).push(readValue(type.of, value));
  } else if (type.is === 'map') {
    result[name] ??= {};
    const entry = readEntry(type.of, asBytes(value));
    setOwn(result[name] as JsonObject, entry.key, entry.value);
  } else {
    setOwn(result, name, readValue(type, value));
  }
}

function readEntry(of: SchemaType, bytes: Uint8Array): { key: string; value: JsonValue } {
  let key = '';
  let value: JsonValue = of.is === 'struct' ? {} : '';
  for (const wire of readFields(bytes)) {
    if (wire.number === 1) key = asText(wire.value);
    else if (wire.number === 2) value = readValue(of, wire.value);
  }
  return { key, value };
}

function readValue(type: SchemaType, value: WireField['value']): JsonValue {
  if (type.is === 'struct') return decodeMessage(type, asBytes(value));
  if (type.is === 'scalar') return scalars[type.name].read(value);
  throw new MalformedProtobufError('lists of lists have no protobuf form');
}

/** Writes a message: what is not behind a pointer is written even when it is zero, fields by rising number. */
export function encodeMessage(type: StructType, value: JsonObject, out: ProtobufWriter): void {
  for (const field of byNumber(type)) writeField(field, value[field.name], out);
}

const ordered = new WeakMap<StructType, readonly Field[]>();

function byNumber(type: StructType): readonly Field[] {
  let fields = ordered.get(type);
  if (fields === undefined) {
    fields = [...type.fields].sort((a, b) => a.number - b.number);
    ordered.set(type, fields);
  }
  return fields;
}

function writeField({ number, type, pointer }: Field, value: JsonValue | undefined, out: ProtobufWriter): void {
  const isSet = value !== undefined && value !== null;
  if (type.is === 'list') {
    if (isSet) for (const item of value as JsonValue[]) writeValue(number, type.of, item, out);
  } else if (type.is === 'map') {
    if (isSet) writeMap(number, type.of, value as JsonObject, out);
  } else if (isSet || (!pointer && writesZero(type))) {
    writeValue(number, type, value ?? null, out);
  }
}

const writesZero = (type: SchemaType) =>
  type.is === 'struct' || (type.is === 'scalar' && scalars[type.name].writesZero);

function writeMap(number: number, of: SchemaType, map: JsonObject, out: ProtobufWriter): void {
  for (const key of Object.keys(map).sort()) {
    out.message(number, (entry) => {
      entry.string(1, key);
      writeValue(2, of, map[key] as JsonValue, entry);
    });
  }
}

function writeValue(number: number, type: SchemaType, value: JsonValue, out: ProtobufWriter): void {
  if (type.is === 'struct')
    out.message(number, (inner) => encodeMessage(type, isJsonObject(value) ? value : {}, inner));
  else if (type.is === 'scalar') scalars[type.name].write(number, value, out);
}

interface ScalarCodec {
  /** Whether an unset field that is no pointer is written. */
  readonly writesZero: boolean;
  read(value: WireField['value']): JsonValue;
  write(number: number, value: JsonValue, out: ProtobufWriter): void;
}

const integer: ScalarCodec = {
  writesZero: true,
  read: asInteger,
  write: (number, value, out) => out.integer(number, (value ?? 0) as number),
};

const scalars: Readonly<Record<ScalarName, ScalarCodec>> = {
  string: {
    writesZero: true,
    read: asText,
    write: (number, value, out) => out.string(number, (value ?? '') as string),
  },
  int32: integer,
  int64: integer,
  bool: {
    writesZero: true,
    read: (value) => asInteger(value) !== 0,
    write: (number, value, out) => out.bool(number, value === true),
  },
  double: {
    writesZero: true,
    read: (value) => {
      const bytes = asBytes(value);
      if (bytes.length !== 8) throw new MalformedProtobufError('a number is cut off');
      return bytes.readDoubleLE(0);
    },
    write: (number, value, out) => out.double(number, (value ?? 0) as number),
  },
  bytes: {
    writesZero: false,
    read: (value) => asBytes(value).toString('base64'),
    write: (number, value, out) => out.bytes(number, Buffer.from((value ?? '') as string, 'base64')),
  },
  'date-time': timeCodec((seconds) => formatTime(seconds * 1000)),
  'micro-time': timeCodec((seconds, nanos) => {
    const micros = String(Math.floor(nanos / 1000)).padStart(6, '0');
    return `${formatTime(seconds * 1000).slice(0, 19)}.${micros}Z`;
  }),
  'fields-v1': {
    writesZero: false,
    read: (value) => readWrapped(asBytes(value)),
    write: (number, value, out) => out.message(number, (inner) => inner.string(1, JSON.stringify(value))),
  },
};

/** The year 9999. */
const maxSeconds = 253_402_300_799;

/** Times are messages of seconds and nanoseconds; an empty one is no time at all. */
function timeCodec(format: (seconds: number, nanos: number) => string): ScalarCodec {
  return {
    writesZero: true,
    read(value) {
      let seconds: number | undefined;
      let nanos = 0;
      for (const field of readFields(asBytes(value))) {
        if (field.number === 1) seconds = asInteger(field.value);
        else if (field.number === 2) nanos = asInteger(field.value);
      }
      if (seconds === undefined) return null;
      if (Math.abs(seconds) > maxSeconds) throw new MalformedProtobufError('a time is out of range');
      return format(seconds, nanos);
    },
    write(number, value, out) {
      out.message(number, (inner) => {
        if (typeof value !== 'string') return;
        const fraction = /\.(\d{6})/.exec(value)?.[1] ?? '0';
        inner.integer(1, Math.floor(Date.parse(value) / 1000)).integer(2, Number(fraction) * 1000);
      });
    },
  };
}

function readWrapped(bytes: Uint8Array): JsonValue {
  for (const field of readFields(bytes)) if (field.number === 1) return parseText(asText(field.value));
  return null;
}

function parseText(text: string): JsonValue {
  try {
    return JSON.parse(text) as JsonValue;
  } catch {
    throw new MalformedProtobufError('a field set is no JSON');
  }
}
