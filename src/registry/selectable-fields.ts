// Fields of stored objects that selectors may name, read without the rest of the object.

import { UnexpectedJsonError } from '../base/json/json-member.ts';
import { PartialObjects } from '../codec/partial-object.ts';
import type { ApiObject } from '../meta/object.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StoredObject } from './stored-object.ts';

type Fields = Readonly<Record<string, string>>;

/** Every field that selectors may name. */
export function readFields(stored: StoredObject): Fields {
  const readers = Object.entries(stored.definition.selectableFields ?? {});
  return readingOf(stored, '', (object) => {
    const fields: Record<string, string> = {};
    for (const [field, read] of readers) fields[field] = read(object);
    return fields;
  });
}

/** One of them. */
function readField(stored: StoredObject, name: string): string {
  const read = stored.definition.selectableFields?.[name];
  return read === undefined ? '' : readingOf(stored, name, read);
}

const keys = new Map<string, Buffer>();

/**
 * One of them, for an index. A field that its kind declares as indexed is a plain path: where its last name does not occur in the
 * text, it is empty, which is true of most new objects. Other fields may have a value of their own then.
 */
export function readIndexedField(stored: StoredObject, name: string): string {
  return stored.definition.indexedFields?.includes(name) === true && lacks(stored, name) ? '' : readField(stored, name);
}

function lacks(stored: StoredObject, name: string): boolean {
  const key = keys.get(name) ?? Buffer.from(`"${name.slice(name.lastIndexOf('.') + 1)}":`);
  keys.set(name, key);
  return stored.readText((text) => text.indexOf(key) < 0);
}

/** What is learned of reading all fields, and of each field by itself. */
const readers = new WeakMap<ResourceDefinition, Map<string, PartialObjects | undefined>>();

function readingOf<R>(stored: StoredObject, name: string, use: (object: ApiObject) => R): R {
  const partial = readerOf(stored.definition, name);
  if (partial === undefined) return use(stored.parse());
  try {
    return stored.readText((text) => {
      const end = stored.metadataEnd(text);
      return partial.reading((read) => use(read(text, end) as unknown as ApiObject));
    });
  } catch (error) {
    if (error instanceof UnexpectedJsonError) return use(stored.parse());
    throw error;
  }
}

function readerOf(definition: ResourceDefinition, name: string): PartialObjects | undefined {
  const ofDefinition = readers.get(definition) ?? new Map<string, PartialObjects | undefined>();
  readers.set(definition, ofDefinition);
  if (!ofDefinition.has(name)) ofDefinition.set(name, makeReader(definition, name));
  return ofDefinition.get(name);
}

/** Undefined where fields may be anywhere, and for versions whose fields are read of another version. */
function makeReader(definition: ResourceDefinition, name: string): PartialObjects | undefined {
  const { type, conversion, selectablePath, selectableFields = {} } = definition;
  if (type.is === 'struct') return conversion === undefined ? PartialObjects.ofType(type) : undefined;
  const paths = selectablePath && (name === '' ? Object.keys(selectableFields) : [name]).map(selectablePath);
  return paths === undefined || paths.some(({ length }) => length === 0) ? undefined : PartialObjects.ofPaths(paths);
}
