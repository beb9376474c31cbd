// What was set last, up to a number of keys.

/**
 * Two halves, of which the older one goes at once. Forgetting keys one by one would make a single map grow again and
 * again: its old tables, once they have got old, hold on to the newer ones and to all they ever named, and nothing is
 * freed until a full collection.
 */
export class RecentMap<V> {
  readonly #half: number;
  #newer = new Map<string, V>();
  #older = new Map<string, V>();

  /** Keeps at least half of `limit` keys, and never more than `limit`. */
  constructor(limit: number) {
    this.#half = limit / 2;
  }

  get(key: string): V | undefined {
    return this.#newer.get(key) ?? this.#older.get(key);
  }

  set(key: string, value: V): void {
    this.#newer.set(key, value);
    if (this.#newer.size < this.#half) return;
    this.#older = this.#newer;
    this.#newer = new Map();
  }

  delete(key: string): void {
    this.#newer.delete(key);
    this.#older.delete(key);
  }
}
