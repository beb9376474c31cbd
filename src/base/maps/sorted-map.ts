// A map whose keys are kept in order, as blocks of sorted arrays: point reads stay a hash lookup,
// inserts move one small block, ranges walk neighbouring blocks.

const BLOCK_SIZE = 512;

export class SortedMap<V> {
  readonly #values = new Map<string, V>();
  readonly #blocks: string[][] = [];

  get size(): number {
    return this.#values.size;
  }

  get(key: string): V | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) this.#insert(key);
    this.#values.set(key, value);
  }

  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    const at = this.#blockOf(key);
    const block = this.#blocks[at] as string[];
    block.splice(lowerBound(block, key), 1);
    if (block.length === 0) this.#blocks.splice(at, 1);
    return true;
  }

  clear(): void {
    this.#values.clear();
    this.#blocks.length = 0;
  }

  /** Values whose key starts with `prefix` and sorts at or after `from`, in key order. */
  *range(prefix: string, from = prefix): IterableIterator<V> {
    for (const key of this.keys(prefix, from)) yield this.#values.get(key) as V;
  }

  /** At most `limit` values whose key starts with `prefix` and sorts at or after `from`, in key order. */
  slice(prefix: string, from = prefix, limit = Number.POSITIVE_INFINITY): V[] {
    const start = from > prefix ? from : prefix;
    const found: V[] = [];
    const first = this.#blockOf(start);
    for (let b = first; b < this.#blocks.length; b++) {
      const block = this.#blocks[b] as string[];
      for (let i = b === first ? lowerBound(block, start) : 0; i < block.length; i++) {
        const key = block[i] as string;
        if (found.length >= limit || !key.startsWith(prefix)) return found;
        found.push(this.#values.get(key) as V);
      }
    }
    return found;
  }

  /** Keys that start with `prefix` and sort at or after `from`, in order. */
  *keys(prefix: string, from = prefix): IterableIterator<string> {
    const start = from > prefix ? from : prefix;
    const first = this.#blockOf(start);
    for (let b = first; b < this.#blocks.length; b++) {
      const block = this.#blocks[b] as string[];
      for (let i = b === first ? lowerBound(block, start) : 0; i < block.length; i++) {
        const key = block[i] as string;
        if (!key.startsWith(prefix)) return;
        yield key;
      }
    }
  }

  /** How many keys start with `prefix` and sort at or after `from`; blocks that hold nothing else are counted whole. */
  count(prefix: string, from = prefix): number {
    const start = from > prefix ? from : prefix;
    let total = 0;
    const first = this.#blockOf(start);
    for (let b = first; b < this.#blocks.length; b++) {
      const block = this.#blocks[b] as string[];
      const skipped = b === first ? lowerBound(block, start) : 0;
      if ((block[block.length - 1] as string).startsWith(prefix)) {
        total += block.length - skipped;
        continue;
      }
      for (let i = skipped; i < block.length && (block[i] as string).startsWith(prefix); i++) total++;
      return total;
    }
    return total;
  }

  /** The last key that starts with `prefix`. */
  last(prefix: string): string | undefined {
    const end = `${prefix}\uffff`;
    const at = this.#blockOf(end);
    const before = lowerBound(this.#blocks[at] ?? [], end) - 1;
    const key = before < 0 ? this.#blocks[at - 1]?.at(-1) : this.#blocks[at]?.[before];
    return key?.startsWith(prefix) ? key : undefined;
  }

  #insert(key: string): void {
    if (this.#blocks.length === 0) {
      this.#blocks.push([key]);
      return;
    }
    const at = Math.min(this.#blockOf(key), this.#blocks.length - 1);
    const block = this.#blocks[at] as string[];
    block.splice(lowerBound(block, key), 0, key);
    if (block.length > BLOCK_SIZE) this.#blocks.splice(at + 1, 0, block.splice(block.length >> 1));
  }

  /** Index of the first block whose last key is not before `key`. */
  #blockOf(key: string): number {
    let low = 0;
    let high = this.#blocks.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      const block = this.#blocks[middle] as string[];
      if ((block[block.length - 1] as string) < key) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

/** Index of the first entry that is not before `key`. */
function lowerBound(sorted: readonly string[], key: string): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] as string) < key) low = middle + 1;
    else high = middle;
  }
  return low;
}
