// Who is notified of the changes in a cache: of all of them, or only of those of items with a certain value in an index.

import type { CacheEvent } from './event-ring.ts';

/** Values of one index that a listener is interested in. */
export interface IndexedValues {
  readonly index: string;
  readonly values: readonly string[];
}

export class CacheListeners<T, L> {
  readonly #all = new Set<L>();
  readonly #byIndex = new Map<string, Map<string, Set<L>>>();
  /** Changes that listeners of values are to be notified of. */
  #due = new Map<L, CacheEvent<T>[]>();

  /** Those that are notified of everything. */
  get all(): ReadonlySet<L> {
    return this.#all;
  }

  add(listener: L, only?: IndexedValues): void {
    if (only === undefined) this.#all.add(listener);
    else for (const value of only.values) this.#setOf(only.index, value).add(listener);
  }

  delete(listener: L, only?: IndexedValues): void {
    this.#all.delete(listener);
    this.#due.delete(listener);
    const byValue = only && this.#byIndex.get(only.index);
    for (const value of (byValue && only?.values) ?? []) {
      const listeners = byValue?.get(value);
      listeners?.delete(listener);
      if (listeners?.size === 0) byValue?.delete(value);
    }
  }

  /** Removes a listener whatever it is notified of. */
  drop(listener: L): void {
    this.delete(listener);
    for (const byValue of this.#byIndex.values()) for (const listeners of byValue.values()) listeners.delete(listener);
  }

  /** An item has this value in an index, or had it before the change. */
  concern(change: CacheEvent<T>, index: string, value: string): void {
    for (const listener of this.#byIndex.get(index)?.get(value) ?? []) {
      const due = this.#due.get(listener);
      if (due === undefined) this.#due.set(listener, [change]);
      else if (due.at(-1) !== change) due.push(change);
    }
  }

  takeDue(): ReadonlyMap<L, readonly CacheEvent<T>[]> {
    const due = this.#due;
    if (due.size > 0) this.#due = new Map();
    return due;
  }

  /** Every listener, none of which is one from now on. */
  takeAll(): readonly L[] {
    const listeners = new Set(this.#all);
    for (const byValue of this.#byIndex.values())
      for (const some of byValue.values()) for (const listener of some) listeners.add(listener);
    this.#all.clear();
    this.#byIndex.clear();
    this.#due.clear();
    return [...listeners];
  }

  #setOf(index: string, value: string): Set<L> {
    const byValue = this.#byIndex.get(index) ?? new Map<string, Set<L>>();
    this.#byIndex.set(index, byValue);
    const listeners = byValue.get(value) ?? new Set<L>();
    byValue.set(value, listeners);
    return listeners;
  }
}
