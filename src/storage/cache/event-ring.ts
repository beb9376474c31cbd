// The newest events of one resource, so that a watch can start a little in the past without reading the store.

import type { Revision } from '../../meta/revision.ts';

export interface CacheEvent<T> {
  readonly key: string;
  readonly revision: Revision;
  /** Undefined when the object was deleted. */
  readonly current: T | undefined;
  /** Undefined when the object is new. */
  readonly previous: T | undefined;
}

interface RingLimits {
  /** So many events are kept at least, unless they are too large. */
  readonly events: number;
  /** Events together take no more than about this. */
  readonly bytes: number;
}

export class EventRing<T> {
  readonly #limits: RingLimits;
  #events: CacheEvent<T>[] = [];
  #sizes: number[] = [];
  #bytes = 0;
  #start: Revision;

  /** Holds events after `start`. */
  constructor(start: Revision, limits: RingLimits) {
    this.#start = start;
    this.#limits = limits;
  }

  /** Every event after this revision is here. */
  get start(): Revision {
    return this.#start;
  }

  push(event: CacheEvent<T>, size: number): void {
    this.#events.push(event);
    this.#sizes.push(size);
    this.#bytes += size;
    // dropped by the half, so that dropping stays cheap
    if (this.#events.length >= 2 * this.#limits.events || this.#bytes > this.#limits.bytes)
      this.#drop(this.#events.length >> 1 || 1);
  }

  /** Events after `revision`, which is not before `start`. */
  after(revision: Revision): readonly CacheEvent<T>[] {
    return this.#events.slice(this.#countUpTo(revision));
  }

  /** Drops the events up to a revision. */
  trim(revision: Revision): void {
    const count = this.#countUpTo(revision);
    if (count > 0) this.#drop(count);
  }

  #countUpTo(revision: Revision): number {
    let low = 0;
    let high = this.#events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#events[middle] as CacheEvent<T>).revision <= revision) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  #drop(count: number): void {
    this.#start = (this.#events[count - 1] as CacheEvent<T>).revision;
    for (let i = 0; i < count; i++) this.#bytes -= this.#sizes[i] as number;
    this.#events = this.#events.slice(count);
    this.#sizes = this.#sizes.slice(count);
  }
}
