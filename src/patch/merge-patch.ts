// JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json/json.ts';

export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  // in the objects of lists null removes a field
  if (Array.isArray(patch)) return patch.map((item) => applyMergePatch(undefined, item));
  return isJsonObject(patch) ? mergeObjects(target, patch) : patch;
}

function mergeObjects(target: JsonValue | undefined, patch: JsonObject): JsonObject {
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key] as JsonValue;
    if (change === null) delete result[key];
    else setOwn(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, change));
  }
  return result;
}
