// An object as the server keeps it: the canonical JSON of its storage version, ready to be sent. It is parsed
// only when somebody asks for more than its bytes.

import { stringifyJson } from '../base/json.ts';
import { parseJsonText } from '../base/json-scan.ts';
import type { ApiObject, Labels } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StoredEntry } from '../storage/store.ts';

/** What selectors look at. */
interface Attributes {
  readonly labels: Labels | undefined;
  readonly fields: Readonly<Record<string, string>>;
}

export class StoredObject {
  readonly key: string;
  readonly revision: Revision;
  /** The JSON a client gets, resourceVersion included. */
  readonly bytes: Uint8Array;
  readonly #definition: ResourceDefinition;
  #attributes: Attributes | undefined;

  constructor(definition: ResourceDefinition, entry: StoredEntry, bytes = withRevision(entry.value, entry.revision)) {
    this.#definition = definition;
    this.key = entry.key;
    this.revision = entry.revision;
    this.bytes = bytes;
  }

  /** An object that was never stored, and so has no version to show. */
  static unversioned(definition: ResourceDefinition, entry: StoredEntry): StoredObject {
    return new StoredObject(definition, entry, entry.value);
  }

  /** A fresh copy, the caller's to change. */
  parse(): ApiObject {
    const { buffer, byteOffset, length } = this.bytes;
    return parseJsonText(Buffer.from(buffer, byteOffset, length).toString()) as unknown as ApiObject;
  }

  get attributes(): Attributes {
    this.#attributes ??= readAttributes(this.#definition, this.parse());
    return this.#attributes;
  }

  /** A field a selector may name; the resource has said which ones exist. */
  field(name: string): string {
    return this.attributes.fields[name] ?? '';
  }
}

function readAttributes(definition: ResourceDefinition, object: ApiObject): Attributes {
  const { name = '', namespace = '', labels } = object.metadata;
  const fields: Record<string, string> = { 'metadata.name': name, 'metadata.namespace': namespace };
  for (const [field, read] of Object.entries(definition.selectableFields ?? {})) fields[field] = read(object);
  return { labels, fields };
}

/** The bytes to store: the object without its resourceVersion, which only the store knows. */
export function encodeForStorage(object: ApiObject): Uint8Array {
  if (object.metadata.resourceVersion === undefined) return Buffer.from(stringifyJson(object));
  const { resourceVersion: _, ...metadata } = object.metadata;
  return Buffer.from(stringifyJson({ ...object, metadata }));
}

const uidMark = Buffer.from('"uid":"');
const uidLength = 36;

/**
 * Puts the resourceVersion behind the uid. Only short strings come before the uid in canonical JSON, and quotes
 * inside strings are escaped, so the first mark is the right one.
 */
function withRevision(value: Uint8Array, revision: Revision): Uint8Array {
  const source = Buffer.isBuffer(value) ? value : Buffer.from(value.buffer, value.byteOffset, value.length);
  const at = source.indexOf(uidMark);
  const end = at + uidMark.length + uidLength + 1;
  if (at < 0 || source[end - 1] !== 0x22) return reencode(source, revision);
  const insert = `,"resourceVersion":"${revision}"`;
  const out = Buffer.allocUnsafe(source.length + insert.length);
  source.copy(out, 0, 0, end);
  out.write(insert, end, 'latin1');
  source.copy(out, end + insert.length, end);
  return out;
}

/** For values somebody else wrote, in another shape. */
function reencode(source: Buffer, revision: Revision): Uint8Array {
  const object = parseJsonText(source.toString()) as unknown as ApiObject;
  return Buffer.from(stringifyJson({ ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } }));
}
