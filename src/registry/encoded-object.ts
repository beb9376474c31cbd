// An object about to be stored, as bytes and as values.

import { stringifyJson } from '../base/json/json.ts';
import { textOfConstant } from '../base/json/json-texts.ts';
import { shallowCopy } from '../base/maps/with-fields.ts';
import { passingText } from '../base/passing-bytes.ts';
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

  /** `object` is in the version that is stored, its fields in order. */
  constructor(object: ApiObject) {
    this.#metadata = shallowCopy(object.metadata);
    this.#metadata.resourceVersion = undefined;
    this.#object = withMetadata(object, this.#metadata as ObjectMeta);
    this.value = passingText(this.#texts());
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

  /** Entries of managedFields are never changed: most writers leave those of others as they are, and those can be most of an object. */
  #texts(): readonly string[] {
    const { managedFields } = this.#metadata;
    if (!Array.isArray(managedFields)) return [stringifyJson(this.#object)];
    this.#metadata.managedFields = noEntries;
    const text = stringifyJson(this.#object);
    this.#metadata.managedFields = managedFields;
    // quotes inside strings are escaped, and metadata stands before everything a client could have named so
    const at = text.indexOf(mark) + mark.length - 1;
    const entries = managedFields.map((entry, i) => (i === 0 ? textOfConstant(entry) : `,${textOfConstant(entry)}`));
    return [text.slice(0, at), ...entries, text.slice(at)];
  }
}

const noEntries: readonly unknown[] = [];
const mark = '"managedFields":[]';
