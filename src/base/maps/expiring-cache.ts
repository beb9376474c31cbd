// Answers that are good for a while: bounded, the one that was not asked for longest makes place.

import type { Clock } from '../time/clock.ts';

interface Entry<T> {
  readonly value: T;
  readonly until: number;
}

export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #limit: number;
  /** The order of a map is the order in which entries were used. */
  readonly #entries = new Map<string, Entry<T>>();

  constructor(clock: Clock, limit: number) {
    this.#clock = clock;
    this.#limit = limit;
  }

  get size(): number {
    return this.#entries.size;
  }

  get(key: string): T | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.until <= this.#clock.now()) return undefined;
    this.#entries.set(key, entry);
    return entry.value;
  }

  /** What is good for no time is not kept. */
  set(key: string, value: T, ms: number): void {
    if (ms <= 0) return;
    this.#entries.delete(key);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size < this.#limit) break;
      this.#entries.delete(oldest);
    }
    this.#entries.set(key, { value, until: this.#clock.now() + ms });
  }
}
