// Defaults inside of whole objects that a schema marks: those of metadata have to be metadata.

import { isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import type { StructType } from '../types.ts';
import { hasDefaults, keepDefault } from './default.ts';
import { additionalOf, hasEmbedded, isEmbedded, itemsOf, type Schema } from './schema.ts';
import { soundEmbedded, soundMeta } from './sound-meta.ts';

/** The schema with defaults that no object loses again; the very schema where there are no others. */
export function withSoundDefaults(schema: Schema, meta: StructType): Schema {
  return hasEmbedded(schema) && hasDefaults(schema) ? new Rewriter(meta).schema(schema) : schema;
}

class Rewriter {
  readonly #meta: StructType;

  constructor(meta: StructType) {
    this.#meta = meta;
  }

  schema(schema: Schema): Schema {
    const items = itemsOf(schema);
    const others = additionalOf(schema);
    const given = schema.default as JsonValue | undefined;
    return {
      ...schema,
      ...(given === undefined ? {} : { default: soundEmbedded(given, schema, this.#meta) }),
      ...(items && { items: this.schema(items) }),
      ...(others && { additionalProperties: this.schema(others) }),
      ...(schema.properties && { properties: this.#members(schema, schema.properties) }),
    };
  }

  #members(schema: Schema, properties: Readonly<Record<string, Schema>>): Readonly<Record<string, Schema>> {
    const entries = Object.entries(properties).map(([key, inner]) => {
      const isMeta = key === 'metadata' && isEmbedded(schema);
      return [key, isMeta ? this.#metadata(inner) : this.schema(inner)];
    });
    return Object.fromEntries(entries) as Record<string, Schema>;
  }

  #metadata(schema: Schema): Schema {
    const properties = Object.entries(schema.properties ?? {}).map(([name, inner]) => [name, this.#field(name, inner)]);
    const sound = { ...schema, ...(schema.properties && { properties: Object.fromEntries(properties) as object }) };
    const given = schema.default as JsonValue | undefined;
    if (!isJsonObject(given)) return sound as Schema;
    const value = soundMeta(given, this.#meta);
    const changed = { ...sound, default: value } as Schema;
    // metadata is known, whatever the schema says about it
    keepDefault(changed, value);
    return changed;
  }

  #field(name: string, schema: Schema): Schema {
    const { default: given, ...rest } = schema;
    if (given === undefined) return schema;
    const value = { [name]: given } as JsonObject;
    return Object.keys(soundMeta(value, this.#meta)).length > 0 ? schema : rest;
  }
}
