// Schemas of OpenAPI documents, and what is below them.

export interface Schema {
  readonly $ref?: string;
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema;
  readonly oneOf?: readonly Schema[];
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
  readonly 'x-kubernetes-preserve-unknown-fields'?: boolean;
  readonly 'x-kubernetes-int-or-string'?: boolean;
  readonly 'x-kubernetes-group-version-kind'?: readonly {
    readonly group: string;
    readonly version: string;
    readonly kind: string;
  }[];
}

/** References lead into the document that was loaded last for their kind. */
const documents = new WeakMap<Schema, Readonly<Record<string, Schema>>>();

/** The schema that a reference leads to; its own description wins. */
export function within(schema: Schema, schemas: Readonly<Record<string, Schema>>): Schema {
  const reference = schema.$ref ?? schema.allOf?.[0]?.$ref;
  const name = reference?.slice(reference.lastIndexOf('/') + 1);
  const target = name === undefined ? undefined : schemas[name];
  const { allOf: _, $ref: __, ...own } = schema;
  const whole = target === undefined ? { ...schema } : { ...target, ...own };
  documents.set(whole, schemas);
  return whole;
}

const below = (parent: Schema, child: Schema | undefined) => child && within(child, documents.get(parent) ?? {});

export function propertySchema(schema: Schema | undefined, name: string): Schema | undefined {
  if (schema === undefined) return undefined;
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return below(schema, properties[name]);
  return typeof additionalProperties === 'object' ? below(schema, additionalProperties) : undefined;
}

export const itemSchema = (schema: Schema | undefined) => schema && below(schema, schema.items);

/** The fields that distinguish items of a list; undefined where a list is one value. */
export const listKeys = (schema: Schema | undefined) =>
  schema?.['x-kubernetes-list-type'] === 'map' ? schema['x-kubernetes-list-map-keys'] : undefined;

/** Whether any field may stand in objects of this schema. */
export const isOpen = (schema: Schema) =>
  schema.properties === undefined ||
  schema.additionalProperties === true ||
  schema['x-kubernetes-preserve-unknown-fields'] === true;
