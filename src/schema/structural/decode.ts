// Decoding of custom resources: what a schema does not know is dropped, defaults are filled in. Values are kept as they
// are: zero is a value, and what is of the wrong type is for validation to refuse.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import { DecodeContext, type Decoder } from '../decode-context.ts';
import { jsonForm, TypeMismatch } from '../type-mismatch.ts';
import { applyDefaults, dropNulls } from './default.ts';
import { decodeEmbedded } from './embedded-meta.ts';
import { prune } from './prune.ts';
import { sortedKeys } from './sorted.ts';
import type { StructuralType } from './structural-type.ts';

/** `meta` decodes metadata. */
export function structuralDecoder(type: StructuralType, meta: Decoder): Decoder {
  return (value, context, known) => {
    if (!isJsonObject(value)) throw new TypeMismatch(`json: cannot unmarshal ${jsonForm(value)} into Go value`);
    const result = context.begin();
    const inner = new DecodeContext();
    inner.parts = context.parts;
    const before = isJsonObject(known) ? known['metadata'] : undefined;
    result['metadata'] = meta(value['metadata'] ?? {}, inner, before);
    if (inner.metUnknown) context.metUnknown = true;
    const content = decodeContent(type, contentOf(value), meta, context);
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

function decodeContent({ schema }: StructuralType, content: JsonObject, meta: Decoder, context: DecodeContext) {
  if (schema === undefined) return sortedKeys(content) as JsonObject;
  const onPruned = () => {
    context.metUnknown = true;
  };
  const pruned = prune(content, schema, { isObject: true, onPruned });
  const known = context.keepsNulls ? pruned : dropNulls(pruned, schema);
  // validation errors about metadata inside of embedded objects are looked for only where something may be wrong
  const embedded = decodeEmbedded(known, schema, watching(meta, context), '');
  return sortedKeys(applyDefaults(embedded, schema)) as JsonObject;
}

function watching(meta: Decoder, context: DecodeContext): Decoder {
  return (value, inner, known) => {
    const decoded = meta(value, inner, known);
    if (inner.metUnknown) context.metUnknown = true;
    return decoded;
  };
}
