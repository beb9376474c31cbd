// The objects written last, still decoded: what is written often is found here instead of being parsed again.

import { RecentMap } from '../base/recent-map.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Revision } from '../meta/revision.ts';
import { holdsGivenEmpty } from '../schema/given-empty.ts';

/** Few and small: this saves time on busy objects and must not become a second cache. */
const maxObjects = 128;
const maxBytes = 8 * 1024;

interface Recent {
  readonly revision: Revision;
  readonly object: ApiObject;
}

export class RecentObjects {
  readonly #byKey = new RecentMap<Recent>(maxObjects);

  /** The object as it was at a revision. */
  find(key: string, revision: Revision): ApiObject | undefined {
    const recent = this.#byKey.get(key);
    return recent?.revision === revision ? recent.object : undefined;
  }

  /** Nothing in a stored object says that its writer gave a list or map empty: such an object is to be parsed. */
  keep(key: string, revision: Revision, object: ApiObject, bytes: number): void {
    if (bytes > maxBytes || holdsGivenEmpty(object)) this.#byKey.delete(key);
    else this.#byKey.set(key, { revision, object });
  }
}
