// Which value of the wrong type is told, and how.
//
// compat: of several values of a wrong type the first is told, unless an amount, a time or a port is wrong too
//
// The reason is Go's reader of JSON: it goes on after a value of the wrong type, but a type that reads itself ends the reading.

import { isJsonObject, type JsonObject } from '../../base/json/json.ts';
import { memoized } from '../../base/memoized.ts';
import { alternativeFor } from '../../schema/alternatives.ts';
import { scalars, selfReading } from '../../schema/scalars.ts';
import {
  type Field,
  type ScalarType,
  type SchemaType,
  type StructType,
  string,
  type UnionType,
} from '../../schema/types.ts';
import { cannotUnmarshal, jsonForm, TypeMismatch, wrongForm } from '../type-mismatch.ts';
import { goNameOf, goNameOfField, goNameOfItems } from './go-names.ts';

/** In which order the reader meets the fields of an object: as they were written, or by name, as in what a patch makes. */
export type KeyOrder = 'written' | 'byName';

/** Undefined where every value is of its type. */
export function explainMismatch(
  type: SchemaType,
  value: unknown,
  order: KeyOrder = 'written',
): TypeMismatch | undefined {
  const reading = new Reading(order);
  try {
    reading.read(type, value, namesOf(type, goNameOf(type)));
    return reading.first;
  } catch (error) {
    if (error instanceof TypeMismatch) return error;
    throw error;
  }
}

/** Values that are read after the first wrong one, of which one that reads itself would be told. */
const maxReadSince = 20_000;

class Reading {
  first: TypeMismatch | undefined;
  readonly #order: KeyOrder;
  /** Names of the fields it went through: positions in lists and keys of maps are left out. */
  readonly #path: string[] = [];
  #struct = '';
  #readSince = 0;

  constructor(order: KeyOrder) {
    this.#order = order;
  }

  /** `names` are what messages call the type, its items, and theirs. Throws what ends the reading. */
  read(type: SchemaType, value: unknown, names: readonly string[], depth = 0): void {
    if (value === null || this.#isOver()) return;
    if (type.is === 'scalar') this.#scalar(type, value, names[depth] as string);
    else if (type.is === 'union') this.#alternative(type, value);
    else if (type.is === 'list' ? !Array.isArray(value) : !isJsonObject(value))
      this.#note(wrongForm(jsonForm(value), names[depth] as string));
    else if (type.is === 'struct') this.#fields(type, value as JsonObject);
    else this.#items(value as JsonObject | unknown[], type.of, names, depth + 1);
  }

  #scalar({ name: scalar }: ScalarType, value: unknown, name: string): void {
    // of these only the first is told, and an error for each would take long to make
    if (this.first !== undefined && !selfReading.has(scalar)) return;
    try {
      scalars[scalar](value);
    } catch (error) {
      if (!(error instanceof TypeMismatch)) throw error;
      if (selfReading.has(scalar)) throw this.#placed(error);
      const isWhole = error.forms?.wanted === goNameOf({ is: 'scalar', name: scalar });
      this.#note(error.forms && isWhole ? wrongForm(error.forms.is, name) : error);
    }
  }

  #items(items: JsonObject | readonly unknown[], of: SchemaType, names: readonly string[], depth: number): void {
    if (Array.isArray(items)) for (const item of items) this.read(of, item, names, depth);
    else for (const key of this.#keysOf(items as JsonObject)) this.read(of, (items as JsonObject)[key], names, depth);
  }

  #fields(type: StructType, value: JsonObject): void {
    const outer = this.#struct;
    const depth = this.#path.length;
    const known = fieldsOf(type);
    for (const key of this.#keysOf(value)) {
      const field = known.get(key);
      if (field === undefined) continue;
      this.#struct = type.name;
      this.#path.push(...field.path);
      this.read(field.type, value[key], field.names);
      this.#path.length = depth;
      this.#struct = outer;
    }
  }

  /** A union reads itself too, by its own reading. */
  #alternative(type: UnionType, value: unknown): void {
    const chosen = alternativeFor(type, value);
    const wrong = chosen ? explainMismatch(chosen.type, value, this.#order) : refusalOf(type);
    if (wrong !== undefined) throw this.#placed(wrong);
  }

  /** Whether so much was read after the first wrong value that other clients would wait for the rest. */
  #isOver(): boolean {
    return this.first !== undefined && ++this.#readSince > maxReadSince;
  }

  #note(wrong: TypeMismatch): void {
    this.first ??= this.#placed(wrong);
  }

  /** What is only of the wrong form is told with the place where it stands. */
  #placed(wrong: TypeMismatch): TypeMismatch {
    const { forms } = wrong;
    if (forms === undefined || this.#path.length === 0) return wrong;
    const path = [...this.#path, ...(wrong.path ?? [])];
    const place = `struct field ${this.#struct}.${path.join('.')}`;
    return new TypeMismatch(cannotUnmarshal(forms.is, place, forms.wanted), forms, path);
  }

  #keysOf(value: JsonObject): readonly string[] {
    const keys = Object.keys(value);
    return this.#order === 'byName' ? keys.sort() : keys;
  }
}

const refusalOf = ({ refusal }: UnionType): TypeMismatch | undefined =>
  refusal ? new TypeMismatch(refusal) : undefined;

interface NamedField {
  readonly type: SchemaType;
  /** What messages call it, after the messages that it is in. */
  readonly path: readonly string[];
  readonly names: readonly string[];
}

const fieldsOf = memoized((type: StructType): ReadonlyMap<string, NamedField> => {
  const own = type.embedded ? [...typeMeta, ...type.fields] : type.fields;
  return new Map(own.map((field) => [field.name, namedField(type, field)]));
});

const namedField = (struct: StructType, field: Field): NamedField => ({
  type: field.type,
  path: [...(field.inlined ?? []), field.name],
  names: namesOf(field.type, goNameOfField(struct, field)),
});

const namesOf = (type: SchemaType, name: string): readonly string[] =>
  type.is === 'list' || type.is === 'map' ? [name, ...namesOf(type.of, goNameOfItems(name, type.of))] : [name];

/** What a kind inside another one says of itself. */
const typeMeta: readonly Field[] = ['kind', 'apiVersion'].map((name) => ({
  name,
  number: 0,
  type: string,
  inlined: ['TypeMeta'],
}));
