// Schemas of custom resources as types of expressions, with the sizes that values can have.

import {
  additionalOf,
  isEmbedded,
  isIntOrString,
  itemsOf,
  keysOf,
  listTypeOf,
  propertiesOf,
  type Schema,
} from '../schema/structural/schema.ts';
import type { MaxSize } from './estimate.ts';
import { fieldName, isNameable } from './schema-types.ts';
import {
  bool,
  bytes,
  type CelType,
  double,
  duration,
  dyn,
  int,
  type ListType,
  list,
  map,
  type ObjectField,
  objectOf,
  string,
  timestamp,
} from './types.ts';

/** A schema as expressions see it. */
export interface DeclaredType {
  readonly type: CelType;
  /** The most characters, items or entries that a value can have; 0 where nothing is counted. */
  readonly maxSize: number;
  /** The fewest bytes that a value has as JSON. */
  readonly minBytes: number;
  /** By the names that expressions use. */
  readonly fields?: ReadonlyMap<string, DeclaredType>;
  /** By their own names: also what expressions cannot name. */
  readonly properties?: ReadonlyMap<string, DeclaredType>;
  readonly key?: DeclaredType;
  /** Of items of a list and of values of a map. */
  readonly element?: DeclaredType;
}

/** What a request may have: nothing in it is larger. */
const maxRequestBytes = 3 * 1024 * 1024;
const quotes = 2;
const longestText = maxRequestBytes - quotes;

const plain = (type: CelType, minBytes: number, maxSize = 0): DeclaredType => ({ type, minBytes, maxSize });

/** compat: names in maps count as having no length when costs are estimated */
const mapKey = plain(string, 2);
const anyNumberOrText = plain(dyn, 1, longestText);
const anyText = plain(string, 2, longestText);
const scalars: Readonly<Record<string, DeclaredType>> = {
  boolean: plain(bool, 4),
  number: plain(double, 1),
  integer: plain(int, 1),
};
const times: Readonly<Record<string, DeclaredType>> = {
  duration: plain(duration, 3, 32),
  date: plain(timestamp, 12, 12),
  'date-time': plain(timestamp, 21, 32),
};

/** Made once for each schema: as a whole object, and as a part of one. */
const whole = new WeakMap<Schema, DeclaredType | undefined>();
const parts = new WeakMap<Schema, DeclaredType | undefined>();

/**
 * The type of a schema, undefined if expressions cannot see it: the value or its content has no type.
 * `isObject`: the schema describes a whole object, with the fields that every object has. `name` is what messages call it;
 * no two objects in a schema have the same.
 */
export function declareSchema(schema: Schema, isObject: boolean, name = 'selfType'): DeclaredType | undefined {
  const cache = isObject ? whole : parts;
  if (!cache.has(schema)) cache.set(schema, declare(schema, isObject, name));
  return cache.get(schema);
}

function declare(schema: Schema, isObject: boolean, name: string): DeclaredType | undefined {
  if (isIntOrString(schema)) return anyNumberOrText;
  switch (schema.type) {
    case 'array':
      return declareList(schema, name);
    case 'object':
      return additionalOf(schema) ? declareMap(schema, name) : declareObject(schema, isObject, name);
    case 'string':
      return declareText(schema);
    default:
      return Object.hasOwn(scalars, schema.type ?? '') ? scalars[schema.type as string] : undefined;
  }
}

const limit = (given: number | undefined): number | undefined =>
  given === undefined ? undefined : Math.max(0, Number(given));

function declareList(schema: Schema, name: string): DeclaredType | undefined {
  const items = itemsOf(schema);
  const element = items && declareSchema(items, isEmbedded(items), `${name}.@idx`);
  if (element === undefined) return undefined;
  const maxSize = limit(schema.maxItems) ?? Math.floor((maxRequestBytes - 2) / (element.minBytes + 1));
  return { type: { ...list(element.type), ...identityOf(schema) }, maxSize, minBytes: 2, element };
}

/** Sets have no keys, and lists of objects some. */
function identityOf(schema: Schema): Pick<ListType, 'keys'> {
  switch (listTypeOf(schema)) {
    case 'set':
      return { keys: [] };
    case 'map':
      return { keys: keysOf(schema) };
    default:
      return {};
  }
}

function declareMap(schema: Schema, name: string): DeclaredType | undefined {
  const values = additionalOf(schema) as Schema;
  const element = declareSchema(values, isEmbedded(values), `${name}.@elem`);
  if (element === undefined) return undefined;
  // an entry has a key, two quotes, a colon and a comma besides its value
  const maxSize = limit(schema.maxProperties) ?? Math.floor((maxRequestBytes - 2) / (element.minBytes + 6));
  return { type: map(string, element.type), maxSize, minBytes: 2, key: mapKey, element };
}

function declareText(schema: Schema): DeclaredType {
  const { format = '', maxLength, enum: choices = [] } = schema;
  const timeType = Object.hasOwn(times, format) ? times[format] : undefined;
  if (timeType !== undefined) return timeType;
  if (format === 'byte') return plain(bytes, 2, limit(maxLength) ?? longestText);
  // a character has up to four bytes
  if (maxLength !== undefined) return plain(string, 2, (limit(maxLength) as number) * 4);
  if (choices.length === 0) return anyText;
  const longest = choices.reduce<number>((most, choice) => Math.max(most, bytesOf(choice)), 0);
  return plain(string, 2, longest);
}

const bytesOf = (choice: unknown): number => (typeof choice === 'string' ? Buffer.byteLength(choice) : 0);

function declareObject(schema: Schema, isObject: boolean, name: string): DeclaredType {
  const properties = new Map<string, DeclaredType>();
  const needed = new Set(schema.required);
  let minBytes = 2;
  for (const { name: key, schema: one } of propertiesOf(isObject ? withMeta(schema) : schema, '')) {
    const declared = declareSchema(one, isEmbedded(one), `${name}.${key}`);
    if (declared === undefined) continue;
    properties.set(key, declared);
    // two quotes, a colon and a comma; what has a default may be left out
    if (needed.has(key) && isAbsent(one.default)) minBytes += Buffer.byteLength(key) + declared.minBytes + 4;
  }
  return { ...fieldsOf(properties, name), maxSize: 0, minBytes, properties };
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

function fieldsOf(properties: ReadonlyMap<string, DeclaredType>, name: string): Pick<DeclaredType, 'type' | 'fields'> {
  const fields = new Map<string, DeclaredType>();
  const table = new Map<string, ObjectField>();
  for (const [key, declared] of properties) {
    if (!isNameable(key)) continue;
    fields.set(fieldName(key), declared);
    table.set(fieldName(key), { type: declared.type, key });
  }
  return { fields, type: objectOf({ name, field: (field) => table.get(field) }) };
}

const text: Schema = { type: 'string' };
/** Makes a new object: no two types are identical. */
const objectMeta = () => ({
  apiVersion: text,
  kind: text,
  metadata: { type: 'object', properties: { name: text, generateName: text } },
});

/** Every object has these fields; of its metadata only the names are visible, whatever its schema has. */
function withMeta(schema: Schema): Schema {
  const { properties = {} } = schema;
  const own = (name: string, of: Schema['properties'] = properties) => (Object.hasOwn(of, name) ? of[name] : undefined);
  const { type, properties: inner } = own('metadata') ?? {};
  const isComplete =
    own('apiVersion')?.type === 'string' &&
    own('kind')?.type === 'string' &&
    type === 'object' &&
    own('name', inner ?? {})?.type === 'string' &&
    own('generateName', inner ?? {})?.type === 'string';
  return isComplete ? schema : { ...schema, properties: { ...properties, ...objectMeta() } };
}

/** How many of a value there can be in one object at most, where nothing else limits them. */
export function mostOf({ minBytes }: DeclaredType): number {
  return Math.floor(maxRequestBytes / (minBytes + 1));
}

/** What estimates of costs ask about the variables `self` and `oldSelf`, which have the type. */
export function sizesOf(declared: DeclaredType): MaxSize {
  return ([, ...steps]) => steps.reduce<DeclaredType | undefined>(stepInto, declared)?.maxSize;
}

function stepInto(declared: DeclaredType | undefined, step: string): DeclaredType | undefined {
  switch (step) {
    case '@items':
    case '@values':
      return declared?.element;
    case '@keys':
      return declared?.key;
    default:
      return declared?.fields?.get(step);
  }
}
