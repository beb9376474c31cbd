// Ends what was stored for a limited time: waits for the entry that is due next, and deletes it as any writer would.

import type { Clock, Timer } from '../../base/time/clock.ts';
import type { Expiring } from './tables.ts';

interface ExpirySource {
  readonly clock: Clock;
  /** Entries in the order in which they fall due. */
  expiring(): Iterable<Expiring>;
  /** Deletes what is still as it was; forgets the entry in any case. */
  expire(due: readonly Expiring[]): Promise<void>;
}

/** Entries that end together; the rest waits for its turn. */
const sliceSize = 200;
/** How long to wait after a failure, such as a full disk. */
const retryMs = 5000;

export class Expiry {
  readonly #source: ExpirySource;
  #timer: { readonly at: number; readonly timer: Timer } | undefined;
  #running = false;
  #closed = false;

  constructor(source: ExpirySource) {
    this.#source = source;
    this.#schedule();
  }

  /** An entry was stored that ends at `at`. */
  added(at: number): void {
    if (this.#running || (this.#timer !== undefined && this.#timer.at <= at)) return;
    this.#wakeAt(at);
  }

  close(): void {
    this.#closed = true;
    this.#timer?.timer.cancel();
  }

  #schedule(): void {
    for (const { at } of this.#source.expiring()) {
      this.#wakeAt(at);
      return;
    }
  }

  #wakeAt(at: number): void {
    if (this.#closed) return;
    this.#timer?.timer.cancel();
    const { clock } = this.#source;
    const timer = clock.after(Math.max(0, at - clock.now()), () => void this.#run());
    this.#timer = { at, timer };
  }

  /** Never throws: what could not be ended is tried again. */
  async #run(): Promise<void> {
    this.#timer = undefined;
    this.#running = true;
    try {
      for (let due = this.#due(); due.length > 0 && !this.#closed; due = this.#due()) await this.#source.expire(due);
      this.#running = false;
      if (!this.#closed) this.#schedule();
    } catch {
      this.#running = false;
      this.#wakeAt(this.#source.clock.now() + retryMs);
    }
  }

  #due(): Expiring[] {
    const now = this.#source.clock.now();
    const due: Expiring[] = [];
    if (this.#closed) return due;
    for (const entry of this.#source.expiring()) {
      if (entry.at > now || due.length >= sliceSize) break;
      due.push(entry);
    }
    return due;
  }
}
