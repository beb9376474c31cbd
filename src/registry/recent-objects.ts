// The objects written last, still decoded: what is written often is found here instead of being parsed again.

import { RecentMap } from '../base/maps/recent-map.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';
import { holdsGivenEmpty } from '../schema/given-empty.ts';

/** Few and small: this saves time on busy objects and must not become a second cache. */
const maxObjects = 128;
const maxBytes = 8 * 1024;

interface Recent {
  readonly revision: Revision;
  readonly object: ApiObject;
  /** Whether nothing in it was given empty; undefined before the first lookup. */
  isWhole?: boolean;
}

export class RecentObjects {
  readonly #byKey = new RecentMap<Recent>(maxObjects);

  /**
   * The object as it was at a revision. A stored object does not show that its writer gave a list or map empty: such an object is to
   * be parsed. Most objects are never looked up, so the first lookup finds that out.
   */
  find(key: string, revision: Revision): ApiObject | undefined {
    const recent = this.#byKey.get(key);
    if (recent?.revision !== revision) return undefined;
    recent.isWhole ??= !holdsGivenEmpty(recent.object);
    return recent.isWhole ? recent.object : undefined;
  }

  keep(key: string, revision: Revision, object: ApiObject, bytes: number): void {
    if (bytes > maxBytes) this.#byKey.delete(key);
    else this.#byKey.set(key, { revision, object });
  }
}
