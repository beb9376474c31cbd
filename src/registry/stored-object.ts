// An object as the server keeps it: the canonical JSON of one version, ready to be sent. It is parsed only where its
// bytes are not enough.

import { bufferOf } from '../base/bytes.ts';
import { stringifyJson } from '../base/json.ts';
import { writingJson } from '../base/json-in-steps.ts';
import { readJsonInTurns } from '../base/json-in-turns.ts';
import { findValue, UnexpectedJsonError } from '../base/json-member.ts';
import { parseJsonText } from '../base/json-scan.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { atOnce, type Steps } from '../base/steps.ts';
import { nextTurn } from '../base/yield-timer.ts';
import { type ApiObject, type Labels, withMetadata } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StoredEntry } from '../storage/store.ts';

/** Whatever is in fewer bytes, they are parsed within a turn. */
export const largeBytes = 256 * 1024;

export class StoredObject {
  readonly key: string;
  readonly revision: Revision;
  /** The JSON a client gets, resourceVersion included. A newline stands behind it in memory. */
  readonly bytes: Uint8Array;
  /** The version that the bytes are in, and the definition of it that they follow. */
  readonly definition: ResourceDefinition;
  /** Why clients cannot be shown the object: its bytes lack defaults. It can still be deleted. */
  readonly flaw: string | undefined;
  /** Null when not looked up yet. */
  #labels: Labels | undefined | null = null;
  #fields: Readonly<Record<string, string>> | undefined;

  /** `line` is the JSON and a newline. */
  constructor(
    definition: ResourceDefinition,
    entry: StoredEntry,
    line = withRevision(entry.value, entry.revision),
    flaw?: string,
  ) {
    this.definition = definition;
    this.flaw = flaw;
    this.key = entry.key;
    this.revision = entry.revision;
    this.bytes = line.subarray(0, line.length - 1);
  }

  /** An object that was never stored, and so has no version to show but what its client said. */
  static unversioned(definition: ResourceDefinition, entry: StoredEntry, said = ''): StoredObject {
    const line = said === '' ? Buffer.concat([entry.value, newline]) : withRevision(entry.value, said);
    return new StoredObject(definition, entry, line);
  }

  /** What became of a stored object: `object` has its fields in order. */
  static *making(
    definition: ResourceDefinition,
    { key, revision }: Pick<StoredObject, 'key' | 'revision'>,
    object: ApiObject,
    flaw?: string,
  ): Steps<StoredObject> {
    const line = Buffer.from(`${yield* writingJson(object)}\n`);
    return new StoredObject(definition, { key, revision, value: line }, line, flaw);
  }

  /** The same object at another revision. */
  at(revision: Revision): StoredObject {
    const { definition, key } = this;
    const line = withOtherRevision(bufferOf(this.line), revision);
    if (line !== undefined) return new StoredObject(definition, { key, revision, value: line }, line);
    const object = this.parse();
    const metadata = { ...object.metadata, resourceVersion: String(revision) };
    return atOnce(StoredObject.making(definition, { key, revision }, withMetadata(object, metadata)));
  }

  /** The bytes as an answer of their own: text ends with a newline. */
  get line(): Uint8Array {
    const { buffer, byteOffset, length } = this.bytes;
    return Buffer.from(buffer, byteOffset, length + 1);
  }

  /** A fresh copy, the caller's to change. */
  parse(): ApiObject {
    return parseJsonText(bufferOf(this.bytes).toString()) as unknown as ApiObject;
  }

  /** The same, where the object is large in turns with other work. */
  parseInTurns(): MaybePromise<ApiObject> {
    return this.bytes.length < largeBytes ? this.parse() : this.#parseLarge();
  }

  async #parseLarge(): Promise<ApiObject> {
    const text = bufferOf(this.bytes).toString();
    await nextTurn();
    return (await readJsonInTurns(text)) as unknown as ApiObject;
  }

  /** What label selectors look at. */
  get labels(): Labels | undefined {
    if (this.#labels === null) this.#labels = readLabels(this);
    return this.#labels;
  }

  /** A field a selector may name; the resource has said which ones exist. */
  field(name: string): string {
    if (name === 'metadata.name') return this.key.slice(this.key.lastIndexOf('/') + 1);
    if (name === 'metadata.namespace' && this.definition.namespaced) return this.key.split('/').at(-2) as string;
    this.#fields ??= readFields(this.definition, this.parse());
    return this.#fields[name] ?? '';
  }
}

/** Labels stand near the beginning: they are found without parsing the object. */
function readLabels(stored: StoredObject): Labels | undefined {
  try {
    const found = findValue(stored.bytes, ['metadata', 'labels']);
    return found && (JSON.parse(Buffer.from(found).toString()) as Labels);
  } catch (error) {
    if (error instanceof UnexpectedJsonError) return stored.parse().metadata.labels;
    throw error;
  }
}

function readFields(definition: ResourceDefinition, object: ApiObject): Readonly<Record<string, string>> {
  const fields: Record<string, string> = {};
  for (const [field, read] of Object.entries(definition.selectableFields ?? {})) fields[field] = read(object);
  return fields;
}

const newline = Buffer.from('\n');
const uidMark = Buffer.from('"uid":"');
const uidLength = 36;

/**
 * Puts the resourceVersion behind the uid, and a newline behind all. Only short strings come before the uid in canonical JSON, and quotes
 * inside strings are escaped, so the first mark is the right one.
 */
function withRevision(value: Uint8Array, revision: Revision | string): Uint8Array {
  const source = bufferOf(value);
  const at = source.indexOf(uidMark);
  const end = at + uidMark.length + uidLength + 1;
  // a uid of another length is one that another server, or an administrator, chose
  if (at < 0 || source.indexOf(0x22, at + uidMark.length) !== end - 1) return reencode(source, revision);
  const insert = `,"resourceVersion":${JSON.stringify(String(revision))}`;
  const size = Buffer.byteLength(insert);
  const out = Buffer.allocUnsafe(source.length + size + 1);
  source.copy(out, 0, 0, end);
  out.write(insert, end);
  source.copy(out, end + size, end);
  out[out.length - 1] = 0x0a;
  return out;
}

const revisionMark = Buffer.from(',"resourceVersion":"');

/** Undefined where the version does not stand behind the uid, as in objects that another server made. */
function withOtherRevision(line: Buffer, revision: Revision): Uint8Array | undefined {
  const at = line.indexOf(uidMark);
  const start = at + uidMark.length + uidLength + 1 + revisionMark.length;
  if (at < 0 || !line.subarray(start - revisionMark.length, start).equals(revisionMark)) return undefined;
  const end = line.indexOf(0x22, start);
  return Buffer.concat([line.subarray(0, start), Buffer.from(String(revision)), line.subarray(end)]);
}

/** For values that another server wrote, in another shape. */
function reencode(source: Buffer, revision: Revision | string): Uint8Array {
  const object = parseJsonText(source.toString()) as unknown as ApiObject;
  const metadata = { ...object.metadata, resourceVersion: String(revision) };
  return Buffer.from(`${stringifyJson({ ...object, metadata })}\n`);
}
