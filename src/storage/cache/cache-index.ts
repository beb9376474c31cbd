// Which objects have a value: what a list with a common selector looks at instead of everything.

import { forEachInTurns } from '../../base/each-in-turns.ts';
import type { Keyed } from './snapshot.ts';

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
  async fill(keys: readonly string[], get: (key: string) => T | undefined): Promise<void> {
    // each item as it is now: it may have changed since the keys were taken
    await forEachInTurns(keys, (key) => this.update(key, get(key)));
    this.isReady = true;
  }

  update(key: string, item: T | undefined): void {
    const before = this.#values.get(key);
    const value = item === undefined ? undefined : this.#read(item);
    if (before === value) return;
    if (before !== undefined) this.#remove(key, before);
    if (value !== undefined) this.#add(key, value);
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

/** The indexes of one cache, each made when it is first asked for. */
export class CacheIndexes<T extends Keyed> {
  readonly #read: (item: T, index: string) => string | undefined;
  readonly #indexes = new Map<string, CacheIndex<T>>();

  constructor(read: (item: T, index: string) => string | undefined) {
    this.#read = read;
  }

  /** The index if it is complete; otherwise it is begun, and will be there some time later. */
  get(name: string, source: { keys(): readonly string[]; get(key: string): T | undefined }): CacheIndex<T> | undefined {
    const known = this.#indexes.get(name);
    this.#indexes.delete(name);
    const index = known ?? new CacheIndex<T>((item) => this.#read(item, name));
    this.#indexes.set(name, index);
    if (known === undefined) {
      if (this.#indexes.size > maxIndexes) this.#indexes.delete(this.#indexes.keys().next().value as string);
      void index.fill(source.keys(), (key) => source.get(key));
    }
    return index.isReady ? index : undefined;
  }

  update(key: string, item: T | undefined): void {
    for (const index of this.#indexes.values()) index.update(key, item);
  }

  clear(): void {
    this.#indexes.clear();
  }
}
