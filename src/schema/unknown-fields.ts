// Fields the schema does not know, in the order of the document. Looked for only when decoding has met one.

import { isJsonObject } from '../base/json.ts';
import type { SchemaType, StructType } from './types.ts';

/** More than any honest document has. */
const maxFound = 100;

/** Paths of unknown fields; `known` are names that the top level may have besides the type's own. */
export function unknownFields(type: SchemaType, value: unknown, known: ReadonlySet<string>): readonly string[] {
  const found: string[] = [];
  walk(type, value, '', found, known);
  return found;
}

const typeMeta: ReadonlySet<string> = new Set(['kind', 'apiVersion']);
const none: ReadonlySet<string> = new Set();

const fieldTypes = new WeakMap<StructType, ReadonlyMap<string, SchemaType>>();

function typesByName(type: StructType): ReadonlyMap<string, SchemaType> {
  let types = fieldTypes.get(type);
  if (types === undefined) {
    types = new Map(type.fields.map((field) => [field.name, field.type]));
    fieldTypes.set(type, types);
  }
  return types;
}

function walk(type: SchemaType, value: unknown, path: string, found: string[], known = none): void {
  if (found.length >= maxFound) return;
  // compat: nobody looks for unknown fields in a value that may have several forms
  if (type.is === 'list' && Array.isArray(value)) {
    for (const [index, item] of value.entries()) walk(type.of, item, `${path}[${index}]`, found);
  } else if (type.is === 'map' && isJsonObject(value)) {
    for (const key of Object.keys(value)) walk(type.of, value[key], `${path}.${key}`, found);
  } else if (type.is === 'struct' && isJsonObject(value)) {
    const fields = typesByName(type);
    for (const key of Object.keys(value)) {
      const at = path === '' ? key : `${path}.${key}`;
      const field = fields.get(key);
      if (field !== undefined) walk(field, value[key], at, found);
      else if (type.embedded && typeMeta.has(key)) continue;
      else if (!known.has(key) && found.length < maxFound) found.push(at);
    }
  }
}
