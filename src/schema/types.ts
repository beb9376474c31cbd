// The language in which API types are written: plain data, read by the interpreters next to this file.

/** Scalars as the wire has them; the format is implied by the name. */
export type ScalarName =
  | 'string'
  | 'int32'
  | 'int64'
  | 'bool'
  | 'double'
  | 'bytes'
  | 'date-time'
  | 'micro-time'
  | 'quantity'
  | 'int-or-string'
  | 'raw-extension'
  | 'any-json'
  | 'fields-v1';

declare const decoded: unique symbol;

/** Carries the TypeScript type of a decoded value; exists only at compile time. */
interface Typed<T> {
  readonly [decoded]?: T;
}

export interface ScalarType<T = unknown> extends Typed<T> {
  readonly is: 'scalar';
  readonly name: ScalarName;
}
export interface ListType<T = unknown> extends Typed<readonly T[]> {
  readonly is: 'list';
  /** More items are refused. */
  readonly most?: number;
  readonly of: SchemaType;
  /** Protobuf puts the list into its own message, so that it can be the value of a map. */
  readonly wrapped?: true;
}
export interface MapType<T = unknown> extends Typed<Readonly<Record<string, T>>> {
  readonly is: 'map';
  /** More keys are refused. */
  readonly most: number;
  readonly of: SchemaType;
}
export interface StructType<T = unknown> extends Typed<T> {
  readonly is: 'struct';
  /** Where the type belongs: `core/v1`, `meta/v1`, … */
  readonly home: string;
  readonly name: string;
  readonly about: string;
  readonly fields: readonly Field[];
  readonly mapType?: 'atomic';
  /** A kind inside another one: JSON may say which, protobuf does not. */
  readonly embedded?: true;
}
/** One of several types, told apart by the form of the JSON value; protobuf gives each a number in a message. */
export interface UnionType<T = unknown> extends Typed<T> {
  readonly is: 'union';
  readonly home: string;
  readonly name: string;
  readonly about: string;
  readonly alternatives: readonly Alternative[];
  /** What is said of a value that is none of them; where it is empty, such a value is left out. */
  readonly refusal?: string;
}
export interface Alternative {
  readonly number: number;
  readonly type: SchemaType;
}
export type SchemaType = ScalarType | ListType | MapType | StructType | UnionType;

export interface FieldAttributes {
  /** What `explain` shows. */
  readonly about?: string;
  /** What messages call its type, where that is not what it is made of: `PullPolicy` of its own home, `types.UID`. */
  readonly goType?: string;
  /** Absent and zero are different values. */
  readonly pointer?: true;
  /** A list that is given empty stays: rules refuse it, where one that is not given has a default. */
  readonly keepsEmpty?: true;
  /** The key is written even when empty. */
  readonly always?: true;
  readonly required?: true;
  /** What a missing field becomes. Defaults that depend on other fields belong to the kind's strategy. */
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly mapKeys?: readonly string[];
  readonly mapType?: 'atomic' | 'granular';
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly patchMergeKey?: string;
  /**
   * Belongs to a feature that is off: described, and dropped from what clients send, after it is noted who manages it.
   * With its struct where that has nothing else to say.
   */
  readonly off?: true | 'with-struct';
  /** The feature gate that the field belongs to: it turns on one that is off, and off any other. */
  readonly gate?: string;
  /** A value that the gate does not concern. */
  readonly free?: string;
}

export interface Field extends FieldAttributes {
  readonly name: string;
  /** Protobuf field number. */
  readonly number: number;
  readonly type: SchemaType;
  /** Numbers of the messages that protobuf nests the field in, outermost first; JSON has it in the parent. */
  readonly within?: readonly number[];
  /** What messages call those. */
  readonly inlined?: readonly string[];
}

/** A field before it knows its name. */
export interface FieldSpec<T = unknown> extends FieldAttributes, Typed<T> {
  readonly number: number;
  readonly type: SchemaType;
  readonly within?: readonly number[];
  readonly inlined?: readonly string[];
}

type FieldSpecs = Readonly<Record<string, FieldSpec>>;

/** The TypeScript type of values of a schema type. */
export type Infer<S> = S extends Typed<infer T> ? T : never;

type InferFields<F> = { readonly [K in keyof F]?: F[K] extends Typed<infer T> ? T : never };

const scalar = <T>(name: ScalarName): ScalarType<T> => ({ is: 'scalar', name });

export const string = scalar<string>('string');
export const int32 = scalar<number>('int32');
export const int64 = scalar<number>('int64');
export const bool = scalar<boolean>('bool');
export const double = scalar<number>('double');
export const bytes = scalar<string>('bytes');
export const dateTime = scalar<string>('date-time');
export const microTime = scalar<string>('micro-time');
/** An amount with a unit: `500m`, `2Gi`. */
export const quantity = scalar<string>('quantity');
export const intOrString = scalar<number | string>('int-or-string');
/** An object of any kind. */
export const rawExtension = scalar<unknown>('raw-extension');
export const anyJson = scalar<unknown>('any-json');
export const fieldsV1 = scalar<unknown>('fields-v1');

/** `most` is given where far fewer items are ever needed, and many would keep other clients waiting. */
export function listOf<S extends SchemaType>(of: S, most?: number): ListType<Infer<S>> {
  return most === undefined ? { is: 'list', of } : { is: 'list', of, most };
}

export function wrappedListOf<S extends SchemaType>(of: S): ListType<Infer<S>> {
  return { is: 'list', of, wrapped: true };
}

/** Keys of any map: no object in use is known to have as many, and of more V8 takes too long to list them or to copy the map. */
export const mostKeys = 20_000;

/** `most` as for lists. */
export function mapOf<S extends SchemaType>(of: S, most = mostKeys): MapType<Infer<S>> {
  return { is: 'map', of, most };
}

/** A field with its protobuf number; JSON output follows the order in which fields are declared. */
export function field<S extends SchemaType>(
  number: number,
  type: S,
  attributes: FieldAttributes = {},
): FieldSpec<Infer<S>> {
  return { number, type, ...attributes };
}

/** Fields that JSON has in the parent and protobuf in a message of their own, by its number and name. */
export function within<F extends FieldSpecs>(number: number, message: string, fields: F): F {
  const nested = Object.entries(fields).map(([name, spec]) => [
    name,
    { ...spec, within: [number, ...(spec.within ?? [])], inlined: [message, ...(spec.inlined ?? [])] },
  ]);
  return Object.fromEntries(nested) as F;
}

interface StructAttributes {
  readonly mapType?: 'atomic';
  readonly embedded?: true;
}

/** Its fields are put together on first use: most types are never used in the life of a process. */
class Struct<T> implements StructType<T> {
  readonly is = 'struct';
  readonly home: string;
  readonly name: string;
  readonly about: string;
  readonly mapType?: 'atomic';
  readonly embedded?: true;
  readonly #make: () => readonly Field[];
  #fields: readonly Field[] | undefined;

  constructor(
    { home, name, about }: Pick<StructType, 'home' | 'name' | 'about'>,
    make: () => readonly Field[],
    { mapType, embedded }: StructAttributes,
  ) {
    this.home = home;
    this.name = name;
    this.about = about;
    if (mapType !== undefined) this.mapType = mapType;
    if (embedded !== undefined) this.embedded = embedded;
    this.#make = make;
  }

  get fields(): readonly Field[] {
    this.#fields ??= this.#make();
    return this.#fields;
  }
}

/**
 * A type with named fields. Kinds give them as a function, which is called when the type is first used: 600 sets of
 * fields are a thirtieth of a start. Types inside such a function need none of their own.
 */
export function struct<F extends FieldSpecs>(
  home: string,
  name: string,
  about: string,
  fields: F | (() => F),
  attributes: { readonly mapType?: 'atomic' } = {},
): StructType<InferFields<F>> {
  const make = () => named(typeof fields === 'function' ? fields() : fields);
  return new Struct({ home, name, about }, make, attributes);
}

/** A kind as it is found inside another one. */
export function embedded<T>(type: StructType<T>): StructType<T> {
  return new Struct(type, () => type.fields, { ...type, embedded: true });
}

const named = (fields: FieldSpecs): readonly Field[] =>
  Object.entries(fields).map(([name, spec]) => ({ name, ...spec }));

/** Alternatives are given as a function: they may contain the union. */
export function union<T>(
  home: string,
  name: string,
  about: string,
  alternatives: () => readonly Alternative[],
  refusal?: string,
): UnionType<T> {
  let list: readonly Alternative[] | undefined;
  return {
    is: 'union',
    home,
    name,
    about,
    ...(refusal === undefined ? {} : { refusal }),
    get alternatives() {
      list ??= alternatives();
      return list;
    },
  };
}
