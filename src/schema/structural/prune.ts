// Members that a structural schema does not know are taken away.

import { getOwn, isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import { additionalOf, isEmbedded, itemsOf, marks, preserves, type Schema } from './schema.ts';

const ownMeta = new Set(['apiVersion', 'kind', 'metadata']);

/** Whether a member is for others than the schema to describe: an object says itself what it is, and has metadata. */
const isOwnMeta = (schema: Schema, key: string): boolean => isEmbedded(schema) && ownMeta.has(key);

/** What pruning does with a member: by its own schema, which may describe nothing, or as a whole. */
type Fate = Schema | 'kept' | 'gone';

/** Describes nothing: what is in it goes. */
const nothing: Schema = {};

function fateOf(schema: Schema, key: string): Fate {
  if (isOwnMeta(schema, key)) return 'kept';
  const described = getOwn(schema.properties ?? {}, key) ?? additionalOf(schema);
  if (described !== undefined) return described;
  // compat: a member that may be anything is kept, and loses its own members, which nothing describes
  if (schema.additionalProperties === true) return nothing;
  return preserves(schema) ? 'kept' : 'gone';
}

/** What the items of a list are pruned by. */
function itemFate(schema: Schema): Schema {
  const items = itemsOf(schema) ?? nothing;
  return preserves(schema) ? { ...items, [marks.preserve]: true } : items;
}

/** The value without what its schema does not name; the very value where nothing goes. `onPruned` is called for each member that goes. */
export function prune(value: JsonValue, schema: Schema | undefined, onPruned?: () => void): JsonValue {
  if (Array.isArray(value)) return pruneList(value, itemFate(schema ?? nothing), onPruned);
  return isJsonObject(value) ? pruneObject(value, schema ?? nothing, onPruned) : value;
}

function pruneList(list: JsonValue[], items: Schema, onPruned?: () => void): JsonValue {
  let changed = false;
  const pruned = list.map((item) => {
    const next = prune(item, items, onPruned);
    changed ||= next !== item;
    return next;
  });
  return changed ? pruned : list;
}

/** By keys: of a large object V8 takes three times as long to list entries. */
function pruneObject(object: JsonObject, schema: Schema, onPruned?: () => void): JsonValue {
  const keys = Object.keys(object);
  let result: JsonObject | undefined;
  for (let at = 0; at < keys.length; at++) {
    const key = keys[at] as string;
    const member = object[key] as JsonValue;
    const fate = fateOf(schema, key);
    if (fate === 'gone') onPruned?.();
    const next = typeof fate === 'object' && typeof member === 'object' ? prune(member, fate, onPruned) : member;
    if (result === undefined && (fate === 'gone' || next !== member)) result = firstOf(object, keys, at);
    if (result !== undefined && fate !== 'gone') setOwn(result, key, next);
  }
  return result ?? object;
}

/** The members of an object by its first keys. */
function firstOf(object: JsonObject, keys: readonly string[], count: number): JsonObject {
  const first: JsonObject = {};
  for (let at = 0; at < count; at++) setOwn(first, keys[at] as string, object[keys[at] as string] as JsonValue);
  return first;
}

/** Paths of the members that pruning takes away, of a whole object; `onPath` is called for each. */
export function prunedPaths(object: JsonObject, schema: Schema, onPath: (path: string) => void): void {
  const paths = new PrunedPaths(onPath);
  for (const key of Object.keys(object)) if (!ownMeta.has(key)) paths.member(object, key, schema, '');
}

class PrunedPaths {
  readonly #onPath: (path: string) => void;

  constructor(onPath: (path: string) => void) {
    this.#onPath = onPath;
  }

  member(object: JsonObject, key: string, schema: Schema, at: string): void {
    const fate = fateOf(schema, key);
    if (fate === 'gone') this.#onPath(below(at, `.${key}`));
    else if (fate !== 'kept') this.#value(object[key] as JsonValue, fate, at, `.${key}`);
  }

  #value(value: JsonValue, schema: Schema, above: string, part: string): void {
    if (typeof value !== 'object' || value === null) return;
    const at = below(above, part);
    if (Array.isArray(value)) {
      const items = itemFate(schema);
      for (const [index, item] of value.entries())
        if (typeof item === 'object') this.#value(item, items, at, `[${index}]`);
    } else for (const key of Object.keys(value)) this.member(value, key, schema, at);
  }
}

/** Where a part stands; in one piece, so that the paths below it are not put together from all levels each time. */
function below(at: string, part: string): string {
  const path = at === '' && part.startsWith('.') ? part.slice(1) : at + part;
  path.charCodeAt(0);
  return path;
}
