// Decoding: one walk over parsed JSON that checks types, drops what the schema does not know, fills in static
// defaults and builds the canonical object (declared field order, sorted map keys, zero values left out).

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json/json.ts';
import { KeyPlans } from '../base/key-plans.ts';
import { memoized } from '../base/memoized.ts';
import { tooManyItems } from '../meta/status.ts';
import { jsonForm, TypeMismatch, wrongForm } from '../wording/type-mismatch.ts';
import { explainMismatch } from '../wording/types/explain-mismatch.ts';
import { goNameOf } from '../wording/types/go-names.ts';
import { alternativeFor } from './alternatives.ts';
import { DecodeContext, type Decoder } from './decode-context.ts';
import { noteGivenEmpty } from './given-empty.ts';
import { scalars } from './scalars.ts';
import { structuralDecoder } from './structural/decode.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { Field, ListType, MapType, ScalarName, SchemaType, StructType, UnionType } from './types.ts';

/** A decoder that says what is wrong with a value as clients are told it. */
export function decoderOf(type: SchemaType | StructuralType): Decoder {
  const decode = bareDecoderOf(type);
  if (type.is === 'structural') return decode;
  return (value, context, known) => {
    try {
      return decode(value, context, known);
    } catch (error) {
      throw (error instanceof TypeMismatch && explainMismatch(type, value)) || error;
    }
  };
}

/** The decoder of a type, compiled on first use. It stops at the first value of a wrong type that it meets, wherever it stands. */
export const bareDecoderOf = memoized((type: SchemaType | StructuralType): Decoder => compile(type));

function compile(type: SchemaType | StructuralType): Decoder {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name];
    case 'list':
      return listDecoder(type);
    case 'map':
      return mapDecoder(type);
    case 'struct':
      return structDecoder(type);
    case 'union':
      return unionDecoder(type);
    case 'structural':
      return structuralDecoder(type, decoderOf(type.meta));
  }
}

const wrongType = (type: SchemaType, value: unknown) => wrongForm(jsonForm(value), goNameOf(type));

const isEmptyList = (value: unknown) => Array.isArray(value) && value.length === 0;

function unionDecoder(type: UnionType): Decoder {
  return (value, context) => {
    const chosen = alternativeFor(type, value);
    if (type.refusal === '' && (chosen === undefined || isEmptyList(value))) return undefined;
    if (chosen === undefined) throw type.refusal ? new TypeMismatch(type.refusal) : wrongType(type, value);
    return bareDecoderOf(chosen.type)(value, context);
  };
}

function listDecoder(type: ListType): Decoder {
  const { of, most = Number.POSITIVE_INFINITY } = type;
  const element = bareDecoderOf(of);
  const decodeItem = (item: unknown, context: DecodeContext) => (item === null ? zeroOf(of) : element(item, context));
  return (value, context) => {
    if (!Array.isArray(value)) throw wrongType(type, value);
    if (value.length > most) throw tooManyItems(context.path.join('.'), most);
    return value.map((item: unknown) => decodeItem(item, context));
  };
}

/** What stands for a null in a map. */
// compat: bytes in a map are empty where they are null
const zeroEntryOf = ({ of }: MapType): unknown => (of.is === 'scalar' && of.name === 'bytes' ? '' : zeroOf(of));

function mapDecoder(type: MapType): Decoder {
  const { of, most } = type;
  const element = bareDecoderOf(of);
  return (value, context) => {
    if (!isJsonObject(value)) throw wrongType(type, value);
    const result: Record<string, unknown> = {};
    for (const key of keysOf(value, most, context)) {
      const item = value[key];
      const decoded = item === null ? undefined : element(item, context);
      setOwn(result, key, decoded === undefined ? zeroEntryOf(type) : decoded);
    }
    return result;
  };
}

function structDecoder(type: StructType): Decoder {
  // compiled when first needed: types may contain themselves
  let fields: FieldTable | undefined;
  return (value, context, known) => {
    if (!isJsonObject(value)) throw wrongType(type, value);
    fields ??= new FieldTable(type);
    const before = isJsonObject(known) ? known : nothingKnown;
    const result = context.begin();
    let met = type.embedded ? keepTypeMeta(value, result) : 0;
    for (const { field, decode } of fields.toLookAt(value)) {
      const raw = value[field.name];
      if (raw !== undefined) met++;
      const same = before === nothingKnown ? undefined : before[field.name];
      if (raw !== undefined && raw !== null && raw === same) result[field.name] = raw;
      else place(result, field, raw == null ? undefined : decodeField(field.name, raw, decode, context, same), context);
      if (raw != null && result[field.name] == null) noteUnset(result, field);
    }
    met += context.typeMetaFieldsOf(value);
    if (met !== countKeys(value)) context.metUnknown = true;
    return result;
  };
}

function countKeys(value: object): number {
  let count = 0;
  for (const _ in value) count++;
  return count;
}

/** What is given and has no value is empty. */
function noteUnset(result: object, { name, type }: Field): void {
  if (type.is === 'list' || type.is === 'map') noteGivenEmpty(result, name, type.is);
  else if (type.is === 'scalar' && type.name === 'bytes') noteGivenEmpty(result, name, 'bytes');
}

interface FieldDecoder {
  readonly field: Field;
  readonly decode: Decoder;
  readonly at: number;
}

/** The fields of a struct in their order. */
class FieldTable {
  readonly #byName: ReadonlyMap<string, FieldDecoder>;
  /** Fields that leave a trace where they are not given. */
  readonly #traced: readonly FieldDecoder[];
  readonly #plans = new KeyPlans((keys) => this.#choose(keys));

  constructor({ fields }: StructType) {
    const all = fields.map((field, at) => ({ field, at, decode: bareDecoderOf(field.type) }));
    this.#byName = new Map(all.map((one) => [one.field.name, one]));
    this.#traced = all.filter(({ field }) => field.always || hasDefault(field));
  }

  /** Those that an object gives a value to, and those that leave a trace, in their order. */
  toLookAt(value: object): readonly FieldDecoder[] {
    return this.#plans.of(value);
  }

  #choose(keys: readonly string[]): readonly FieldDecoder[] {
    const given = keys.flatMap((key) => this.#byName.get(key) ?? []);
    const missing = this.#traced.filter((one) => !keys.includes(one.field.name));
    return [...given, ...missing].sort((a, b) => a.at - b.at);
  }
}

const nothingKnown: JsonObject = {};

/** How many of the two fields there are. */
function keepTypeMeta(value: JsonObject, result: Record<string, unknown>): number {
  const given = ['kind', 'apiVersion'].filter((name) => value[name] !== undefined);
  for (const name of given) if (value[name] !== null) result[name] = scalars.string(value[name]);
  return given.length;
}

function decodeField(name: string, raw: unknown, decode: Decoder, context: DecodeContext, known: unknown): unknown {
  context.path.push(name);
  const decoded = decode(raw, context, known);
  context.path.pop();
  return decoded;
}

/** Adds a field unless the wire leaves it out: zero values stay only behind a pointer or when always written. */
function place(result: Record<string, unknown>, field: Field, value: unknown, context: DecodeContext): void {
  const { fillsDefaults } = context;
  const isUnset = value === undefined || (!field.pointer && !field.keepsEmpty && isZero(value));
  if (!isUnset) result[field.name] = value;
  else if (fillsDefaults && hasDefault(field)) result[field.name] = copyOfDefault(field.default);
  // compat: a list that is always written and has no items is stored as none
  else if (field.always)
    result[field.name] =
      field.pointer || field.type.is === 'list' ? null : (value ?? unsetValue(field.type, fillsDefaults));
}

/** Most defaults are scalars, of which V8 takes microseconds to make a clone. */
const copyOfDefault = (value: unknown): unknown => (typeof value === 'object' ? structuredClone(value) : value);

const unsetValue = (type: SchemaType, fillsDefaults: boolean) => (fillsDefaults ? zeroOf(type) : bareZero(type));

/** A default that is the zero value is not written either: it only tells what the key of a list's item is. */
const hasDefault = ({ default: value, pointer }: Field): boolean =>
  value !== undefined && (!!pointer || !isZero(value));

function isZero(value: unknown): boolean {
  if (value === '' || value === 0 || value === false || value === null) return true;
  if (typeof value !== 'object') return false;
  return Array.isArray(value) ? value.length === 0 : isEmptyObject(value);
}

function isEmptyObject(value: object): boolean {
  for (const _ in value) return false;
  return true;
}

/** In order. */
function keysOf(value: JsonObject, most: number, { path }: DecodeContext): string[] {
  const keys = Object.keys(value);
  if (keys.length > most) throw tooManyItems(path.join('.'), most);
  return areSorted(keys) ? keys : keys.sort();
}

function areSorted(keys: readonly string[]): boolean {
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
      return bareDecoderOf(type)({}, new DecodeContext());
    case 'scalar':
      return scalarZero[type.name];
    case 'union':
      return null;
  }
}

/** A value with everything that is always written and nothing that is null, as the type holds it; no default is filled in. */
export function asHeld(type: StructType, value: JsonObject): JsonObject {
  const { kind, apiVersion } = value;
  const typeMeta = { kind: String(kind), apiVersion: String(apiVersion) };
  return bareDecoderOf(type)(value, new DecodeContext(typeMeta, false, false)) as JsonObject;
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
