// What a store holds at one moment: how many objects of each resource, and the keys that their values are encrypted with.

import type { Revision } from '../meta/revision.ts';
import { encryptedWith } from './encryption/encrypted-with.ts';
import type { StoredEntry } from './store.ts';

export class StoreSummary {
  readonly revision: Revision;
  /** How many objects there are, by the name of their resource. */
  readonly objects = new Map<string, number>();
  /** One value for each key of encryption that was used, by the name of that key. */
  readonly encrypted = new Map<string, Pick<StoredEntry, 'key' | 'value'>>();

  readonly #nameOf: (key: string) => string;

  /** `nameOf` is the name of the resource that a key belongs to. */
  constructor(revision: Revision, nameOf: (key: string) => string) {
    this.revision = revision;
    this.#nameOf = nameOf;
  }

  add(key: string, value: Uint8Array): void {
    const name = this.#nameOf(key);
    this.objects.set(name, (this.objects.get(name) ?? 0) + 1);
    const encryption = encryptedWith(value);
    // LMDB reuses the memory of values
    if (encryption !== undefined && !this.encrypted.has(encryption))
      this.encrypted.set(encryption, { key, value: Uint8Array.from(value) });
  }
}
