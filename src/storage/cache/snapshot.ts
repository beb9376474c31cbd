// The objects of a resource as they are, and as they were a little while ago.

import type { SortedMap } from '../../base/maps/sorted-map.ts';
import type { Revision } from '../../meta/revision.ts';
import type { CacheEvent } from './event-ring.ts';

export interface Keyed {
  readonly key: string;
}

/** One state of a resource. It shows that state until the caller lets other work run: take what is needed at once. */
export interface Snapshot<T> {
  readonly revision: Revision;
  /** At most `limit` items below `prefix` whose key comes after `after`, in key order. */
  range(prefix: string, after?: string, limit?: number): T[];
  /** How many items are below `prefix` and come after `after`. */
  count(prefix: string, after?: string): number;
  /** The last key below `prefix`. */
  last(prefix: string): string | undefined;
}

/** The smallest key after another one. */
const following = (after: string | undefined, prefix: string) => (after === undefined ? prefix : `${after}\0`);

export class PresentSnapshot<T> implements Snapshot<T> {
  readonly revision: Revision;
  readonly #entries: SortedMap<T>;

  constructor(entries: SortedMap<T>, revision: Revision) {
    this.#entries = entries;
    this.revision = revision;
  }

  range(prefix: string, after?: string, limit?: number): T[] {
    return this.#entries.slice(prefix, following(after, prefix), limit);
  }

  count(prefix: string, after?: string): number {
    return this.#entries.count(prefix, following(after, prefix));
  }

  last(prefix: string): string | undefined {
    return this.#entries.last(prefix);
  }
}

/** The present with everything undone that happened since a revision. */
export class PastSnapshot<T extends Keyed> implements Snapshot<T> {
  readonly revision: Revision;
  readonly #entries: SortedMap<T>;
  /** What the keys that have changed since held then; undefined for nothing. */
  readonly #then = new Map<string, T | undefined>();

  constructor(entries: SortedMap<T>, revision: Revision, since: readonly CacheEvent<T>[]) {
    this.#entries = entries;
    this.revision = revision;
    for (const { key, previous } of since) if (!this.#then.has(key)) this.#then.set(key, previous);
  }

  range(prefix: string, after?: string, limit = Number.POSITIVE_INFINITY): T[] {
    const enough = limit + this.#then.size;
    const now = this.#entries.slice(prefix, following(after, prefix), enough);
    const unchanged = now.filter(({ key }) => !this.#then.has(key));
    const changed = this.#changed(prefix, after).flatMap(([, item]) => (item === undefined ? [] : [item]));
    return merge(unchanged, changed.sort(byKey), limit);
  }

  count(prefix: string, after?: string): number {
    let total = this.#entries.count(prefix, following(after, prefix));
    for (const [key, item] of this.#changed(prefix, after)) {
      total += Number(item !== undefined) - Number(this.#entries.get(key) !== undefined);
    }
    return total;
  }

  last(prefix: string): string | undefined {
    return this.range(prefix).at(-1)?.key;
  }

  #changed(prefix: string, after: string | undefined): [string, T | undefined][] {
    return [...this.#then].filter(([key]) => key.startsWith(prefix) && (after === undefined || key > after));
  }
}

const byKey = (a: Keyed, b: Keyed) => (a.key < b.key ? -1 : 1);

/** Two sorted lists as one, up to a length. */
function merge<T extends Keyed>(left: readonly T[], right: readonly T[], limit: number): T[] {
  if (right.length === 0) return left.slice(0, Math.min(limit, left.length));
  const merged: T[] = [];
  for (let l = 0, r = 0; merged.length < limit && (l < left.length || r < right.length); ) {
    const fromLeft = r >= right.length || (l < left.length && byKey(left[l] as T, right[r] as T) < 0);
    merged.push((fromLeft ? left[l++] : right[r++]) as T);
  }
  return merged;
}
