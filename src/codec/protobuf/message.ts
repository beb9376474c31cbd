// Objects as protobuf messages, in both directions, from the same definitions that JSON is read by.

import type { JsonObject, JsonValue } from '../../base/json/json.ts';
import { isJsonObject, setOwn, stringifyJson } from '../../base/json/json.ts';
import { parseJsonText } from '../../base/json/json-scan.ts';
import { weighJson } from '../../base/json/json-weight.ts';
import { memoized } from '../../base/memoized.ts';
import { formatTime } from '../../meta/time.ts';
import { alternativeFor } from '../../schema/alternatives.ts';
import {
  type Field,
  listOf,
  type ScalarName,
  type SchemaType,
  type StructType,
  type UnionType,
} from '../../schema/types.ts';
import {
  asBytes,
  asInteger,
  asLong,
  asText,
  countFields,
  MalformedProtobufError,
  readFields,
  type WireField,
} from './reader.ts';
import type { ProtobufWriter } from './writer.ts';

/** What protobuf has under one number: a field, or a message whose members JSON has in the parent. */
export type Part =
  | { readonly is: 'field'; readonly number: number; readonly field: Field }
  | { readonly is: 'nested'; readonly number: number; readonly parts: Layout };

/** Parts by rising number. */
export type Layout = ReadonlyMap<number, Part>;

export const layoutOf = memoized((type: StructType): Layout => layOut(type.fields, 0));

function layOut(fields: readonly Field[], depth: number): Layout {
  const byNumber = new Map<number, Field[]>();
  for (const field of fields) {
    const number = field.within?.[depth] ?? field.number;
    byNumber.set(number, [...(byNumber.get(number) ?? []), field]);
  }
  const parts = [...byNumber].map(([number, members]): Part => {
    const [first] = members as [Field];
    return first.within?.[depth] === undefined
      ? { is: 'field', number, field: first }
      : { is: 'nested', number, parts: layOut(members, depth + 1) };
  });
  return new Map(parts.sort((a, b) => a.number - b.number).map((part) => [part.number, part]));
}

/** A message as the JSON value it stands for; fields the schema does not know are skipped. */
export const decodeMessage = (type: StructType, bytes: Uint8Array): JsonObject => readParts(layoutOf(type), bytes, {});

function readParts(layout: Layout, bytes: Uint8Array, result: JsonObject): JsonObject {
  for (const { number, value } of readFields(bytes)) {
    const part = layout.get(number);
    if (part?.is === 'nested') readParts(part.parts, asBytes(value), result);
    else if (part?.field.type.is === 'scalar')
      setOwn(result, part.field.name, scalars[part.field.type.name].read(value));
    else if (part !== undefined) readInto(result, part.field, value);
  }
  return result;
}

function readInto(result: JsonObject, { name, type }: Field, value: WireField['value']): void {
  if (type.is === 'map') {
    result[name] ??= {};
    readEntry(type.of, asBytes(value), result[name] as JsonObject);
  } else if (type.is === 'list' && !type.wrapped) {
    result[name] ??= [];
    (result[name] as JsonValue[]).push(readFieldValue(type.of, value));
  } else setOwn(result, name, readFieldValue(type, value));
}

function readEntry(of: SchemaType, bytes: Uint8Array, map: JsonObject): void {
  let key = '';
  let value: JsonValue = of.is === 'struct' ? {} : '';
  for (const wire of readFields(bytes)) {
    if (wire.number === 1) key = asText(wire.value);
    else if (wire.number === 2)
      value = of.is === 'scalar' ? scalars[of.name].read(wire.value) : readFieldValue(of, wire.value);
  }
  setOwn(map, key, value);
}

function readFieldValue(type: SchemaType, value: WireField['value']): JsonValue {
  if (type.is === 'scalar') return scalars[type.name].read(value);
  if (type.is === 'struct') return decodeMessage(type, asBytes(value));
  if (type.is === 'union') return readUnion(type, asBytes(value));
  if (type.is === 'list' && type.wrapped) return readList(type.of, asBytes(value));
  throw new MalformedProtobufError('lists of lists have no protobuf form');
}

function readList(of: SchemaType, bytes: Uint8Array): JsonValue {
  const list: JsonValue[] = [];
  for (const wire of readFields(bytes)) {
    list.push(readFieldValue(of, wire.value));
  }
  return list;
}

/** Writes a message: what is not behind a pointer is written even when it is zero, fields by rising number. */
export function encodeMessage(type: StructType, value: JsonObject, out: ProtobufWriter): void {
  encodeParts(layoutOf(type), value, out);
}

function encodeParts(layout: Layout, value: JsonObject, out: ProtobufWriter): void {
  for (const part of layout.values()) encodePart(part, value, out);
}

/** What a message of `value` has under one number. */
export function encodePart(part: Part, value: JsonObject, out: ProtobufWriter): void {
  if (part.is === 'field') writeField(part.field, value[part.field.name], out);
  else out.message(part.number, (inner) => encodeParts(part.parts, value, inner));
}

function writeField({ number, type, pointer }: Field, value: JsonValue | undefined, out: ProtobufWriter): void {
  const isSet = value !== undefined && value !== null;
  if (type.is === 'list' && !type.wrapped) {
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

export function writeValue(number: number, type: SchemaType, value: JsonValue, out: ProtobufWriter): void {
  if (type.is === 'scalar') scalars[type.name].write(number, value, out);
  else if (type.is === 'struct')
    out.message(number, (inner) => encodeMessage(type, isJsonObject(value) ? value : {}, inner));
  else if (type.is === 'union') out.message(number, (inner) => writeUnion(type, value, inner));
  else if (type.is === 'list')
    out.message(number, (inner) => writeField({ name: '', number: 1, type: listOf(type.of) }, value, inner));
}

/** The last alternative that is neither empty nor a mere yes or no; else the yes or no. */
function readUnion({ alternatives }: UnionType, bytes: Uint8Array): JsonValue {
  let found: JsonValue = null;
  const list: JsonValue[] = [];
  for (const wire of readFields(bytes)) {
    const type = alternatives.find(({ number }) => number === wire.number)?.type;
    if (type?.is === 'list') {
      list.push(readFieldValue(type.of, wire.value));
      found = list;
    } else if (type !== undefined && (found === null || typeof found === 'boolean')) {
      found = readFieldValue(type, wire.value);
    }
  }
  return found;
}

/** compat: a yes-or-no alternative is always written, and is yes next to another one. */
function writeUnion(type: UnionType, value: JsonValue, out: ProtobufWriter): void {
  const chosen = alternativeFor(type, value);
  for (const { number, type: alternative } of type.alternatives) {
    if (alternative === chosen?.type) writeField({ name: '', number, type: alternative }, value, out);
    else if (alternative.is === 'scalar') out.bool(number, true);
  }
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
  write: (number, value, out) => out.integer(number, (value ?? 0) as number | bigint),
};

/** JSON text in its own message. */
const json: ScalarCodec = {
  writesZero: false,
  read: (value) => readWrapped(asBytes(value)),
  write: (number, value, out) =>
    out.message(number, (inner) => (value === null ? inner : inner.string(1, stringifyJson(value)))),
};

const scalars: Readonly<Record<ScalarName, ScalarCodec>> = {
  string: {
    writesZero: true,
    read: asText,
    write: (number, value, out) => out.string(number, (value ?? '') as string),
  },
  int32: integer,
  int64: { ...integer, read: asLong },
  bool: {
    writesZero: true,
    read: (value) => asInteger(value) !== 0,
    write: (number, value, out) => out.bool(number, value === true),
  },
  double: {
    writesZero: true,
    read: (value) => {
      const bytes = asBytes(value);
      if (bytes.length !== 8) throw new MalformedProtobufError('unexpected EOF');
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
  quantity: {
    writesZero: true,
    read: (value) => readFirst(asBytes(value), asText) ?? '0',
    write: (number, value, out) => out.message(number, (inner) => inner.string(1, (value ?? '0') as string)),
  },
  'int-or-string': {
    writesZero: true,
    read: readIntOrString,
    write: (number, value, out) =>
      out.message(number, (inner) => {
        const isText = typeof value === 'string';
        inner
          .integer(1, isText ? 1 : 0)
          .integer(2, isText ? 0 : ((value ?? 0) as number))
          .string(3, isText ? value : '');
      }),
  },
  'raw-extension': { ...json, writesZero: true },
  'any-json': json,
  'fields-v1': json,
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
  const text = readFirst(bytes, asText);
  return text === undefined ? null : parseText(text);
}

/** The field with number 1, where a message has nothing else. */
function readFirst<T>(bytes: Uint8Array, as: (value: WireField['value']) => T): T | undefined {
  for (const field of readFields(bytes)) if (field.number === 1) return as(field.value);
  return undefined;
}

function readIntOrString(value: WireField['value']): JsonValue {
  let isText = false;
  let number = 0;
  let text = '';
  for (const field of readFields(asBytes(value))) {
    if (field.number === 1) isText = asInteger(field.value) === 1;
    else if (field.number === 2) number = asInteger(field.value);
    else if (field.number === 3) text = asText(field.value);
  }
  return isText ? text : number;
}

function parseText(text: string): JsonValue {
  const { values, isTooDeep } = weighJson(text);
  countFields(values);
  if (isTooDeep) throw new MalformedProtobufError('embedded JSON is nested too deeply');
  try {
    return parseJsonText(text);
  } catch {
    throw new MalformedProtobufError('embedded JSON cannot be read');
  }
}
