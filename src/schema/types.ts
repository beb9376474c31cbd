// The language in which API types are written: plain data, read by the interpreters beside this file.

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
  readonly of: SchemaType;
}
export interface MapType<T = unknown> extends Typed<Readonly<Record<string, T>>> {
  readonly is: 'map';
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
}
export type SchemaType = ScalarType | ListType | MapType | StructType;

export interface FieldAttributes {
  /** What `explain` shows. */
  readonly about?: string;
  /** Absent and zero are different values. */
  readonly pointer?: true;
  /** The key is written even when empty. */
  readonly always?: true;
  readonly required?: true;
  /** What a missing field becomes. Defaults that depend on other fields belong to the kind's strategy. */
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly listType?: 'atomic' | 'set' | 'map';
  readonly mapKeys?: readonly string[];
  readonly mapType?: 'atomic';
  readonly patchStrategy?: 'merge' | 'replace' | 'retainKeys' | 'merge,retainKeys';
  readonly patchMergeKey?: string;
}

export interface Field extends FieldAttributes {
  readonly name: string;
  /** Protobuf field number. */
  readonly number: number;
  readonly type: SchemaType;
}

/** A field before it knows its name. */
export interface FieldSpec<T = unknown> extends FieldAttributes, Typed<T> {
  readonly number: number;
  readonly type: SchemaType;
}

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
export const fieldsV1 = scalar<unknown>('fields-v1');

export function listOf<S extends SchemaType>(of: S): ListType<Infer<S>> {
  return { is: 'list', of };
}

export function mapOf<S extends SchemaType>(of: S): MapType<Infer<S>> {
  return { is: 'map', of };
}

/** A field with its protobuf number; JSON output follows the order in which fields are declared. */
export function field<S extends SchemaType>(
  number: number,
  type: S,
  attributes: FieldAttributes = {},
): FieldSpec<Infer<S>> {
  return { number, type, ...attributes };
}

export function struct<F extends Readonly<Record<string, FieldSpec>>>(
  home: string,
  name: string,
  about: string,
  fields: F,
  attributes: { readonly mapType?: 'atomic' } = {},
): StructType<InferFields<F>> {
  const list = Object.entries(fields).map(([fieldName, spec]) => ({ name: fieldName, ...spec }));
  return { is: 'struct', home, name, about, fields: list, ...attributes };
}
