// Metadata that was never checked, as in objects of long ago or in defaults: fields that are none are left out.

import { getOwn, isJsonObject, type JsonObject, type JsonValue } from '../../base/json/json.ts';
import { TypeMismatch } from '../../wording/type-mismatch.ts';
import { decoderOf } from '../decode.ts';
import { DecodeContext } from '../decode-context.ts';
import type { StructType } from '../types.ts';
import { hasEmbedded, isEmbedded, type Schema } from './schema.ts';
import { changeParts } from './walk-members.ts';

/** The very metadata where every field of it is one. */
export function soundMeta(metadata: JsonObject, meta: StructType): JsonObject {
  if (isMeta(metadata, meta) && Object.keys(metadata).every((name) => isField(name, meta))) return metadata;
  const fields = Object.entries(metadata).filter(
    ([name, value]) => isField(name, meta) && isMeta({ [name]: value }, meta),
  );
  return Object.fromEntries(fields);
}

const isField = (name: string, { fields }: StructType): boolean => fields.some((field) => field.name === name);

function isMeta(metadata: JsonObject, meta: StructType): boolean {
  try {
    decoderOf(meta)(metadata, new DecodeContext());
    return true;
  } catch (error) {
    if (error instanceof TypeMismatch) return false;
    throw error;
  }
}

/** The same for all objects that a schema marks inside a value. */
export function soundEmbedded(value: JsonValue, schema: Schema | undefined, meta: StructType): JsonValue {
  if (schema === undefined || !hasEmbedded(schema)) return value;
  const own = isEmbedded(schema) && isJsonObject(value) ? soundObject(value, meta) : value;
  return changeParts(own, schema, (part, inner) => soundEmbedded(part, inner, meta));
}

function soundObject(object: JsonObject, meta: StructType): JsonObject {
  const metadata = getOwn(object, 'metadata');
  const sound = isJsonObject(metadata) ? soundMeta(metadata, meta) : metadata;
  const odd = ['apiVersion', 'kind'].filter((key) => Object.hasOwn(object, key) && typeof object[key] !== 'string');
  if (sound === metadata && odd.length === 0) return object;
  const entries = Object.entries(object).filter(([key]) => !odd.includes(key));
  return Object.fromEntries(entries.map(([key, member]) => [key, key === 'metadata' ? (sound as JsonValue) : member]));
}
