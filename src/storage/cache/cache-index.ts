// Which objects have a value: what a list with a common selector looks at instead of everything.

import type { MaybePromise } from '../../base/maybe-promise.ts';
import type { Keyed } from './snapshot.ts';

/** Shows all items, each as it is when it is shown. */
type EachItem<T> = (visit: (key: string, item: T | undefined) => void) => MaybePromise<void>;

/** One index: keys by the value their object has. */
class CacheIndex<T extends Keyed> {
  readonly #read: (item: T) => string | undefined;
  readonly #keys = new Map<string, Set<string>>();
  readonly #values = new Map<string, string>();
  /** Complete from here on; until then it misses objects. */
  isReady = false;

  constructor(read: (item: T) => string | undefined) {
    this.#read = read;
  }

  /** Takes in what is there already, a little at a time; changes meanwhile come by `update`. */
  async fill(each: EachItem<T>): Promise<void> {
    await each((key, item) => this.update(key, item));
    this.isReady = true;
  }

  update(key: string, item: T | undefined): void {
    const before = this.#values.get(key);
    const value = item === undefined ? undefined : this.#read(item);
    if (before === value) return;
    if (before !== undefined) this.#remove(key, before);
    if (value !== undefined) this.#add(key, value);
  }

  valueOf(key: string): string | undefined {
    return this.#values.get(key);
  }

  find(value: string): ReadonlySet<string> {
    return this.#keys.get(value) ?? none;
  }

  #add(key: string, value: string): void {
    this.#values.set(key, value);
    const keys = this.#keys.get(value);
    if (keys === undefined) this.#keys.set(value, new Set([key]));
    else keys.add(key);
  }

  #remove(key: string, value: string): void {
    this.#values.delete(key);
    const keys = this.#keys.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.#keys.delete(value);
  }
}

const none: ReadonlySet<string> = new Set();

/** Clients choose what to select by, so there are only so many indexes at once; the one not used for longest goes. */
const maxIndexes = 8;

/** Receives the values of an item in a lasting index, before and after a change. */
type ReportValue = (index: string, value: string) => void;

/** The indexes of one cache. Lasting ones are there as long as the cache is filled, all others are made when they are first asked for. */
export class CacheIndexes<T extends Keyed> {
  readonly #read: (item: T, index: string) => string | undefined;
  readonly #indexes = new Map<string, CacheIndex<T>>();
  readonly #lasting = new Map<string, CacheIndex<T>>();

  constructor(read: (item: T, index: string) => string | undefined) {
    this.#read = read;
  }

  /** Empties the lasting indexes, which are filled by `update`, and forgets all others. */
  begin(lasting: readonly string[]): void {
    this.#indexes.clear();
    this.#lasting.clear();
    for (const name of lasting) {
      const index = new CacheIndex<T>((item) => this.#read(item, name));
      index.isReady = true;
      this.#lasting.set(name, index);
    }
  }

  /** Forgets all indexes but the lasting ones. */
  forget(): void {
    this.#indexes.clear();
  }

  isLasting(name: string): boolean {
    return this.#lasting.has(name);
  }

  /** The index if it is complete; otherwise it is begun, and will be there some time later. */
  get(name: string, each: EachItem<T>): CacheIndex<T> | undefined {
    const lasting = this.#lasting.get(name);
    if (lasting !== undefined) return lasting;
    const known = this.#indexes.get(name);
    this.#indexes.delete(name);
    const index = known ?? new CacheIndex<T>((item) => this.#read(item, name));
    this.#indexes.set(name, index);
    if (known === undefined) {
      if (this.#indexes.size > maxIndexes) this.#indexes.delete(this.#indexes.keys().next().value as string);
      void index.fill(each);
    }
    return index.isReady ? index : undefined;
  }

  update(key: string, item: T | undefined, report?: ReportValue): void {
    for (const index of this.#indexes.values()) index.update(key, item);
    for (const [name, index] of this.#lasting) {
      const before = index.valueOf(key);
      index.update(key, item);
      const after = index.valueOf(key);
      if (before !== undefined) report?.(name, before);
      if (after !== undefined && after !== before) report?.(name, after);
    }
  }
}
