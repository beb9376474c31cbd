// Members that a structural schema does not know are taken away.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json.ts';
import { additionalOf, isEmbedded, itemsOf, marks, preserves, type Schema } from './schema.ts';

interface PruneOptions {
  /** The value is a whole object: what every object has is not the schema's business. */
  readonly isObject?: boolean;
  /** Called for every member that goes. */
  onPruned?(): void;
  /** The same, with the path of the member: paths take longer than all the rest. */
  onPath?(path: string): void;
}

const ownMeta = new Set(['apiVersion', 'kind', 'metadata']);

/** The value without what its schema does not name; the very value where there is nothing to take away. */
export function prune(value: JsonValue, schema: Schema | undefined, options: PruneOptions = {}): JsonValue {
  return new Pruner(options).value(value, schema, '', options.isObject ?? false);
}

class Pruner {
  readonly #onPruned: (() => void) | undefined;
  readonly #onPath: ((path: string) => void) | undefined;

  constructor({ onPruned, onPath }: PruneOptions) {
    this.#onPruned = onPruned;
    this.#onPath = onPath;
  }

  /** Where a part stands; in one piece, so that the paths below it are not put together from all levels each time. */
  #below(at: string, part: string): string {
    if (this.#onPath === undefined) return '';
    const path = at === '' && part.startsWith('.') ? part.slice(1) : at + part;
    path.charCodeAt(0);
    return path;
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
      const next = this.value(item, items, this.#below(at, `[${index}]`));
      changed ||= next !== item;
      return next;
    });
    return changed ? pruned : list;
  }

  #object(object: JsonObject, schema: Schema, at: string, isObject: boolean): JsonValue {
    const result: JsonObject = {};
    let changed = false;
    for (const [key, member] of Object.entries(object)) {
      const next = this.#member(member, key, schema, at, isObject);
      changed ||= next !== member;
      if (next === undefined) this.#tell(at, key);
      else setOwn(result, key, next);
    }
    return changed ? result : object;
  }

  #tell(at: string, key: string): void {
    this.#onPruned?.();
    this.#onPath?.(this.#below(at, `.${key}`));
  }

  /** Undefined where the member goes. */
  #member(member: JsonValue, key: string, schema: Schema, at: string, isObject: boolean): JsonValue | undefined {
    if ((isObject || isEmbedded(schema)) && ownMeta.has(key)) return member;
    const described = getOwn(schema.properties ?? {}, key) ?? additionalOf(schema);
    if (described !== undefined) return this.#inner(member, described, at, key);
    // compat: a member that may be anything is kept, and loses its own members, which nothing describes
    if (schema.additionalProperties === true) return this.#inner(member, undefined, at, key);
    return preserves(schema) ? member : undefined;
  }

  #inner(member: JsonValue, schema: Schema | undefined, at: string, key: string): JsonValue {
    return typeof member === 'object' ? this.value(member, schema, this.#below(at, `.${key}`)) : member;
  }
}
