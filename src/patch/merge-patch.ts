// JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json.ts';

export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  if (!isJsonObject(patch)) return settled(patch);
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  for (const key of Object.keys(patch)) {
    const change = patch[key] as JsonValue;
    if (change === null) delete result[key];
    else setOwn(result, key, applyMergePatch(Object.hasOwn(result, key) ? result[key] : undefined, change));
  }
  return result;
}

/** Lists are taken as they are; in their objects null removes what is not there. */
function settled(value: JsonValue): JsonValue {
  if (!Array.isArray(value)) return value;
  return value.map((item) => (item === null ? null : applyMergePatch(undefined, item)));
}
