// Decoding of custom resources: what a schema does not know is dropped, defaults are filled in. Values are kept as they
// are: zero is a value, and what is of the wrong type is for validation to refuse.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import type { Steps } from '../../base/steps.ts';
import { DecodeContext, type Decoder } from '../decode-context.ts';
import { jsonForm, TypeMismatch } from '../type-mismatch.ts';
import { ContentWalk, checkCount, type PartDecoder } from './content-walk.ts';
import { applyDefaults, applyInnerDefaults, dropNulls } from './default.ts';
import { DefaultsBudget } from './defaults-budget.ts';
import { decodeEmbedded, EmbeddedMismatch } from './embedded-meta.ts';
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
    const content = context.parts?.takeContent(value) ?? decodeContent(type, value, meta, context);
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
  return partDecoder(meta, context, new DefaultsBudget())(contentOf(object), schema ?? 'kept') as JsonObject;
}

function partDecoder(meta: Decoder, context: DecodeContext, budget: DefaultsBudget): PartDecoder {
  const onPruned = () => {
    context.metUnknown = true;
  };
  const watchingMeta = watching(meta, context);
  return (value, fate, isPiece = false) => {
    if (typeof fate !== 'object') return sortedKeys(value);
    const pruned = prune(value, fate, onPruned);
    const known = context.keepsNulls ? pruned : dropNulls(pruned, fate);
    // validation errors about metadata inside of embedded objects are looked for only where something may be wrong
    const embedded = decodeEmbedded(known, fate, watchingMeta, '');
    return sortedKeys((isPiece ? applyInnerDefaults : applyDefaults)(embedded, fate, budget));
  };
}

/** Decodes what an object has besides its metadata into `context`, piece by piece. */
export function* decodingContentAhead(
  { schema }: StructuralType,
  object: JsonObject,
  meta: Decoder,
  context: DecodeContext,
): Steps<void> {
  const budget = new DefaultsBudget();
  const walk = new ContentWalk(partDecoder(meta, context, budget), budget);
  let content: () => JsonObject;
  try {
    checkCount(object);
    yield;
    const decoded = (yield* walk.value(contentOf(object), schema ?? 'kept', '')) as JsonObject;
    content = () => decoded;
  } catch (error) {
    // what is wrong with the metadata of an embedded object is told with its place, which is not known here
    if (error instanceof EmbeddedMismatch) return;
    content = () => {
      throw error;
    };
  }
  context.parts?.putContent(object, content);
}

function watching(meta: Decoder, context: DecodeContext): Decoder {
  return (value, inner, known) => {
    const decoded = meta(value, inner, known);
    if (inner.metUnknown) context.metUnknown = true;
    return decoded;
  };
}
