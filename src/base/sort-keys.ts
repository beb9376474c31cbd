// Values with sorted keys, in short steps where they are large.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from './json.ts';
import { sortInSteps } from './sort-in-steps.ts';
import type { Steps } from './steps.ts';

/** So many values are put in order in a fraction of a millisecond. */
const stepValues = 500;

/** What `withSortedKeys` makes. */
export function* sortingKeys(value: JsonValue): Steps<JsonValue> {
  return yield* new Sorter().sort(value);
}

class Sorter {
  #left = stepValues;

  *sort(value: JsonValue): Steps<JsonValue> {
    if (--this.#left <= 0) {
      this.#left = stepValues;
      yield;
    }
    if (Array.isArray(value)) return yield* this.#list(value);
    return isJsonObject(value) ? yield* this.#object(value) : value;
  }

  *#list(items: readonly JsonValue[]): Steps<JsonValue[]> {
    const sorted: JsonValue[] = [];
    for (const item of items) sorted.push(yield* this.sort(item));
    return sorted;
  }

  *#object(object: JsonObject): Steps<JsonObject> {
    const keys = Object.keys(object);
    const result: JsonObject = {};
    for (const key of keys.length < stepValues ? keys.sort() : yield* sortInSteps(keys))
      setOwn(result, key, yield* this.sort(object[key] as JsonValue));
    return result;
  }
}
