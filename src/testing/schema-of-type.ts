// A built-in type as a user would write it: the schema of a custom resource with the same fields.

import { marks, type Schema } from '../schema/structural/schema.ts';
import type { StructuralType } from '../schema/structural/structural-type.ts';
import type { Field, ScalarName, SchemaType, StructType } from '../schema/types.ts';

const anything: Schema = { [marks.preserve]: true };

const scalars: Readonly<Record<ScalarName, Schema>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  // an empty text is base64 of nothing, but not to the format
  bytes: { type: 'string' },
  'date-time': { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
  quantity: { [marks.intOrString]: true },
  'int-or-string': { [marks.intOrString]: true },
  'raw-extension': { type: 'object', ...anything },
  'any-json': anything,
  'fields-v1': { type: 'object', ...anything },
};

/** The type of objects that have these fields, metadata as every object has it. */
export function structuralTypeOf(type: StructType): StructuralType {
  const meta = type.fields.find(({ name }) => name === 'metadata')?.type as StructType;
  const { home, name, about } = type;
  const { properties: { metadata: _, ...properties } = {}, ...rest } = schemaOf(type, []);
  return { is: 'structural', home, name, about, meta, schema: { ...rest, properties } };
}

/** `outer` are the types that it stands in: one that contains itself cannot be written out. */
function schemaOf(type: SchemaType, outer: readonly SchemaType[]): Schema {
  switch (type.is) {
    case 'scalar':
      return scalars[type.name];
    case 'list':
      return { type: 'array', items: schemaOf(type.of, outer) };
    case 'map':
      return { type: 'object', additionalProperties: schemaOf(type.of, outer) };
    case 'union':
      return anything;
    case 'struct':
      return outer.includes(type) ? { type: 'object', ...anything } : structSchema(type, [...outer, type]);
  }
}

function structSchema(type: StructType, outer: readonly SchemaType[]): Schema {
  return {
    type: 'object',
    properties: Object.fromEntries(type.fields.map((field) => [field.name, fieldSchema(field, outer)])),
    ...(type.mapType ? { [marks.mapType]: type.mapType } : {}),
  };
}

const isSingle = (items: Schema['items']): items is Schema => items !== undefined && !Array.isArray(items);

/** A key that is always written has a value even if it is not given. */
function keyedItems(schema: Schema, type: SchemaType, keys: readonly string[]): Schema {
  if (type.is !== 'list' || type.of.is !== 'struct' || !isSingle(schema.items)) return schema;
  const initial = type.of.fields
    .filter(
      ({ name, always, pointer, default: value }) => keys.includes(name) && always && !pointer && value === undefined,
    )
    .flatMap(({ name, type: key }) => (key.is === 'scalar' ? [[name, key.name === 'string' ? '' : 0] as const] : []));
  const given = schema.items.properties ?? {};
  const properties = {
    ...given,
    ...Object.fromEntries(initial.map(([name, value]) => [name, { ...given[name], default: value }])),
  };
  return { ...schema, items: { ...schema.items, properties } };
}

function fieldSchema(
  { type, listType, mapKeys, mapType, default: value }: Field,
  outer: readonly SchemaType[],
): Schema {
  return {
    ...keyedItems(schemaOf(type, outer), type, mapKeys ?? []),
    ...(listType ? { [marks.listType]: listType } : {}),
    ...(mapKeys ? { [marks.listMapKeys]: mapKeys } : {}),
    ...(mapType ? { [marks.mapType]: mapType } : {}),
    ...(value === undefined ? {} : { default: value }),
  };
}
