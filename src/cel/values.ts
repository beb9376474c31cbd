// Values while an expression runs. JSON is wrapped, not copied: a part of an object is adapted when it is read.

import { getOwn } from '../base/json/json.ts';
import type { CelType, ObjectField, ObjectType, OpaqueType } from './types.ts';
import { perItem, work, workOnText } from './work.ts';

/** Integers are bigints and doubles are numbers, so that 1 and 1.0 stay distinct and nothing is rounded. */
export type Value =
  | null
  | boolean
  | string
  | number
  | bigint
  | Uint8Array
  | UintValue
  | TimestampValue
  | DurationValue
  | ListValue
  | MapValue
  | ObjectValue
  | TypeValue
  | OptionalValue
  | OpaqueValue;

/**
 * What evaluation throws. Not an Error: `||` and `&&` absorb these inside of loops, and a stack trace for each would
 * cost more than the expression.
 */
export class EvaluationError {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

export const noSuchKey = (key: unknown): EvaluationError => new EvaluationError(`no such key: ${String(key)}`);
export const noSuchOverload = (): EvaluationError => new EvaluationError('no such overload');

export class UintValue {
  readonly value: bigint;

  constructor(value: bigint) {
    this.value = value;
  }
}

/** Sizes are mostly small: those are made once. */
const smallIntegers = Array.from({ length: 1024 }, (_, index) => BigInt(index));

/** An integer of a size or a position. */
export const intOf = (size: number): bigint => smallIntegers[size] ?? BigInt(size);

/** Nanoseconds since 1970. */
export class TimestampValue {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }
}

export class DurationValue {
  readonly ns: bigint;

  constructor(ns: bigint) {
    this.ns = ns;
  }
}

/** A type as a value. */
export class TypeValue {
  readonly name: string;

  constructor(name: string) {
    this.name = name;
  }
}

export class OptionalValue {
  readonly value: Value | undefined;

  constructor(value: Value | undefined) {
    this.value = value;
  }
}

export const none = new OptionalValue(undefined);

/** A value of an opaque type; a library extends this class for each of its types. */
export abstract class OpaqueValue {
  abstract readonly type: OpaqueType;

  abstract equals(other: OpaqueValue): boolean;

  /** What `size` means for costs; most have none. */
  get size(): number {
    return 1;
  }
}

/** Converts JSON into a value of a type. */
export type Adapter = (raw: unknown) => Value;
const asIs: Adapter = (raw) => raw as Value;

export class ListValue {
  readonly items: readonly unknown[];
  readonly #adapt: Adapter;
  /** Set on the list that a comprehension fills: no other code sees it until it is complete. */
  growing = false;

  constructor(items: readonly unknown[], adapt: Adapter = asIs) {
    this.items = items;
    this.#adapt = adapt;
  }

  get size(): number {
    return this.items.length;
  }

  at(index: number): Value {
    return this.#adapt(this.items[index]);
  }

  /** All items, to be walked over. */
  toArray(): readonly Value[] {
    work(this.items.length * perItem);
    return this.#adapt === asIs ? (this.items as readonly Value[]) : this.items.map(this.#adapt);
  }
}

/** Longer lists are refused: no budget pays for a walk over one. */
const maxItems = 1_000_000;

export function checkedItems(count: number): number {
  if (count > maxItems) throw new EvaluationError(`list is longer than ${maxItems} items`);
  return count;
}

/** Longer chains of concatenations are copied: reading an item would take too long. */
const maxConcatenations = 50;

/** Two lists one after the other, not copied: a concatenation costs nothing until it is walked. */
export class ConcatenatedList extends ListValue {
  readonly #first: ListValue;
  readonly #second: ListValue;
  readonly #size: number;
  readonly #depth: number;
  #all: readonly Value[] | undefined;

  constructor(first: ListValue, second: ListValue) {
    super([]);
    this.#first = first;
    this.#second = second;
    this.#size = checkedItems(first.size + second.size);
    const depth = 1 + Math.max(ConcatenatedList.depthOf(first), ConcatenatedList.depthOf(second));
    if (depth > maxConcatenations) this.toArray();
    this.#depth = this.#all === undefined ? depth : 0;
  }

  static depthOf(list: ListValue): number {
    return list instanceof ConcatenatedList ? list.#depth : 0;
  }

  override get size(): number {
    return this.#size;
  }

  override at(index: number): Value {
    if (this.#all !== undefined) return this.#all[index] as Value;
    const { size } = this.#first;
    return index < size ? this.#first.at(index) : this.#second.at(index - size);
  }

  override toArray(): readonly Value[] {
    this.#all ??= this.#first.toArray().concat(this.#second.toArray());
    work(this.#size * perItem);
    return this.#all;
  }
}

interface MapEntry {
  readonly key: Value;
  readonly value: Value;
}

export abstract class MapValue {
  abstract readonly size: number;
  abstract get(key: Value): Value | undefined;
  abstract has(key: Value): boolean;
  abstract keys(): readonly Value[];
}

/** A JSON object whose keys are data. */
export class JsonMap extends MapValue {
  readonly #source: Readonly<Record<string, unknown>>;
  readonly #adapt: Adapter;
  #keys: readonly string[] | undefined;
  /** Lists and maps that were read: many expressions read the same of one object. */
  #read: Map<string, Value> | undefined;

  constructor(source: Readonly<Record<string, unknown>>, adapt: Adapter) {
    super();
    this.#source = source;
    this.#adapt = adapt;
  }

  get size(): number {
    return this.keys().length;
  }

  get(key: Value): Value | undefined {
    if (typeof key !== 'string') return undefined;
    const cachedValue = this.#read?.get(key);
    if (cachedValue !== undefined) return cachedValue;
    const raw = getOwn(this.#source, key);
    if (raw === undefined) return undefined;
    const value = this.#adapt(raw);
    if (typeof raw === 'object' && raw !== null) {
      this.#read ??= new Map();
      this.#read.set(key, value);
    }
    return value;
  }

  has(key: Value): boolean {
    return typeof key === 'string' && getOwn(this.#source, key) !== undefined;
  }

  keys(): readonly string[] {
    this.#keys ??= presentKeys(this.#source);
    return this.#keys;
  }
}

/** A map that an expression made. Keys that are equal as numbers are one key. */
export class EntryMap extends MapValue {
  readonly #entries = new Map<string, MapEntry>();
  /** As of a growing list. */
  growing = false;

  get size(): number {
    return this.#entries.size;
  }

  get(key: Value): Value | undefined {
    const id = keyId(key);
    return id === undefined ? undefined : this.#entries.get(id)?.value;
  }

  keys(): readonly Value[] {
    work(this.#entries.size * perItem);
    return [...this.#entries.values()].map((entry) => entry.key);
  }

  /** Only while the map is being made. */
  insert(key: Value, value: Value): void {
    const id = keyId(key);
    if (id === undefined) throw new EvaluationError(`unsupported key type`);
    if (this.#entries.has(id)) throw new EvaluationError(`insert failed: key ${formatKey(key)} already exists`);
    this.#entries.set(id, { key, value });
  }

  has(key: Value): boolean {
    const id = keyId(key);
    return id !== undefined && this.#entries.has(id);
  }

  /** Only while the map is being made. */
  delete(key: Value): void {
    const id = keyId(key);
    if (id !== undefined) this.#entries.delete(id);
  }

  copy(): EntryMap {
    work(this.#entries.size * perItem);
    const copy = new EntryMap();
    for (const [id, entry] of this.#entries) copy.#entries.set(id, entry);
    return copy;
  }
}

const formatKey = (key: Value): string => String(key instanceof UintValue ? key.value : key);

function keyId(key: Value): string | undefined {
  switch (typeof key) {
    case 'string':
      workOnText(key);
      return `s${key}`;
    case 'bigint':
      return `n${key}`;
    case 'number':
      return Number.isInteger(key) ? `n${BigInt(key)}` : `d${key}`;
    case 'boolean':
      return `b${key}`;
    default:
      if (key === null) return 'null';
      return key instanceof UintValue ? `n${key.value}` : undefined;
  }
}

function presentKeys(source: Readonly<Record<string, unknown>>): readonly string[] {
  const keys = Object.keys(source).filter((key) => source[key] !== undefined);
  work(keys.length * perItem);
  return keys;
}

/** A JSON object whose keys are the fields of a type. */
export class ObjectValue {
  readonly type: ObjectType;
  readonly source: Readonly<Record<string, unknown>>;
  readonly #adapterOf: (type: CelType) => Adapter;

  constructor(type: ObjectType, source: Readonly<Record<string, unknown>>, adapterOf: (type: CelType) => Adapter) {
    this.type = type;
    this.source = source;
    this.#adapterOf = adapterOf;
  }

  /** Behind `dyn`, an object is also a map of its present fields. */
  get size(): number {
    return this.keys().length;
  }

  keys(): readonly string[] {
    return presentKeys(this.source);
  }

  has(name: string): boolean {
    const field = this.type.fields.field(name);
    return field !== undefined && getOwn(this.source, field.key ?? name) !== undefined;
  }

  /** Undefined when the object has no such field. */
  get(name: string): Value | undefined {
    const field = this.type.fields.field(name);
    return field === undefined ? undefined : this.read(name, field);
  }

  /** The JSON under a key; for a key that is no field, with the type of the JSON. */
  member(key: string, adaptAny: Adapter): Value | undefined {
    const field = this.type.fields.field(key);
    const raw = getOwn(this.source, key);
    if (raw === undefined) return undefined;
    return field === undefined ? adaptAny(raw) : this.#adapterOf(field.type)(raw);
  }

  read(name: string, field: ObjectField): Value | undefined {
    const present = getOwn(this.source, field.key ?? name);
    const raw = present ?? field.zero ?? present;
    return raw === undefined ? undefined : this.#adapterOf(field.type)(raw);
  }
}

/** The longest text that an expression may make. Each operation on a longer one would take a whole time slice. */
const maxLength = 1_000_000;

export function checkedLength(length: number): number {
  if (length > maxLength) throw new EvaluationError(`string is longer than ${maxLength} characters`);
  return length;
}

/** For bytes. */
export function checkedBytes(length: number): number {
  if (length > maxLength) throw new EvaluationError(`bytes are longer than ${maxLength}`);
  return length;
}

/** Lengths are counted in code points. */
export function lengthOf(text: string): number {
  let length = text.length;
  if (!hasSurrogates(text)) return length;
  for (let index = 0; index < text.length - 1; index++) {
    if (isPair(text, index)) {
      length--;
      index++;
    }
  }
  return length;
}

/** V8 answers at once for texts of one byte a character. */
export const hasSurrogates = (text: string): boolean => /[\ud800-\udfff]/.test(text);

const isPair = (text: string, index: number): boolean =>
  (text.charCodeAt(index) & 0xfc00) === 0xd800 && (text.charCodeAt(index + 1) & 0xfc00) === 0xdc00;
