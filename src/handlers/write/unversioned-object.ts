// What a patch makes of an object when it takes the apiVersion away.

import { isJsonObject, type JsonObject, type JsonValue, setOwn } from '../../base/json/json.ts';
import type { ObjectType } from '../../schema/object-type.ts';

/** A patched object in the form that objects of its version have. */
export interface Unversioned {
  readonly value: JsonObject;
  /** Fields that no such object has. */
  readonly unknownFields: readonly string[];
}

/**
 * An object of no version, in the form that objects have; undefined for one that says its version.
 * compat: without a version an object has the fields of metadata itself, and its other fields are unknown
 */
export function unversioned(type: ObjectType, value: JsonValue): Unversioned | undefined {
  if (type.is !== 'struct' || !isJsonObject(value) || (value['apiVersion'] ?? '') !== '') return undefined;
  const meta = type.fields.find(({ name }) => name === 'metadata')?.type;
  const known = new Set(meta?.is === 'struct' ? meta.fields.map(({ name }) => name) : []);
  const metadata: JsonObject = {};
  const unknownFields: string[] = [];
  for (const key of Object.keys(value)) {
    if (known.has(key)) setOwn(metadata, key, value[key] as JsonValue);
    else if (key !== 'kind' && key !== 'apiVersion') unknownFields.push(key);
  }
  return { value: { kind: value['kind'] ?? null, metadata }, unknownFields };
}
