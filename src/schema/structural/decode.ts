// Decoding of custom resources: what a schema does not know is dropped, defaults are filled in. Values are kept as they
// are: zero is a value, and what is of the wrong type is for validation to refuse.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { tooManyItems } from '../../meta/status.ts';
import { jsonForm, TypeMismatch } from '../../wording/type-mismatch.ts';
import { DecodeContext, type Decoder } from '../decode-context.ts';
import { mostKeys } from '../types.ts';
import { applyDefaults, dropNulls } from './default.ts';
import { DefaultsBudget } from './defaults-budget.ts';
import { decodeEmbedded } from './embedded-meta.ts';
import { prune } from './prune.ts';
import type { Schema } from './schema.ts';
import { sortedKeys, TooWideError } from './sorted.ts';
import type { StructuralType } from './structural-type.ts';

/** `meta` decodes metadata. */
export function structuralDecoder(type: StructuralType, meta: Decoder): Decoder {
  return (value, context, known) => {
    if (!isJsonObject(value)) throw new TypeMismatch(`json: cannot unmarshal ${jsonForm(value)} into Go value`);
    const result = context.begin();
    const inner = new DecodeContext();
    const before = isJsonObject(known) ? known['metadata'] : undefined;
    result['metadata'] = meta(value['metadata'] ?? {}, inner, before);
    if (inner.metUnknown) context.metUnknown = true;
    const content = decodeContent(type, value, meta, context);
    for (const key of Object.keys(content)) setOwn(result, key, content[key]);
    return result;
  };
}

const head: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata']);

/** An object without what every object has. */
export function contentOf(object: JsonObject): JsonObject {
  const content: JsonObject = {};
  for (const key of Object.keys(object)) if (!head.has(key)) setOwn(content, key, object[key] as JsonValue);
  return content;
}

function decodeContent(
  { schema }: StructuralType,
  object: JsonObject,
  meta: Decoder,
  context: DecodeContext,
): JsonObject {
  const content = contentOf(object);
  if (Object.keys(content).length > mostKeys) throw tooManyItems('the object', mostKeys);
  const known = schema === undefined ? content : withoutUnknown(content, schema, meta, context);
  try {
    return sortedKeys(known, mostKeys) as JsonObject;
  } catch (error) {
    if (error instanceof TooWideError) throw tooManyItems(widePath(known, '') ?? '', mostKeys);
    throw error;
  }
}

/** What the schema knows of the content, with its defaults. */
function withoutUnknown(content: JsonObject, schema: Schema, meta: Decoder, context: DecodeContext): JsonValue {
  const onPruned = () => {
    context.metUnknown = true;
  };
  const pruned = prune(content, schema, onPruned);
  const value = context.keepsNulls ? pruned : dropNulls(pruned, schema);
  // validation errors about metadata inside of embedded objects are looked for only where something may be wrong
  const embedded = decodeEmbedded(value, schema, watching(meta, context), '');
  return applyDefaults(embedded, schema, new DefaultsBudget());
}

/** Where the first object with too many members is. */
function widePath(value: JsonValue, at: string): string | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const isList = Array.isArray(value);
  if (!isList && Object.keys(value).length > mostKeys) return at;
  for (const [key, part] of Object.entries(value)) {
    const path = widePath(part, isList ? `${at}[${key}]` : at === '' ? key : `${at}.${key}`);
    if (path !== undefined) return path;
  }
  return undefined;
}

function watching(meta: Decoder, context: DecodeContext): Decoder {
  return (value, inner, known) => {
    const decoded = meta(value, inner, known);
    if (inner.metUnknown) context.metUnknown = true;
    return decoded;
  };
}
