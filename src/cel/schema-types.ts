// Definitions of built-in kinds as types of expressions.

import { memoized } from '../base/memoized.ts';
import type { Field, ScalarName, SchemaType, StructType } from '../schema/types.ts';
import {
  bool,
  bytes,
  type CelType,
  double,
  dyn,
  int,
  list,
  map,
  type ObjectField,
  type ObjectType,
  objectOf,
  string,
  timestamp,
} from './types.ts';

const scalars: Readonly<Record<ScalarName, CelType | undefined>> = {
  string,
  int32: int,
  int64: int,
  bool,
  double,
  bytes,
  'date-time': timestamp,
  'micro-time': timestamp,
  // compat: no type is known for amounts, and fields of them are none
  quantity: undefined,
  'int-or-string': dyn,
  'raw-extension': dyn,
  'any-json': dyn,
  'fields-v1': objectOf({ name: 'meta.v1.FieldsV1', field: () => undefined }),
};

const objects = new WeakMap<StructType, ObjectType>();

/** The type of a definition, made once. Fields are looked up when an expression names them: definitions may be recursive. */
function typeOfSchema(type: SchemaType): CelType | undefined {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name];
    case 'list':
    case 'map':
      return typeOfItems(type, typeOfSchema(type.of));
    case 'struct':
      return typeOfStruct(type);
    case 'union':
      return dyn;
  }
}

const typeOfItems = ({ is }: SchemaType, items: CelType | undefined): CelType | undefined =>
  items === undefined ? undefined : is === 'list' ? list(items) : map(string, items);

export function typeOfStruct(type: StructType): ObjectType {
  const cachedType = objects.get(type);
  if (cachedType !== undefined) return cachedType;
  const name = `${type.home.replaceAll('/', '.')}.${type.name}`;
  const made = objectOf({ name, field: (field) => fieldsOf(type).get(field) });
  objects.set(type, made);
  return made;
}

/** A kind with the fields that every object has besides those of its definition. */
export function typeOfKind(type: StructType): ObjectType {
  const inner = typeOfStruct(type).fields;
  return objectOf({ name: inner.name, field: (name) => inner.field(name) ?? typeMeta.get(name) });
}

const typeMeta: ReadonlyMap<string, ObjectField> = new Map([
  ['apiVersion', { type: string }],
  ['kind', { type: string }],
]);

const fieldsOf = memoized(
  (type: StructType): ReadonlyMap<string, ObjectField> =>
    new Map(type.fields.flatMap((field: Field) => entriesOf(field))),
);

/** Under its own name and the one that rules of custom resources have to use for it. */
function entriesOf(field: Field): [string, ObjectField][] {
  const type = typeOfSchema(field.type);
  if (type === undefined) return [];
  const knownField: ObjectField = { type, key: field.name };
  return [
    [field.name, knownField],
    [fieldName(field.name), knownField],
  ];
}

/** Words of the language that a field may not be called; expressions write them between underscores. */
const words = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** Whether expressions have a way to name a field. */
export const isNameable = (key: string): boolean => /^[A-Za-z_./-][A-Za-z0-9_./-]*$/.test(key);

/** The name of a field in expressions: characters that identifiers cannot have are spelled out. */
export function fieldName(key: string): string {
  if (words.has(key)) return `__${key}__`;
  return key.replace(/__|[.\-/]/g, (found) => spelled[found] as string);
}

const spelled: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
