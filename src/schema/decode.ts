// Decoding: one walk over parsed JSON that checks types, drops what the schema does not know, fills in static
// defaults and builds the canonical object (declared field order, sorted map keys, zero values left out).

import { isJsonObject, type JsonObject, setOwn } from '../base/json.ts';
import { normalizeMicroTime, normalizeTime } from '../meta/time.ts';
import type { Field, ScalarName, SchemaType, StructType } from './types.ts';

/** A value of the wrong type; decoding stops at the first one. */
export class TypeMismatch extends Error {
  readonly path: string;
  constructor(path: string, message: string) {
    super(message);
    this.path = path;
  }
}

const maxUnknownFields = 100;

/** Where the walk stands, and what it found on the way. */
export class DecodeContext {
  readonly path: (string | number)[] = [];
  readonly unknownFields: string[] = [];

  /** Remembers a field the schema does not know, up to a limit that no honest document reaches. */
  noteUnknown(name: string): void {
    if (this.unknownFields.length < maxUnknownFields) this.unknownFields.push(this.at(name));
  }

  at(name?: string): string {
    const path = name === undefined ? this.path : [...this.path, name];
    return formatPath(path);
  }
}

export function formatPath(path: readonly (string | number)[]): string {
  let text = '';
  for (const part of path) text += typeof part === 'number' ? `[${part}]` : text === '' ? part : `.${part}`;
  return text;
}

type Decoder = (value: unknown, context: DecodeContext) => unknown;

const compiled = new WeakMap<SchemaType, Decoder>();

/** The decoder of a type, compiled on first use. */
export function decoderOf(type: SchemaType): Decoder {
  let decoder = compiled.get(type);
  if (decoder === undefined) {
    decoder = compile(type);
    compiled.set(type, decoder);
  }
  return decoder;
}

function compile(type: SchemaType): Decoder {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name];
    case 'list':
      return listDecoder(type.of);
    case 'map':
      return mapDecoder(type.of);
    case 'struct':
      return structDecoder(type);
  }
}

function listDecoder(of: SchemaType): Decoder {
  const element = decoderOf(of);
  return (value, context) => {
    if (!Array.isArray(value)) throw mismatch(context, value, 'list');
    return value.map((item, index) => {
      context.path.push(index);
      const decoded = item === null ? zeroOf(of) : element(item, context);
      context.path.pop();
      return decoded;
    });
  };
}

function mapDecoder(of: SchemaType): Decoder {
  const element = decoderOf(of);
  return (value, context) => {
    if (!isJsonObject(value)) throw mismatch(context, value, 'map');
    const result: Record<string, unknown> = {};
    for (const key of sortedKeys(value)) {
      context.path.push(key);
      const item = value[key];
      setOwn(result, key, item === null ? zeroOf(of) : element(item, context));
      context.path.pop();
    }
    return result;
  };
}

function structDecoder(type: StructType): Decoder {
  // compiled when first needed: types may contain themselves
  let fields: { field: Field; decode: Decoder }[] | undefined;
  const names = new Set(type.fields.map((f) => f.name));
  return (value, context) => {
    if (!isJsonObject(value)) throw mismatch(context, value, type.name);
    fields ??= type.fields.map((field) => ({ field, decode: decoderOf(field.type) }));
    const result: Record<string, unknown> = {};
    let known = 0;
    for (const { field, decode } of fields) {
      const raw = value[field.name];
      if (raw !== undefined) known++;
      const decoded = raw === undefined || raw === null ? undefined : decodeField(field.name, raw, decode, context);
      place(result, field, decoded);
    }
    noteUnknown(value, known, names, context);
    return result;
  };
}

function decodeField(name: string, raw: unknown, decode: Decoder, context: DecodeContext): unknown {
  context.path.push(name);
  const decoded = decode(raw, context);
  context.path.pop();
  return decoded;
}

/** Adds a field unless the wire leaves it out: zero values stay only behind a pointer or when always written. */
function place(result: Record<string, unknown>, field: Field, value: unknown): void {
  const isUnset = value === undefined || (!field.pointer && isZero(value));
  if (!isUnset) result[field.name] = value;
  else if (field.default !== undefined) result[field.name] = structuredClone(field.default);
  else if (field.always) result[field.name] = value ?? zeroOf(field.type);
}

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  if (typeof value !== 'object') return false;
  return Array.isArray(value) ? value.length === 0 : isEmptyObject(value);
}

function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

function noteUnknown(value: JsonObject, known: number, names: ReadonlySet<string>, context: DecodeContext): void {
  const keys = Object.keys(value);
  if (keys.length === known) return;
  for (const key of keys) if (!names.has(key)) context.noteUnknown(key);
}

function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return keys.sort();
  }
  return keys;
}

/** What an always-written field shows when nothing was given. */
export function zeroOf(type: SchemaType): unknown {
  switch (type.is) {
    case 'list':
    case 'map':
      return null;
    case 'struct':
      return decoderOf(type)({}, new DecodeContext());
    case 'scalar':
      return scalarZero[type.name];
  }
}

const scalarZero: Readonly<Record<ScalarName, unknown>> = {
  string: '',
  int32: 0,
  int64: 0,
  bool: false,
  double: 0,
  bytes: null,
  'date-time': null,
  'micro-time': null,
  'fields-v1': null,
};

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

const scalars: Readonly<Record<ScalarName, Decoder>> = {
  string: (value, context) => (typeof value === 'string' ? value : fail(context, value, 'string')),
  bool: (value, context) => (typeof value === 'boolean' ? value : fail(context, value, 'bool')),
  double: (value, context) => (typeof value === 'number' ? value : fail(context, value, 'float64')),
  int32: (value, context) => {
    if (!Number.isInteger(value)) fail(context, value, 'int32');
    if ((value as number) > 2147483647 || (value as number) < -2147483648) {
      throw new TypeMismatch(
        context.at(),
        `cannot unmarshal number ${String(value)} into Go struct field ${context.at()} of type int32`,
      );
    }
    return value;
  },
  int64: (value, context) => (Number.isInteger(value) ? value : fail(context, value, 'int64')),
  bytes: (value, context) => {
    if (typeof value !== 'string') return fail(context, value, '[]uint8');
    const text = value.replace(/[\r\n]/g, '');
    if (text.length % 4 !== 0 || !base64.test(text)) {
      throw new TypeMismatch(context.at(), 'illegal base64 data at input byte 0');
    }
    return text;
  },
  'date-time': (value, context) => timestamp(value, context, normalizeTime),
  'micro-time': (value, context) => timestamp(value, context, normalizeMicroTime),
  'fields-v1': (value) => value,
};

function timestamp(value: unknown, context: DecodeContext, normalize: (text: string) => string | undefined): string {
  if (typeof value !== 'string') return fail(context, value, 'Time');
  const text = normalize(value);
  if (text === undefined) {
    throw new TypeMismatch(
      context.at(),
      `parsing time ${JSON.stringify(value)} as "2006-01-02T15:04:05Z07:00": cannot parse`,
    );
  }
  return text;
}

function fail(context: DecodeContext, value: unknown, expected: string): never {
  throw mismatch(context, value, expected);
}

function mismatch(context: DecodeContext, value: unknown, expected: string): TypeMismatch {
  const found = Array.isArray(value)
    ? 'array'
    : value === null
      ? 'null'
      : typeof value === 'boolean'
        ? 'bool'
        : typeof value;
  return new TypeMismatch(
    context.at(),
    `cannot unmarshal ${found} into Go struct field ${context.at()} of type ${expected}`,
  );
}
