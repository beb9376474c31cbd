// Custom resources that come from the store or from a conversion: the schema may have changed since they were written.

import { type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import type { Steps } from '../../base/steps.ts';
import { inDeclaredOrder } from '../order.ts';
import { ContentWalk, type PartDecoder } from './content-walk.ts';
import { contentOf } from './decode.ts';
import { applyDefaults, applyInnerDefaults, dropNulls } from './default.ts';
import { DefaultsBudget } from './defaults-budget.ts';
import { prune } from './prune.ts';
import type { Schema } from './schema.ts';
import { sortedKeys } from './sorted.ts';
import { soundEmbedded, soundMeta } from './sound-meta.ts';
import type { StructuralType } from './structural-type.ts';

/**
 * Without what the schema does not know, and with its defaults; the very object where that is how it was stored. Throws a
 * `DefaultsTooLargeError` where the defaults exceed the limit.
 */
export function* settlingStored(type: StructuralType, object: JsonObject): Steps<JsonObject> {
  const budget = new DefaultsBudget();
  const settle: PartDecoder = (value, fate, isPiece = false) => {
    if (typeof fate !== 'object') return sortedKeys(value);
    const embedded = soundEmbedded(known(value, fate), fate, type.meta);
    return sortedKeys((isPiece ? applyInnerDefaults : applyDefaults)(embedded, fate, budget));
  };
  return yield* settling(type, withSoundMeta(type, object), settle, budget);
}

/** An object that is not shown, for what has to be done with it nevertheless: without defaults. */
export function* settlingUnshown(type: StructuralType, object: JsonObject): Steps<JsonObject> {
  return yield* settlingConverted(type, withSoundMeta(type, object));
}

/** Without what the schema does not know. compat: defaults are those of the version that an object was stored in */
export function* settlingConverted(type: StructuralType, object: JsonObject): Steps<JsonObject> {
  return yield* settling(type, object, (value, fate) =>
    sortedKeys(typeof fate === 'object' ? known(value, fate) : value),
  );
}

/** Fields of metadata that are none are left out, and an object that has no generation is in its first. */
function withSoundMeta({ meta }: StructuralType, object: JsonObject): JsonObject {
  const metadata = object['metadata'] as JsonObject;
  const sound = soundMeta(metadata, meta);
  if (sound === metadata && sound['generation']) return object;
  return { ...object, metadata: { ...sound, generation: sound['generation'] || 1 } };
}

function known(value: JsonValue, schema: Schema): JsonValue {
  return dropNulls(prune(value, schema), schema);
}

function* settling(
  type: StructuralType,
  object: JsonObject,
  settle: PartDecoder,
  budget?: DefaultsBudget,
): Steps<JsonObject> {
  const before = contentOf(object);
  // what is stored already may be as wide as it likes
  const walk = new ContentWalk(settle, budget, Number.POSITIVE_INFINITY);
  const content = (yield* walk.value(before, type.schema ?? 'kept', '')) as JsonObject;
  const ordered = inDeclaredOrder(type, object) as JsonObject;
  if (content === before) return ordered;
  const result: JsonObject = {};
  for (const key of ['kind', 'apiVersion', 'metadata']) {
    const value = ordered[key];
    if (value !== undefined) result[key] = value;
  }
  for (const key of Object.keys(content)) setOwn(result, key, content[key] as JsonValue);
  return result;
}
