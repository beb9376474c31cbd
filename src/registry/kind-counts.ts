// What is asked of the store for one kind, and of its cache, in plain numbers.

import { Histogram } from '../base/histogram.ts';
import { isPromise, type MaybePromise } from '../base/maybe-promise.ts';

export type StoreOperation = 'get' | 'list' | 'create' | 'update' | 'delete';

interface Lists {
  lists: number;
  /** Objects that were looked at, and those of them that were shown. */
  fetched: number;
  returned: number;
}

/** Seconds. */
const bounds = [0.005, 0.025, 0.05, 0.1, 0.2, 0.4, 0.6, 0.8, 1, 1.25, 1.5, 2, 3, 4, 5, 6, 8, 10, 15, 20, 30, 45, 60];

export class KindCounts {
  /** Lists that the cache answered, by whether an index was used, and those that the store did. */
  readonly cacheLists = new Map<string, Lists>();
  readonly storeLists: Lists = { lists: 0, fetched: 0, returned: 0 };
  /** Lists that had to show the latest state: from the cache, or from the store because the cache was late. */
  readonly latest = { cache: 0, store: 0 };
  /** How often a stored value could not be read. */
  unreadable = 0;
  /** Requests to the store that failed. */
  readonly failures = new Map<StoreOperation, number>();
  readonly #requests = new Map<StoreOperation, Histogram>();

  /** How long requests to the store took. */
  get requests(): ReadonlyMap<StoreOperation, Histogram> {
    return this.#requests;
  }

  /** Counts a request to the store, however it ends. */
  asking<T>(operation: StoreOperation, work: () => MaybePromise<T>): MaybePromise<T> {
    const began = performance.now();
    const fail = (error: unknown): never => {
      this.#ended(operation, began);
      this.failures.set(operation, (this.failures.get(operation) ?? 0) + 1);
      throw error;
    };
    const succeed = (result: T) => {
      this.#ended(operation, began);
      return result;
    };
    let asked: MaybePromise<T>;
    try {
      asked = work();
    } catch (error) {
      return fail(error);
    }
    return isPromise(asked) ? asked.then(succeed, fail) : succeed(asked);
  }

  #ended(operation: StoreOperation, began: number): void {
    let spread = this.#requests.get(operation);
    if (spread === undefined) {
      spread = new Histogram(bounds);
      this.#requests.set(operation, spread);
    }
    spread.observe((performance.now() - began) / 1000);
  }

  listed(index: string, fetched: number, returned: number): void {
    let lists = this.cacheLists.get(index);
    if (lists === undefined) {
      lists = { lists: 0, fetched: 0, returned: 0 };
      this.cacheLists.set(index, lists);
    }
    lists.lists++;
    lists.fetched += fetched;
    lists.returned += returned;
  }
}
