// Objects in a version that is not the one they are stored in: what was converted lately is not converted again while the
// stored object stays the same.

import type { StoredObject } from './stored-object.ts';

interface Converted {
  readonly source: StoredObject;
  readonly made: StoredObject;
}

/** Bytes kept for one version of a kind: enough for pages and busy objects, too little to become a second cache. */
const maxBytes = 8 * 1024 * 1024;

/** Two halves, of which the older one goes at once (see `RecentMap`). */
export class ConvertedObjects {
  #newer = new Map<string, Converted>();
  #older = new Map<string, Converted>();
  #bytes = 0;

  find(source: StoredObject): StoredObject | undefined {
    const known = this.#newer.get(source.key) ?? this.#older.get(source.key);
    return known?.source === source ? known.made : undefined;
  }

  keep(source: StoredObject, made: StoredObject): void {
    this.#newer.set(source.key, { source, made });
    this.#bytes += made.size;
    if (this.#bytes < maxBytes / 2) return;
    this.#older = this.#newer;
    this.#newer = new Map();
    this.#bytes = 0;
  }
}
