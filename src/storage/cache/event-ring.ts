// The newest events of one resource, so that a watch can start a little in the past without reading the store.

import type { Revision } from '../../meta/revision.ts';

export interface CacheEvent<T> {
  readonly revision: Revision;
  /** Undefined when the object was deleted. */
  readonly current: T | undefined;
  /** Undefined when the object is new. */
  readonly previous: T | undefined;
}

export class EventRing<T> {
  readonly #capacity: number;
  #events: CacheEvent<T>[] = [];
  #start: Revision;

  /** Holds events after `start`, `capacity` of them at least before old ones are dropped. */
  constructor(start: Revision, capacity: number) {
    this.#start = start;
    this.#capacity = capacity;
  }

  /** Every event after this revision is here. */
  get start(): Revision {
    return this.#start;
  }

  push(event: CacheEvent<T>): void {
    this.#events.push(event);
    if (this.#events.length < 2 * this.#capacity) return;
    const dropped = this.#events.length - this.#capacity;
    this.#start = (this.#events[dropped - 1] as CacheEvent<T>).revision;
    this.#events = this.#events.slice(dropped);
  }

  /** Events after `revision`, which is not before `start`. */
  after(revision: Revision): readonly CacheEvent<T>[] {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as CacheEvent<T>).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return this.#events.slice(low);
  }
}
