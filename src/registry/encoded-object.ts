// An object about to be stored, as bytes and as values.

import { stringifyJson } from '../base/json.ts';
import { writingJson } from '../base/json-in-steps.ts';
import { passingText } from '../base/passing-bytes.ts';
import type { Steps } from '../base/steps.ts';
import { type ApiObject, type ObjectMeta, withMetadata } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';

type MutableMeta = { -readonly [F in keyof ObjectMeta]: ObjectMeta[F] | undefined };

/** Values that are read as more than they say: defaults of the stored version are not stored themselves. */
const incomplete = new WeakSet<Uint8Array>();

export const isIncomplete = (value: Uint8Array): boolean => incomplete.has(value);

export class EncodedObject {
  /** Without a resourceVersion, which only the store knows; not to be kept. */
  readonly value: Uint8Array;
  /** A copy, so that it can be told its version in place. */
  readonly #object: ApiObject;
  readonly #metadata: MutableMeta;

  /** `object` is in the version that is stored, its fields in order. `text` is what is stored of it but for managedFields, if known. */
  constructor(object: ApiObject, text?: string) {
    this.#metadata = { ...object.metadata };
    this.#metadata.resourceVersion = undefined;
    this.#object = withMetadata(object, this.#metadata as ObjectMeta);
    this.value = passingText(this.#texts(text));
  }

  /** The same for an object that may be large. */
  static *encoding(object: ApiObject): Steps<EncodedObject> {
    const { managedFields } = object.metadata;
    const bare: MutableMeta = { ...object.metadata, resourceVersion: undefined };
    if (Array.isArray(managedFields)) bare.managedFields = noEntries;
    yield* textsOfEntries(managedFields);
    const text = yield* writingJson(withMetadata(object, bare as ObjectMeta));
    yield;
    return new EncodedObject(object, text);
  }

  /** Whether the value is read with defaults that it does not hold. */
  get lacksDefaults(): boolean {
    return incomplete.has(this.value);
  }

  markIncomplete(): this {
    incomplete.add(this.value);
    return this;
  }

  /** The object as it was stored. */
  at(revision: Revision): ApiObject {
    this.#metadata.resourceVersion = String(revision);
    return this.#object;
  }

  /** Most writers leave the others' entries in managedFields as they are, and those can be most of an object. */
  #texts(known: string | undefined): readonly string[] {
    const { managedFields } = this.#metadata;
    if (!Array.isArray(managedFields)) return [known ?? stringifyJson(this.#object)];
    this.#metadata.managedFields = noEntries;
    const text = known ?? stringifyJson(this.#object);
    this.#metadata.managedFields = managedFields;
    // quotes inside strings are escaped, and metadata stands before everything a client could have named so
    const at = text.indexOf(mark) + mark.length - 1;
    const entries = managedFields.map((entry, i) => (i === 0 ? textOf(entry) : `,${textOf(entry)}`));
    return [text.slice(0, at), ...entries, text.slice(at)];
  }
}

/** What entries of managedFields will be stored as, one after the other: large ones may be worked out before the rest. */
function* textsOfEntries(entries: readonly unknown[] = []): Steps<void> {
  for (const entry of entries) {
    if (typeof entry === 'object' && entry !== null && !texts.has(entry)) texts.set(entry, yield* writingJson(entry));
    yield;
  }
}

const noEntries: readonly unknown[] = [];
const mark = '"managedFields":[]';

const texts = new WeakMap<object, string>();

/** Entries are never changed, and the same ones come again with the next write of a busy object. */
function textOf(entry: unknown): string {
  if (typeof entry !== 'object' || entry === null) return stringifyJson(entry);
  let text = texts.get(entry);
  if (text === undefined) {
    text = stringifyJson(entry);
    texts.set(entry, text);
  }
  return text;
}
