// JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json.ts';

export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (Array.isArray(patch)) return patch.map(settled);
  if (!isJsonObject(patch)) return patch;
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key] as JsonValue;
    if (change === null) delete result[key];
    else setOwn(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, change));
  }
  return result;
}

/** Lists are taken as they are; in their objects null says that there is nothing. */
const settled = (item: JsonValue): JsonValue => (item === null ? null : applyMergePatch(undefined, item));
