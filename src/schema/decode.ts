// Decoding: one walk over parsed JSON that checks types, drops what the schema does not know, fills in static
// defaults and builds the canonical object (declared field order, sorted map keys, zero values left out).

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json.ts';
import { canonicalQuantity, quantityProblem } from '../meta/quantity.ts';
import { tooManyItems } from '../meta/status.ts';
import { normalizeMicroTime, normalizeTime } from '../meta/time.ts';
import { microTimePieces, timePieces, timeProblem } from '../meta/time-problem.ts';
import { DecodeContext, type Decoder, jsonForm, TypeMismatch } from './decode-context.ts';
import { structuralDecoder } from './structural/decode.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { Alternative, Field, ListType, MapType, ScalarName, SchemaType, StructType, UnionType } from './types.ts';

const compiled = new WeakMap<SchemaType | StructuralType, Decoder>();

/** The decoder of a type, compiled on first use. */
export function decoderOf(type: SchemaType | StructuralType): Decoder {
  let decoder = compiled.get(type);
  if (decoder === undefined) {
    decoder = compile(type);
    compiled.set(type, decoder);
  }
  return decoder;
}

function compile(type: SchemaType | StructuralType): Decoder {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name];
    case 'list':
      return listDecoder(type, goTypeOf(type));
    case 'map':
      return mapDecoder(type, goTypeOf(type));
    case 'struct':
      return structDecoder(type);
    case 'union':
      return unionDecoder(type);
    case 'structural':
      return structuralDecoder(type, decoderOf(type.meta));
  }
}

/** The alternative that takes values of this form. */
export function alternativeFor({ alternatives }: UnionType, value: unknown): Alternative | undefined {
  return alternatives.find(({ type }) => {
    if (type.is === 'list') return Array.isArray(value);
    return type.is === 'struct' ? isJsonObject(value) : typeof value === 'boolean';
  });
}

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

function unionDecoder(type: UnionType): Decoder {
  return (value, context) => {
    const chosen = alternativeFor(type, value);
    if (type.refusal === '' && (chosen === undefined || isEmptyList(value))) return undefined;
    if (chosen === undefined)
      throw type.refusal ? new TypeMismatch(type.refusal) : mismatch(context, value, goTypeOf(type));
    return decoderOf(chosen.type)(value, context);
  };
}

function listDecoder(type: ListType, goType: string): Decoder {
  const { of, most = Number.POSITIVE_INFINITY } = type;
  const element = decoderOf(of);
  const decodeItem = (item: unknown, context: DecodeContext) => (item === null ? zeroOf(of) : element(item, context));
  return (value, context) => {
    if (!Array.isArray(value)) throw mismatch(context, value, goType);
    if (value.length > most) throw tooManyItems(context.path.join('.'), most);
    const items = context.parts?.takeList(value, type);
    if (items === undefined) return value.map((item: unknown) => decodeItem(item, context));
    for (let at = items.length; at < value.length; at++) items.push(decodeItem(value[at], context));
    return items;
  };
}

function mapDecoder(type: MapType, goType: string): Decoder {
  const { of, most } = type;
  const element = decoderOf(of);
  // compat: bytes in a map are empty where they are null
  const zeroElement = of.is === 'scalar' && of.name === 'bytes' ? '' : undefined;
  return (value, context) => {
    if (!isJsonObject(value)) throw mismatch(context, value, goType);
    const part = context.parts?.takeMap(value, type);
    if (part === undefined && most !== undefined && Object.keys(value).length > most)
      throw tooManyItems(context.path.join('.'), most);
    const result: Record<string, unknown> = part?.entries ?? {};
    const keys = part === undefined ? sortedKeys(value) : part.keys.slice(part.done);
    for (const key of keys) {
      const item = value[key];
      setOwn(result, key, item === null ? (zeroElement ?? zeroOf(of)) : element(item, context));
    }
    return result;
  };
}

function structDecoder(type: StructType): Decoder {
  // compiled when first needed: types may contain themselves
  let fields: FieldTable | undefined;
  return (value, context, known) => {
    if (!isJsonObject(value)) throw mismatch(context, value, goTypeOf(type));
    const part = context.parts?.takeStruct(value, type);
    if (part !== undefined) return part.decoded;
    fields ??= new FieldTable(type);
    const before = isJsonObject(known) ? known : nothingKnown;
    const result = context.begin();
    const outer = context.struct;
    context.struct = type;
    const keys = Object.keys(value);
    let met = type.embedded ? keepTypeMeta(value, result) : 0;
    for (const { field, decode } of fields.toLookAt(keys)) {
      const raw = value[field.name];
      if (raw !== undefined) met++;
      const same = before[field.name];
      if (raw !== undefined && raw !== null && raw === same) result[field.name] = raw;
      else place(result, field, raw == null ? undefined : decodeField(field.name, raw, decode, context, same), context);
      if (field.always && Array.isArray(raw) && raw.length === 0) context.noteEmptyList(field.name);
    }
    context.struct = outer;
    met += context.typeMetaFieldsOf(value);
    if (keys.length !== met) context.metUnknown = true;
    return result;
  };
}

interface FieldDecoder {
  readonly field: Field;
  readonly decode: Decoder;
  readonly at: number;
}

/** A struct that has fewer of its fields than this part of them is read by what it has. */
const sparsePart = 1 / 4;

/** The fields of a struct in their order. */
class FieldTable {
  readonly #all: readonly FieldDecoder[];
  /** By name, where fields that are not given leave no trace. */
  readonly #byName: ReadonlyMap<string, FieldDecoder> | undefined;

  constructor({ fields }: StructType) {
    this.#all = fields.map((field, at) => ({ field, at, decode: field.off ? dropped : decoderOf(field.type) }));
    const leavesTrace = fields.some((field) => field.always || field.default !== undefined);
    this.#byName = leavesTrace ? undefined : new Map(this.#all.map((one) => [one.field.name, one]));
  }

  /** Those that an object with these keys gives a value to, in their order; all of them where it has many. */
  toLookAt(keys: readonly string[]): readonly FieldDecoder[] {
    const byName = this.#byName;
    if (byName === undefined || keys.length > this.#all.length * sparsePart) return this.#all;
    const given: FieldDecoder[] = [];
    for (const key of keys) {
      const one = byName.get(key);
      if (one !== undefined) given.push(one);
    }
    return given.length < 2 ? given : given.sort((a, b) => a.at - b.at);
  }
}

const nothingKnown: JsonObject = {};

/** How many of the two fields there are. */
function keepTypeMeta(value: JsonObject, result: Record<string, unknown>): number {
  const given = ['kind', 'apiVersion'].filter((name) => value[name] !== undefined);
  for (const name of given) if (typeof value[name] === 'string') result[name] = value[name];
  return given.length;
}

/** What clients send for a feature that is off. */
const dropped: Decoder = () => undefined;

function decodeField(name: string, raw: unknown, decode: Decoder, context: DecodeContext, known: unknown): unknown {
  context.path.push(name);
  const decoded = decode(raw, context, known);
  context.path.pop();
  return decoded;
}

/** Adds a field unless the wire leaves it out: zero values stay only behind a pointer or when always written. */
function place(result: Record<string, unknown>, field: Field, value: unknown, { parts }: DecodeContext): void {
  const isUnset = value === undefined || (!field.pointer && !parts?.hasTaken(value) && isZero(value));
  if (!isUnset) result[field.name] = value;
  else if (field.default !== undefined) result[field.name] = structuredClone(field.default);
  // compat: a list that is always written and has no items is stored as none
  else if (field.always)
    result[field.name] = field.pointer || field.type.is === 'list' ? null : (value ?? zeroOf(field.type));
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

function sortedKeys(value: JsonObject): string[] {
  const keys = Object.keys(value);
  return areSorted(keys) ? keys : keys.sort();
}

export function areSorted(keys: readonly string[]): boolean {
  for (let i = 1; i < keys.length; i++) {
    if ((keys[i - 1] as string) > (keys[i] as string)) return false;
  }
  return true;
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
    case 'union':
      return null;
  }
}

/** What is always written of a struct, without the defaults of its fields. */
export function zeroFields({ fields }: StructType): JsonObject {
  const always = fields.filter((field) => field.always);
  return Object.fromEntries(always.map(({ name, pointer, type }) => [name, pointer ? null : bareZero(type)]));
}

const bareZero = (type: SchemaType) => (type.is === 'struct' ? zeroFields(type) : zeroOf(type)) as JsonValue;

const scalarZero: Readonly<Record<ScalarName, unknown>> = {
  string: '',
  int32: 0,
  int64: 0,
  bool: false,
  double: 0,
  bytes: null,
  'date-time': null,
  'micro-time': null,
  quantity: '0',
  'int-or-string': 0,
  'raw-extension': null,
  'any-json': null,
  'fields-v1': null,
};

const base64 = /^[A-Za-z0-9+/]*={0,2}$/;

const scalars: Readonly<Record<ScalarName, Decoder>> = {
  string: (value, context) => (typeof value === 'string' ? value : fail(context, value, 'string')),
  bool: (value, context) => (typeof value === 'boolean' ? value : fail(context, value, 'bool')),
  double: (value, context) => (typeof value === 'number' ? value : fail(context, value, 'float64')),
  int32: (value, context) => {
    if (!Number.isInteger(value) || (value as number) > 2147483647 || (value as number) < -2147483648) {
      failInteger(context, value, 'int32');
    }
    return value;
  },
  int64: (value, context) => {
    if (typeof value === 'bigint' && BigInt.asIntN(64, value) === value) return value;
    if (!Number.isInteger(value) || Math.abs(value as number) >= 2 ** 63) failInteger(context, value, 'int64');
    return value;
  },
  bytes: (value, context) => {
    if (typeof value !== 'string') return fail(context, value, '[]uint8');
    const text = value.replace(/[\r\n]/g, '');
    if (text.length % 4 !== 0 || !base64.test(text)) {
      throw new TypeMismatch(`illegal base64 data at input byte ${firstIllegal(text)}`);
    }
    // bits that stand for nothing may be set: they are cleared
    return text.endsWith('=') ? Buffer.from(text, 'base64').toString('base64') : text;
  },
  'date-time': (value, context) => timestamp(value, context, normalizeTime, timePieces),
  'micro-time': (value, context) => timestamp(value, context, normalizeMicroTime, microTimePieces),
  quantity: (value) => {
    const isText = typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint';
    const text = isText ? String(value).trim() : '';
    const canonical = canonicalQuantity(text);
    if (canonical === undefined) throw new TypeMismatch(quantityProblem(text));
    return canonical;
  },
  'int-or-string': (value, context) => {
    if (typeof value === 'string') return value;
    return scalars.int32(value, context);
  },
  'raw-extension': (value) => value,
  'any-json': (value) => value,
  'fields-v1': (value) => value,
};

/** The first second of the year 1 stands for no time at all. */
const zeroTime = /^0001-01-01T00:00:00(\.0{6})?Z$/;

function timestamp(
  value: unknown,
  context: DecodeContext,
  normalize: (text: string) => string | undefined,
  pieces: Parameters<typeof timeProblem>[1],
): string | null {
  if (typeof value !== 'string') return fail(context, value, 'string');
  const text = normalize(value);
  if (text === undefined) throw new TypeMismatch(timeProblem(value, pieces));
  return zeroTime.test(text) ? null : text;
}

function fail(context: DecodeContext, value: unknown, expected: string): never {
  throw mismatch(context, value, expected);
}

/** Numbers are told as they are: most of these are integers, only too large. */
function failInteger(context: DecodeContext, value: unknown, expected: string): never {
  const isNumber = typeof value === 'number' || typeof value === 'bigint';
  if (isNumber) throw unfitNumber(String(value), context.place, expected);
  throw mismatch(context, value, expected);
}

export const unfitNumber = (literal: string, place: string, expected: string): TypeMismatch =>
  new TypeMismatch(`json: cannot unmarshal number ${literal} into Go ${place} of type ${expected}`);

function mismatch(context: DecodeContext, value: unknown, expected: string): TypeMismatch {
  const name = context.fieldGoType ?? expected;
  return new TypeMismatch(`json: cannot unmarshal ${jsonForm(value)} into Go ${context.place} of type ${name}`);
}

/** compat: messages name types as the reference implementation's language does */
function goTypeOf(type: SchemaType): string {
  switch (type.is) {
    case 'scalar':
      return goScalars[type.name];
    case 'list':
      return `[]${goTypeOf(type.of)}`;
    case 'map':
      return `map[string]${goTypeOf(type.of)}`;
    case 'struct':
    case 'union':
      return `${type.home.split('/').at(-1)}.${type.name}`;
  }
}

const goScalars: Readonly<Record<ScalarName, string>> = {
  string: 'string',
  int32: 'int32',
  int64: 'int64',
  bool: 'bool',
  double: 'float64',
  bytes: '[]uint8',
  'date-time': 'v1.Time',
  'micro-time': 'v1.MicroTime',
  quantity: 'resource.Quantity',
  'int-or-string': 'intstr.IntOrString',
  'raw-extension': 'runtime.RawExtension',
  'any-json': 'v1.JSON',
  'fields-v1': 'v1.FieldsV1',
};

/** Where base64 stops being base64. */
function firstIllegal(text: string): number {
  const at = text.search(/[^A-Za-z0-9+/]/);
  if (at >= 0) return at === text.length - 1 && at % 4 === 2 ? text.length : at;
  // the last group of four is incomplete
  return text.length - (text.length % 4);
}
