// What a store holds at one moment: how many objects of each resource, and the keys that their values are encrypted with.

import type { Revision } from '../meta/revision.ts';
import { encryptedWith } from './encryption/encrypted-with.ts';
import type { StoredEntry } from './store.ts';

export class StoreSummary {
  readonly revision: Revision;
  /** How many objects there are, by where they are kept: `pods`, `example.org/widgets`. */
  readonly objects = new Map<string, number>();
  /** One value for each key of encryption that was used, by the name of that key. */
  readonly encrypted = new Map<string, Pick<StoredEntry, 'key' | 'value'>>();

  constructor(revision: Revision) {
    this.revision = revision;
  }

  add(key: string, value: Uint8Array): void {
    const place = placeOf(key);
    this.objects.set(place, (this.objects.get(place) ?? 0) + 1);
    const encryption = encryptedWith(value);
    // LMDB reuses the memory of values
    if (encryption !== undefined && !this.encrypted.has(encryption))
      this.encrypted.set(encryption, { key, value: Uint8Array.from(value) });
  }
}

/** Groups have a dot in their names, and resources have none. */
function placeOf(key: string): string {
  const [, first = '', second = ''] = key.split('/');
  return first.includes('.') ? `${first}/${second}` : first;
}
