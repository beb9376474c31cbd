// Fields the schema does not know, in the order of the document. Looked for only when decoding has met one.

import { isJsonObject } from '../base/json/json.ts';
import { memoized } from '../base/memoized.ts';
import { embeddedMeta } from './structural/embedded-meta.ts';
import { prunedPaths } from './structural/prune.ts';
import type { StructuralType } from './structural/structural-type.ts';
import type { SchemaType, StructType } from './types.ts';

/** More than any honest document has. */
const maxFound = 100;

/** Paths of unknown fields; `known` are names that the top level may have besides the type's own. */
export function unknownFields(
  type: SchemaType | StructuralType,
  value: unknown,
  known: ReadonlySet<string>,
): readonly string[] {
  const found: string[] = [];
  if (type.is === 'structural') walkStructural(type, value, found);
  else walk(type, value, '', found, known);
  return found;
}

/** compat: unknown fields of custom resources are told in alphabetical order, those of metadata first */
function walkStructural(type: StructuralType, value: unknown, found: string[]): void {
  if (!isJsonObject(value)) return;
  walk(type.meta, value['metadata'], 'metadata', found);
  if (type.schema === undefined) return;
  const pruned = new FirstPaths();
  prunedPaths(value, type.schema, (path) => pruned.add(path));
  const inMeta: string[] = [];
  embeddedMeta(value, type.schema, (metadata, at) => walk(type.meta, metadata, at, inMeta));
  found.push(...[...pruned.sorted(), ...inMeta.sort()].slice(0, maxFound - found.length));
}

/** The first of many paths, in alphabetical order: those of a deep object are long, and to sort them all takes long. */
class FirstPaths {
  #paths: string[] = [];
  #last: string | undefined;

  add(path: string): void {
    if (this.#last !== undefined && path >= this.#last) return;
    this.#paths.push(path);
    if (this.#paths.length < 2 * maxFound) return;
    this.#paths = this.sorted();
    this.#last = this.#paths.at(-1);
  }

  sorted(): string[] {
    return this.#paths.sort().slice(0, maxFound);
  }
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);
const none: ReadonlySet<string> = new Set();

const typesByName = memoized(
  (type: StructType): ReadonlyMap<string, SchemaType> => new Map(type.fields.map((field) => [field.name, field.type])),
);

function walk(type: SchemaType, value: unknown, path: string, found: string[], known = none): void {
  if (found.length >= maxFound) return;
  // compat: unknown fields are not looked for in a value that may have several forms
  if (type.is === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(type.of, item, `${path}[${index}]`, found);
  } else if (type.is === 'map' && isJsonObject(value)) {
    for (const key of Object.keys(value)) {
      if (found.length >= maxFound) return;
      walk(type.of, value[key], `${path}.${key}`, found);
    }
  } else if (type.is === 'struct' && isJsonObject(value)) {
    const fields = typesByName(type);
    for (const key of Object.keys(value)) {
      if (found.length >= maxFound) return;
      const at = path === '' ? key : `${path}.${key}`;
      const field = fields.get(key);
      if (field !== undefined) walk(field, value[key], at, found);
      else if (type.embedded && typeMeta.has(key)) continue;
      else if (!known.has(key)) found.push(at);
    }
  }
}
