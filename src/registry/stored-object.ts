// An object as the server keeps it: the canonical JSON of one version, ready to be sent. It is parsed only where its
// bytes are not enough. The bytes of an object in a cache may be in the store's mapping only (see `HotTexts`).

import { bufferOf } from '../base/bytes.ts';
import { stringifyJson } from '../base/json/json.ts';
import { findMember, findValue, skipValue, UnexpectedJsonError } from '../base/json/json-member.ts';
import { parseJsonText } from '../base/json/json-scan.ts';
import { type ApiObject, type Labels, withMetadata } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';
import { largeBytes, withoutManagers } from '../meta/without-managers.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import { type StoredEntry, StoreUnavailableError, type ValuePlace } from '../storage/store.ts';
import type { HotText, HotTexts } from './hot-texts.ts';
import { readFields, readIndexedField } from './selectable-fields.ts';

/** A text that is in the store's mapping. */
interface MappedText {
  readonly texts: HotTexts;
  readonly size: number;
}

export class StoredObject implements HotText {
  readonly key: string;
  readonly revision: Revision;
  /** Length of `bytes`. */
  readonly size: number;
  /** The version that the bytes are in, and the definition of it that they follow. */
  readonly definition: ResourceDefinition;
  /** Why clients cannot be shown the object: its bytes lack defaults. It can still be deleted. */
  readonly flaw: string | undefined;
  /** Null when not looked up yet. */
  #labels: Labels | undefined | null = null;
  #fields: Readonly<Record<string, string>> | undefined;
  /** Undefined while the text is in the mapping only. */
  #bytes: Uint8Array | undefined;
  /** Where the text can be read again; undefined for an object that has to keep it. */
  #texts: HotTexts | undefined;
  /** Where metadata ends in the text; 0 when not looked for yet. */
  #metadataEnd = 0;
  /** Of `#texts`, when the text was last used. */
  #generation = -1;

  /** `text` is the JSON and a newline, or where to read it. */
  constructor(
    definition: ResourceDefinition,
    { key, revision }: ValuePlace,
    text: Uint8Array | MappedText,
    flaw?: string,
  ) {
    this.definition = definition;
    this.flaw = flaw;
    this.key = key;
    this.revision = revision;
    if (text instanceof Uint8Array) {
      this.size = text.length - 1;
      this.#bytes = text.subarray(0, this.size);
    } else {
      this.size = text.size;
      this.#texts = text.texts;
    }
  }

  /** What the store has of an object. */
  static of(definition: ResourceDefinition, { key, revision, value }: StoredEntry, flaw?: string): StoredObject {
    return new StoredObject(definition, { key, revision }, withRevision(value, revision), flaw);
  }

  /** An object whose text is read from the mapping when it is needed. */
  static mapped(definition: ResourceDefinition, place: ValuePlace, valueLength: number, texts: HotTexts): StoredObject {
    return new StoredObject(definition, place, { texts, size: valueLength + revisionText(place.revision).length });
  }

  /** An object that was never stored, and so has no version to show but what its client said. */
  static unversioned(definition: ResourceDefinition, entry: StoredEntry, said = ''): StoredObject {
    const line = said === '' ? Buffer.concat([entry.value, newline]) : withRevision(entry.value, said);
    return new StoredObject(definition, entry, line);
  }

  /** What became of a stored object: `object` has its fields in order. */
  static make(
    definition: ResourceDefinition,
    { key, revision }: Pick<StoredObject, 'key' | 'revision'>,
    object: ApiObject,
    flaw?: string,
  ): StoredObject {
    const line = Buffer.from(`${stringifyJson(object)}\n`);
    return new StoredObject(definition, { key, revision }, line, flaw);
  }

  /** The same object at another revision. */
  at(revision: Revision): StoredObject {
    const { definition, key } = this;
    const line = withOtherRevision(bufferOf(this.line), revision);
    if (line !== undefined) return new StoredObject(definition, { key, revision }, line);
    const object = this.parse();
    const metadata = { ...object.metadata, resourceVersion: String(revision) };
    return StoredObject.make(definition, { key, revision }, withMetadata(object, metadata));
  }

  /** The JSON a client gets, resourceVersion included. A newline stands behind it in memory. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#read();
    const bytes = this.#bytes;
    const texts = this.#texts;
    if (texts !== undefined && this.#generation !== texts.generation) {
      this.#generation = texts.generation;
      texts.keep(this);
    }
    return bytes;
  }

  /** The value of the store is the JSON, so the text may be dropped and read again. */
  leaveToMapping(texts: HotTexts): this {
    this.#texts = texts;
    this.#generation = texts.generation;
    texts.keep(this);
    return this;
  }

  /** For an object that was replaced: the history that has its text may be compacted. */
  hold(): void {
    this.#bytes ??= this.#read();
    this.#texts = undefined;
  }

  cool(generation: number): void {
    if (this.#texts !== undefined && this.#generation !== generation) this.#bytes = undefined;
  }

  #read(): Uint8Array {
    const line = this.#look((value) => withRevision(value, this.revision));
    return line.subarray(0, line.length - 1);
  }

  /** Whether the text is in memory; where it is not, `copyTo` spares readers of many objects a buffer for each. */
  get isInMemory(): boolean {
    return this.#bytes !== undefined;
  }

  /** Writes the text into `target`, which has its size. */
  copyTo(target: Buffer): void {
    if (this.#bytes !== undefined) target.set(this.#bytes);
    else {
      this.#look((value) => {
        const source = bufferOf(value);
        insertRevision(source, revisionPlace(source) as number, revisionText(this.revision), target);
        return target;
      });
    }
  }

  /** Calls `use` with the text, which it must not keep. A text that is in the mapping only stays there. */
  readText<T>(use: (text: Buffer) => T): T {
    if (this.#bytes !== undefined) return use(bufferOf(this.#bytes));
    if (this.size > scratch.length) return use(bufferOf(this.#read()));
    const text = scratch.subarray(0, this.size);
    this.copyTo(text);
    return use(text);
  }

  /** Where metadata ends in that text; throws an `UnexpectedJsonError` where that cannot be found. */
  metadataEnd(text: Buffer): number {
    this.#metadataEnd ||= skipValue(text, findMetadata(text));
    return this.#metadataEnd;
  }

  /** The same with the text up to the end of metadata; throws an `UnexpectedJsonError` where that cannot be found. */
  readMetadata<T>(use: (text: Buffer, metadataStart: number) => T): T {
    if (this.#bytes === undefined) {
      const length = this.#look((value) => this.#copyMetadata(bufferOf(value)));
      if (length > 0) return use(scratch.subarray(0, length), findMetadata(scratch));
    }
    return this.readText((text) => {
      const end = this.metadataEnd(text);
      return use(text.subarray(0, end), findMetadata(text));
    });
  }

  /** Copies a value up to the end of metadata into `scratch`, with the version. Returns the length; 0 where it does not fit. */
  #copyMetadata(value: Buffer): number {
    const version = revisionText(this.revision);
    this.#metadataEnd ||= skipValue(value, findMetadata(value)) + version.length;
    const end = this.#metadataEnd;
    if (end > scratch.length) return 0;
    insertRevision(value.subarray(0, end - version.length), revisionPlace(value) as number, version, scratch);
    return end;
  }

  #look<T>(use: (value: Uint8Array) => T): T {
    const looked = this.#texts?.values.look(this.revision, use);
    if (looked === undefined) throw new StoreUnavailableError(`the history has lost ${this.key} at ${this.revision}`);
    return looked;
  }

  /** The JSON as a string. A text that is in the mapping only stays there. */
  get #text(): string {
    return this.readText((text) => text.toString());
  }

  /** The bytes as an answer of their own: text ends with a newline. */
  get line(): Uint8Array {
    const { buffer, byteOffset, length } = this.bytes;
    return Buffer.from(buffer, byteOffset, length + 1);
  }

  /** A fresh copy, the caller's to change. */
  parse(): ApiObject {
    return parseJsonText(this.#text) as unknown as ApiObject;
  }

  /** What the server follows, for reading only: without the managers of its fields where it is large. */
  parseBare(): ApiObject {
    if (this.size < largeBytes) return this.parse();
    return parseJsonText(bufferOf(withoutManagers(this.bytes)).toString()) as unknown as ApiObject;
  }

  /** What label selectors look at. */
  get labels(): Labels | undefined {
    if (this.#labels === null) this.#labels = this.#readLabels();
    return this.#labels;
  }

  /** Labels stand near the beginning: they are found without parsing the object. */
  #readLabels(): Labels | undefined {
    const read = (bytes: Uint8Array) => {
      const found = findValue(bytes, ['metadata', 'labels']);
      return { labels: found && (JSON.parse(bufferOf(found).toString()) as Labels) };
    };
    try {
      return (this.#bytes === undefined ? this.#look(read) : read(this.#bytes)).labels;
    } catch (error) {
      if (error instanceof UnexpectedJsonError) return this.parse().metadata.labels;
      throw error;
    }
  }

  /** A field a selector may name; the resource has said which ones exist. */
  field(name: string): string {
    if (name === 'metadata.name') return this.key.slice(this.key.lastIndexOf('/') + 1);
    if (name === 'metadata.namespace' && this.definition.namespaced) return this.key.split('/').at(-2) as string;
    this.#fields ??= readFields(this);
    return this.#fields[name] ?? '';
  }

  /** The same for an index, which keeps the value itself. */
  indexedField(name: string): string {
    return this.#fields === undefined && !name.startsWith('metadata.')
      ? readIndexedField(this, name)
      : this.field(name);
  }
}

/** For texts that are parsed at once. */
const scratch = Buffer.allocUnsafeSlow(64 * 1024);

const newline = Buffer.from('\n');
const uidMark = Buffer.from('"uid":"');
const uidLength = 36;

/** Puts the resourceVersion behind the uid, and a newline behind all. */
function withRevision(value: Uint8Array, revision: Revision | string): Uint8Array {
  const source = bufferOf(value);
  const at = revisionPlace(source);
  if (at === undefined) return reencode(source, revision);
  const text = revisionText(revision);
  const out = Buffer.allocUnsafe(source.length + text.length + 1);
  insertRevision(source, at, text, out);
  out[out.length - 1] = 0x0a;
  return out;
}

/**
 * Where the resourceVersion belongs in a value. Only short strings come before the uid in canonical JSON, and quotes inside
 * strings are escaped, so the first mark is the right one. Undefined for a uid of another length, which another server, or an
 * administrator, chose.
 */
export function revisionPlace(source: Buffer): number | undefined {
  const at = source.indexOf(uidMark);
  const end = at + uidMark.length + uidLength + 1;
  return at < 0 || source.indexOf(0x22, at + uidMark.length) !== end - 1 ? undefined : end;
}

function insertRevision(source: Buffer, at: number, text: string, out: Buffer): void {
  source.copy(out, 0, 0, at);
  out.write(text, at, 'latin1');
  source.copy(out, at + text.length, at);
}

/** Where metadata begins. */
function findMetadata(text: Uint8Array): number {
  const start = findMember(text, 0, 'metadata');
  if (start < 0) throw new UnexpectedJsonError();
  return start;
}

const revisionText = (revision: Revision | string) => `,"resourceVersion":${JSON.stringify(String(revision))}`;

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
