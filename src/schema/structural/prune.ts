// Members that a structural schema does not know are taken away.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import { additionalOf, isEmbedded, itemsOf, marks, preserves, type Schema } from './schema.ts';

interface PruneOptions {
  /** The value is a whole object: what every object has is not the schema's business. */
  readonly isObject?: boolean;
  /** Hears the path of every member that goes. */
  onPruned?(path: string): void;
}

const ownMeta = new Set(['apiVersion', 'kind', 'metadata']);

/** The value without what its schema does not name; the very value where there is nothing to take away. */
export function prune(value: JsonValue, schema: Schema | undefined, options: PruneOptions = {}): JsonValue {
  const { isObject = false, onPruned } = options;
  return new Pruner(onPruned ?? (() => undefined)).value(value, schema, '', isObject);
}

class Pruner {
  readonly #onPruned: (path: string) => void;

  constructor(onPruned: (path: string) => void) {
    this.#onPruned = onPruned;
  }

  value(value: JsonValue, schema: Schema | undefined, at: string, isObject = false): JsonValue {
    if (Array.isArray(value)) {
      const items = schema && itemsOf(schema);
      return this.#list(value, schema && preserves(schema) ? { ...items, [marks.preserve]: true } : items, at);
    }
    return isJsonObject(value) ? this.#object(value, schema ?? {}, at, isObject) : value;
  }

  #list(list: JsonValue[], items: Schema | undefined, at: string): JsonValue {
    let changed = false;
    const pruned = list.map((item, index) => {
      const next = this.value(item, items, `${at}[${index}]`);
      changed ||= next !== item;
      return next;
    });
    return changed ? pruned : list;
  }

  #object(object: JsonObject, schema: Schema, at: string, isObject: boolean): JsonValue {
    const result: JsonObject = {};
    let changed = false;
    for (const [key, member] of Object.entries(object)) {
      const place = at === '' ? key : `${at}.${key}`;
      const next = this.#member(member, key, schema, place, isObject);
      changed ||= next !== member;
      if (next === undefined) this.#onPruned(place);
      else setOwn(result, key, next);
    }
    return changed ? result : object;
  }

  /** Undefined where the member goes. */
  #member(member: JsonValue, key: string, schema: Schema, at: string, isObject: boolean): JsonValue | undefined {
    if ((isObject || isEmbedded(schema)) && ownMeta.has(key)) return member;
    const described = getOwn(schema.properties ?? {}, key) ?? additionalOf(schema);
    if (described !== undefined) return this.value(member, described, at);
    // compat: a member that may be anything is kept, and loses its own members, which nothing describes
    if (schema.additionalProperties === true) return this.value(member, undefined, at);
    return preserves(schema) ? member : undefined;
  }
}
