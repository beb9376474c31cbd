// JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../base/json.ts';
import { atOnce, type Steps } from '../base/steps.ts';

export function applyMergePatch(target: JsonValue | undefined, patch: JsonValue): JsonValue {
  return atOnce(mergePatching(target, patch));
}

export function* mergePatching(target: JsonValue | undefined, patch: JsonValue): Steps<JsonValue> {
  if (Array.isArray(patch)) return yield* settling(patch);
  return isJsonObject(patch) ? yield* merging(target, patch) : patch;
}

/** So many members are merged in a fraction of a millisecond. */
const membersAStep = 500;

const isPlain = (value: JsonValue) => typeof value !== 'object' || value === null;

function* merging(target: JsonValue | undefined, patch: JsonObject): Steps<JsonObject> {
  const result: JsonObject = isJsonObject(target) ? { ...target } : {};
  let members = 0;
  for (const key of Object.keys(patch)) {
    const change = patch[key] as JsonValue;
    if (change === null) delete result[key];
    else if (isPlain(change)) setOwn(result, key, change);
    else setOwn(result, key, yield* mergePatching(Object.hasOwn(result, key) ? result[key] : undefined, change));
    if (++members % membersAStep === 0) yield;
  }
  return result;
}

/** Lists are taken as they are; in their objects null says that there is nothing. */
function* settling(list: readonly JsonValue[]): Steps<JsonValue[]> {
  const result: JsonValue[] = [];
  for (const item of list) {
    result.push(isPlain(item) ? item : yield* mergePatching(undefined, item));
    if (result.length % membersAStep === 0) yield;
  }
  return result;
}
