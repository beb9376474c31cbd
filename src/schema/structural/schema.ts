// The schema of a custom resource: the keywords of JSON schema, and marks that plain JSON schema does not have.

import { schemaExtension } from '../../meta/dialect.ts';

/** Keywords are typed as a definition that was validated has them. */
export interface Schema {
  readonly [keyword: string]: unknown;
  readonly type?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: boolean;
  readonly exclusiveMaximum?: boolean;
  readonly multipleOf?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly pattern?: string;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly items?: Schema | readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly not?: Schema;
}

export const marks = {
  preserve: schemaExtension('preserve-unknown-fields'),
  embedded: schemaExtension('embedded-resource'),
  intOrString: schemaExtension('int-or-string'),
  listMapKeys: schemaExtension('list-map-keys'),
  listType: schemaExtension('list-type'),
  mapType: schemaExtension('map-type'),
  validations: schemaExtension('validations'),
} as const;

export const isEmbedded = (schema: Schema): boolean => schema[marks.embedded] === true;
export const preserves = (schema: Schema): boolean => schema[marks.preserve] === true;
export const isIntOrString = (schema: Schema): boolean => schema[marks.intOrString] === true;
export const listTypeOf = (schema: Schema): string | undefined => schema[marks.listType] as string | undefined;
export const mapTypeOf = (schema: Schema): string | undefined => schema[marks.mapType] as string | undefined;
export const keysOf = (schema: Schema): readonly string[] => (schema[marks.listMapKeys] ?? []) as readonly string[];

/** The one schema of all items; a list of schemas is none. */
export const itemsOf = ({ items }: Schema): Schema | undefined =>
  items === undefined || Array.isArray(items) ? undefined : (items as Schema);

export const additionalOf = ({ additionalProperties: additional }: Schema): Schema | undefined =>
  typeof additional === 'object' ? additional : undefined;

export interface Place {
  readonly schema: Schema;
  readonly at: string;
}

/** Schemas under `allOf`, `anyOf` and `oneOf`. */
export function alternatives(schema: Schema, keyword: 'allOf' | 'anyOf' | 'oneOf', at: string): readonly Place[] {
  return (schema[keyword] ?? []).map((one, index) => ({ schema: one, at: `${at}.${keyword}[${index}]` }));
}

export function propertiesOf({ properties = {} }: Schema, at: string): readonly (Place & { readonly name: string })[] {
  return Object.entries(properties).map(([name, schema]) => ({ name, schema, at: `${at}.properties[${name}]` }));
}

/** Schemas of what is in a value: items, named members, other members. */
export function innerSchemas(schema: Schema): readonly Schema[] {
  const unnamed = [itemsOf(schema), additionalOf(schema)].filter((one) => one !== undefined);
  return [...unnamed, ...Object.values(schema.properties ?? {})];
}

/** Whether a schema, or one inside it that describes a value, has something. */
export function schemaHas(schema: Schema, test: (schema: Schema) => boolean): boolean {
  if (test(schema)) return true;
  const { not, allOf, anyOf, oneOf } = schema;
  const has = (one: Schema) => schemaHas(one, test);
  const hasOne = (some: readonly Schema[] | undefined) => some?.some(has) ?? false;
  return hasOne(innerSchemas(schema)) || (not ? has(not) : false) || hasOne(allOf) || hasOne(anyOf) || hasOne(oneOf);
}

/** Whether a schema, or one of what is in its values, has something; found out once a schema. */
export function remembersWhether(test: (schema: Schema) => boolean): (schema: Schema) => boolean {
  const known = new WeakMap<Schema, boolean>();
  const has = (schema: Schema): boolean => {
    let found = known.get(schema);
    if (found === undefined) {
      found = test(schema) || innerSchemas(schema).some(has);
      known.set(schema, found);
    }
    return found;
  };
  return has;
}

/** Whether there may be whole objects in a value of the schema. */
export const hasEmbedded = remembersWhether(isEmbedded);
