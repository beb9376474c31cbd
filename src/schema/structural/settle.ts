// Custom resources that come from the store or from a conversion: the schema may have changed since they were written.

import { type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { inDeclaredOrder } from '../order.ts';
import { contentOf } from './decode.ts';
import { applyDefaults, dropNulls } from './default.ts';
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
export function settleStored(type: StructuralType, object: JsonObject): JsonObject {
  return settle(type, withSoundMeta(type, object), (content, schema) => {
    const embedded = soundEmbedded(known(content, schema), schema, type.meta);
    return applyDefaults(embedded, schema, new DefaultsBudget());
  });
}

/** An object that is not shown, for what has to be done with it nevertheless: without defaults. */
export function settleUnshown(type: StructuralType, object: JsonObject): JsonObject {
  return settleConverted(type, withSoundMeta(type, object));
}

/** Without what the schema does not know. compat: defaults are those of the version that an object was stored in */
export function settleConverted(type: StructuralType, object: JsonObject): JsonObject {
  return settle(type, object, known);
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

function settle(
  type: StructuralType,
  object: JsonObject,
  settleContent: (content: JsonValue, schema: Schema) => JsonValue,
): JsonObject {
  const before = contentOf(object);
  // what is stored already may be as wide as it likes
  const content = sortedKeys(type.schema === undefined ? before : settleContent(before, type.schema)) as JsonObject;
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
