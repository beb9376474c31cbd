// Types as JSON schemas, in the two flavours that OpenAPI 2 and 3 use.

import type { DialectNames } from '../meta/dialect.ts';
import { type Field, type ScalarName, type SchemaType, type StructType, struct } from './types.ts';

export interface SchemaFlavour {
  readonly version: 2 | 3;
  readonly dialect: DialectNames;
}

export type JsonSchema = Record<string, unknown>;

const scalars: Readonly<Record<Exclude<ScalarName, 'fields-v1'>, JsonSchema>> = {
  string: { type: 'string' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  bool: { type: 'boolean' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
  'date-time': { type: 'string', format: 'date-time' },
  'micro-time': { type: 'string', format: 'date-time' },
};

/** `io.k8s.api.core.v1.ConfigMap`: the domain reversed, then where the type is at home. */
export function schemaName({ home, name }: StructType, { apiDomain }: DialectNames): string {
  const root = apiDomain.split('.').reverse().join('.');
  const [group, version] = home.split('/');
  return group === 'meta'
    ? `${root}.apimachinery.pkg.apis.meta.${version}.${name}`
    : `${root}.api.${group}.${version}.${name}`;
}

const fieldSet = struct('meta/v1', 'FieldsV1', 'A set of fields, as a tree of their names.', {});

/** Collects the schemas of types, and of every type they mention. */
export class SchemaCollector {
  readonly schemas: Record<string, JsonSchema> = {};
  readonly #flavour: SchemaFlavour;

  constructor(flavour: SchemaFlavour) {
    this.#flavour = flavour;
  }

  /** A reference to the type's schema. `extra` is added to the schema itself. */
  refer(type: StructType, extra: JsonSchema = {}, topLevel = false): JsonSchema {
    const name = schemaName(type, this.#flavour.dialect);
    if (!Object.hasOwn(this.schemas, name)) {
      // entered before its fields are described: types may contain themselves
      const schema: JsonSchema = {};
      this.schemas[name] = schema;
      Object.assign(schema, this.#describe(type, topLevel));
    }
    Object.assign(this.schemas[name] as JsonSchema, extra);
    return { $ref: `#/${this.#flavour.version === 2 ? 'definitions' : 'components/schemas'}/${name}` };
  }

  #describe(type: StructType, topLevel: boolean): JsonSchema {
    const properties: Record<string, JsonSchema> = topLevel ? { ...typeMeta } : {};
    for (const field of type.fields) properties[field.name] = this.#property(field);
    const required = type.fields.filter((field) => field.required).map((field) => field.name);
    return {
      description: type.about,
      type: 'object',
      ...(Object.keys(properties).length === 0 ? {} : { properties }),
      ...(required.length === 0 ? {} : { required }),
      ...(type.mapType ? this.#extension('map-type', type.mapType) : {}),
    };
  }

  #property(field: Field): JsonSchema {
    return {
      ...(field.about ? { description: field.about } : {}),
      ...this.#typeOf(field.type),
      ...(field.enum ? { enum: field.enum } : {}),
      ...(field.default === undefined ? {} : { default: field.default }),
      ...(field.listType ? this.#extension('list-type', field.listType) : {}),
      ...(field.mapKeys ? this.#extension('list-map-keys', field.mapKeys) : {}),
      ...(field.mapType ? this.#extension('map-type', field.mapType) : {}),
      ...(field.patchStrategy ? this.#extension('patch-strategy', field.patchStrategy) : {}),
      ...(field.patchMergeKey ? this.#extension('patch-merge-key', field.patchMergeKey) : {}),
    };
  }

  #typeOf(type: SchemaType): JsonSchema {
    switch (type.is) {
      case 'scalar':
        return type.name === 'fields-v1' ? this.refer(fieldSet) : scalars[type.name];
      case 'list':
        return { type: 'array', items: this.#typeOf(type.of) };
      case 'map':
        return { type: 'object', additionalProperties: this.#typeOf(type.of) };
      case 'struct':
        return this.#flavour.version === 2 ? this.refer(type) : { allOf: [this.refer(type)], default: {} };
    }
  }

  #extension(name: string, value: unknown): JsonSchema {
    return { [extensionName(this.#flavour.dialect, name)]: value };
  }
}

export function extensionName(dialect: DialectNames, name: string): string {
  return `x-${dialect.vendor}-${name}`;
}

const typeMeta: Readonly<Record<string, JsonSchema>> = {
  apiVersion: { description: 'Group and version of the schema this object follows.', type: 'string' },
  kind: { description: 'What this object is. Cannot be changed.', type: 'string' },
};
