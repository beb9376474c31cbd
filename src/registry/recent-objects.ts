// The objects written last, still decoded: what is written often is found here instead of being parsed again.

import type { ApiObject } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';

/** Few and small: this saves time on busy objects and must not become a second cache. */
const maxObjects = 128;
const maxBytes = 8 * 1024;

interface Recent {
  readonly revision: Revision;
  readonly object: ApiObject;
}

/**
 * Two halves, of which the older one goes at once. Forgetting them one by one would make a single map grow again and
 * again: its old tables, once they have got old, hold on to the newer ones and to all they ever named, and nothing is
 * freed until a full collection.
 */
export class RecentObjects {
  #newer = new Map<string, Recent>();
  #older = new Map<string, Recent>();

  /** The object as it was at a revision. */
  find(key: string, revision: Revision): ApiObject | undefined {
    const recent = this.#newer.get(key) ?? this.#older.get(key);
    return recent?.revision === revision ? recent.object : undefined;
  }

  keep(key: string, revision: Revision, object: ApiObject, bytes: number): void {
    if (bytes > maxBytes) {
      this.#newer.delete(key);
      this.#older.delete(key);
      return;
    }
    this.#newer.set(key, { revision, object });
    if (this.#newer.size < maxObjects / 2) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }
}
