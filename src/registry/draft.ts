// An object about to be stored, as bytes and as values.

import { stringifyJson } from '../base/json.ts';
import { passingText } from '../base/passing-bytes.ts';
import { type ApiObject, type ObjectMeta, withMetaField } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';

export class Draft {
  /** Without a resourceVersion, which only the store knows; not to be kept. */
  readonly value: Uint8Array;
  readonly #object: ApiObject;

  /** `object` is in the version that is stored, its fields in order. */
  constructor(object: ApiObject) {
    this.#object = withMetaField(object, 'resourceVersion', undefined);
    this.value = passingText(stringifyJson(this.#object));
  }

  /** The object as it was stored. The draft has a copy of its own, so that it can be told its version in place. */
  at(revision: Revision): ApiObject {
    const metadata: { -readonly [K in keyof ObjectMeta]: ObjectMeta[K] } = this.#object.metadata;
    metadata.resourceVersion = String(revision);
    return this.#object;
  }
}
