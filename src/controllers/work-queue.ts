// Keys to work on: each at most once in the queue, one at a time, again after a growing pause when it failed.

import type { Clock, Timer } from '../base/clock.ts';

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Resolves when the key needs nothing more for now; `again` asks for another look after a pause. */
  work(key: string): Promise<'done' | 'again'>;
  onError(key: string, error: unknown): void;
}

const firstPauseMs = 50;
const longestPauseMs = 60_000;

export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.#waiting.add(key);
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    for (const timer of this.#timers.values()) timer.cancel();
    await this.#running;
  }

  async #run(): Promise<void> {
    // what is added while this turn lasts is worked on once
    await Promise.resolve();
    for (const key of this.#waiting) {
      this.#waiting.delete(key);
      if ((await this.#attempt(key)) === 'done') this.#failures.delete(key);
      else this.#later(key);
    }
    this.#running = undefined;
  }

  async #attempt(key: string): Promise<'done' | 'again'> {
    try {
      return await this.#options.work(key);
    } catch (error) {
      if (!this.#closed) this.#options.onError(key, error);
      return 'again';
    }
  }

  #later(key: string): void {
    if (this.#closed) return;
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const pause = Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs);
    this.#timers.get(key)?.cancel();
    this.#timers.set(
      key,
      this.#options.clock.after(pause, () => {
        this.#timers.delete(key);
        this.add(key);
      }),
    );
  }
}
