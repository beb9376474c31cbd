// A Map whose entries come and go. V8 links every table that a Map has outgrown to the next one: a single one among the values
// that have lived for a while keeps all later ones, and what was in them, until the whole heap is searched. This one begins again before.

/** So many entries are removed at least before the rest moves: moving a few is cheap, but not as cheap as that. */
const minRemoved = 64;

/** Empty at first. An iteration that is under way may meet entries that were removed since it began. */
export class TransientMap<K, V> extends Map<K, V> {
  #entries = new Map<K, V>();
  #removed = 0;

  override get size(): number {
    return this.#entries.size;
  }

  override get(key: K): V | undefined {
    return this.#entries.get(key);
  }

  override has(key: K): boolean {
    return this.#entries.has(key);
  }

  override set(key: K, value: V): this {
    this.#entries.set(key, value);
    return this;
  }

  override delete(key: K): boolean {
    if (!this.#entries.delete(key)) return false;
    if (++this.#removed >= Math.max(minRemoved, this.#entries.size)) this.#beginAnew(this.#entries);
    return true;
  }

  override clear(): void {
    this.#beginAnew();
  }

  override forEach(run: (value: V, key: K, map: Map<K, V>) => void, self?: unknown): void {
    for (const [key, value] of this.#entries) run.call(self, value, key, this);
  }

  override entries() {
    return this.#entries.entries();
  }

  override keys() {
    return this.#entries.keys();
  }

  override values() {
    return this.#entries.values();
  }

  override [Symbol.iterator]() {
    return this.entries();
  }

  #beginAnew(entries?: Map<K, V>): void {
    this.#entries = new Map(entries);
    this.#removed = 0;
  }
}
