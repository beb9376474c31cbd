// Structural schemas as OpenAPI documents show them.

import { type DialectNames, schemaExtension } from '../../meta/dialect.ts';
import { isEmbedded, isIntOrString, itemsOf, preserves, type Schema } from './schema.ts';

type Published = Record<string, unknown>;

interface Publishing {
  readonly version: 2 | 3;
  readonly dialect: Pick<DialectNames, 'vendor'>;
  /** What apiVersion and kind are described as. */
  readonly typeMeta: Readonly<Record<string, Published>>;
  /** Metadata, as a reference to its type. */
  readonly metadata: Published;
}

/** The schema of a whole object; undefined where nothing is known of it. */
export function publishObject(schema: Schema | undefined, publishing: Publishing): Published {
  // compat: clients take members that are not listed for wrong, so none are listed where any may be
  if (schema === undefined || (publishing.version === 2 && preserves(schema))) return { type: 'object' };
  const published = publish(schema, publishing);
  return withMeta(published, publishing);
}

function withMeta(published: Published, { typeMeta, metadata }: Publishing): Published {
  return { ...published, properties: { ...(published['properties'] as object), ...typeMeta, metadata } };
}

function publish(schema: Schema, publishing: Publishing): Published {
  const shown = publishing.version === 2 ? forVersion2(schema) : forVersion3(schema);
  const result: Published = spelled(shown, publishing);
  const { properties, additionalProperties } = shown;
  const items = itemsOf(shown);
  if (items !== undefined) result['items'] = publish(items, publishing);
  if (properties !== undefined) result['properties'] = mapped(properties, (one) => publish(one, publishing));
  if (typeof additionalProperties === 'object')
    result['additionalProperties'] = publish(additionalProperties, publishing);
  const hidesMeta = publishing.version === 2 && preserves(schema);
  return isEmbedded(schema) && !hidesMeta ? embedded(result, publishing) : result;
}

const ruled = schemaExtension('');

/** Keywords that plain JSON schema does not have, as the dialect spells them. */
function spelled(schema: Schema, { dialect: { vendor } }: Publishing): Published {
  const prefix = `x-${vendor}-`;
  if (prefix === ruled) return { ...schema };
  const respell = (key: string) => (key.startsWith(ruled) ? prefix + key.slice(ruled.length) : key);
  return Object.fromEntries(Object.entries(schema).map(([key, value]) => [respell(key), value]));
}

function embedded(published: Published, publishing: Publishing): Published {
  const required = new Set([...((published['required'] as readonly string[] | undefined) ?? []), 'kind', 'apiVersion']);
  return { ...withMeta(published, publishing), required: [...required] };
}

/** Integers and strings are spelled out. */
function forVersion3(schema: Schema): Schema {
  if (!isIntOrString(schema) || schema.anyOf !== undefined) return schema;
  return { ...schema, anyOf: [{ type: 'integer' }, { type: 'string' }] };
}

/** What version 2 cannot say is left out, and what clients of it would misunderstand. */
function forVersion2(schema: Schema): Schema {
  const { allOf: _, anyOf: __, oneOf: ___, not: ____, nullable, ...rest } = schema;
  const isOpen = nullable === true || preserves(schema);
  const { items, properties, type, required, ...others } = rest;
  const keptType = typeOf(type, nullable === true, isOpen, isOpen ? undefined : items);
  return {
    ...others,
    ...(keptType === undefined ? {} : { type: keptType }),
    ...(isOpen || items === undefined ? {} : { items }),
    ...(isOpen || properties === undefined ? {} : { properties }),
    ...requiredOf(schema, required),
  } as Schema;
}

function typeOf(type: string | undefined, isNullable: boolean, isOpen: boolean, items: unknown): string | undefined {
  if (isNullable || (type === 'array' && items === undefined) || (type === 'object' && isOpen)) return undefined;
  return type;
}

/** What may be null may be missing too. */
function requiredOf(schema: Schema, required: readonly string[] = []): Pick<Schema, 'required'> {
  const { properties = {}, additionalProperties } = schema;
  if (typeof additionalProperties === 'object' && additionalProperties.nullable) return {};
  const kept = required.filter((name) => !(Object.hasOwn(properties, name) && properties[name]?.nullable));
  return kept.length === 0 ? {} : { required: kept };
}

function mapped<T, U>(record: Readonly<Record<string, T>>, change: (value: T) => U): Record<string, U> {
  return Object.fromEntries(Object.entries(record).map(([key, value]) => [key, change(value)]));
}
