// Custom resources that come from the store or from a conversion: the schema may have changed since they were written.

import { isSameJson, type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import { inDeclaredOrder } from '../order.ts';
import { contentOf } from './decode.ts';
import { applyDefaults, dropNulls } from './default.ts';
import { prune } from './prune.ts';
import { sortedKeys } from './sorted.ts';
import { soundEmbedded, soundMeta } from './sound-meta.ts';
import type { StructuralType } from './structural-type.ts';

/** Without what the schema does not know, and with its defaults; the very object where that is how it was stored. */
export function settleStored(type: StructuralType, object: JsonObject): JsonObject {
  const sound = withSoundMeta(type, object);
  return settled(type, sound, (content) => {
    const embedded = soundEmbedded(known(type, content), type.schema, type.meta);
    return applyDefaults(embedded, type.schema);
  });
}

/** Without what the schema does not know. compat: defaults are those of the version that an object was stored in */
export function settleConverted(type: StructuralType, object: JsonObject): JsonObject {
  return settled(type, object, (content) => known(type, content));
}

/** Fields of metadata that are none are left out, and an object that has no generation is in its first. */
function withSoundMeta({ meta }: StructuralType, object: JsonObject): JsonObject {
  const metadata = object['metadata'] as JsonObject;
  const sound = soundMeta(metadata, meta);
  if (sound === metadata && sound['generation']) return object;
  return { ...object, metadata: { ...sound, generation: sound['generation'] || 1 } };
}

function known({ schema }: StructuralType, content: JsonObject): JsonValue {
  return schema === undefined ? content : dropNulls(prune(content, schema), schema);
}

function settled(type: StructuralType, object: JsonObject, change: (content: JsonObject) => JsonValue): JsonObject {
  const before = contentOf(object);
  const content = sortedKeys(change(before)) as JsonObject;
  const ordered = inDeclaredOrder(type, object) as JsonObject;
  if (content === before || isSameJson(content, before)) return ordered;
  const result: JsonObject = {};
  for (const key of ['kind', 'apiVersion', 'metadata']) {
    const value = ordered[key];
    if (value !== undefined) result[key] = value;
  }
  for (const key of Object.keys(content)) setOwn(result, key, content[key] as JsonValue);
  return result;
}
