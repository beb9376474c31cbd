// Keys to work on: each at most once in the queue, never two workers on one key, again after a growing pause when
// it failed.

import type { Clock, Timer } from '../base/clock.ts';
import { Pace } from '../base/pace.ts';

/** `done` needs nothing more for now, `again` another look after a pause, a number one after that many milliseconds. */
export type WorkOutcome = 'done' | 'again' | number;

export interface WorkQueueOptions {
  readonly clock: Clock;
  /** How many keys may be worked on at a time; one by default. */
  readonly workers?: number;
  work(key: string): Promise<WorkOutcome>;
  onError(key: string, error: unknown): void;
}

/** What there is to count about a queue, in plain numbers. */
export interface QueueCounts {
  adds: number;
  retries: number;
  /** Keys worked on, and the milliseconds that took. */
  worked: number;
  workMs: number;
}

const firstPauseMs = 50;
const longestPauseMs = 60_000;

export class WorkQueue {
  readonly counts: QueueCounts = { adds: 0, retries: 0, worked: 0, workMs: 0 };
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  readonly #workers = new Set<Promise<void>>();
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  add(key: string): void {
    if (this.#closed) return;
    this.counts.adds++;
    this.#waiting.add(key);
    if (this.#workers.size >= (this.#options.workers ?? 1)) return;
    const worker: Promise<void> = this.#run().finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    this.#timers.get(key)?.cancel();
    const timer = this.#options.clock.after(ms, () => {
      this.#timers.delete(key);
      this.add(key);
    });
    this.#timers.set(key, timer);
  }

  /** Forgets what waits; work under way comes to its end. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#waiting.clear();
    for (const timer of this.#timers.values()) timer.cancel();
    this.#timers.clear();
    await Promise.all(this.#workers);
  }

  async #run(): Promise<void> {
    // what is added while this turn lasts is worked on once
    await Promise.resolve();
    const pace = new Pace();
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      this.#working.add(key);
      const outcome = await this.#attempt(key);
      this.#working.delete(key);
      this.#settle(key, outcome);
      if (pace.isDue) await pace.rest();
    }
  }

  /** The first key that nobody works on. */
  #next(): string | undefined {
    for (const key of this.#waiting) {
      if (this.#working.has(key)) continue;
      this.#waiting.delete(key);
      return key;
    }
    return undefined;
  }

  async #attempt(key: string): Promise<WorkOutcome> {
    const { clock, work, onError } = this.#options;
    const start = clock.now();
    try {
      return await work(key);
    } catch (error) {
      if (!this.#closed) onError(key, error);
      return 'again';
    } finally {
      this.counts.worked++;
      this.counts.workMs += clock.now() - start;
    }
  }

  #settle(key: string, outcome: WorkOutcome): void {
    if (outcome === 'again') this.#retry(key);
    else {
      this.#failures.delete(key);
      if (outcome !== 'done') this.addAfter(key, outcome);
    }
  }

  #retry(key: string): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    this.counts.retries++;
    this.addAfter(key, Math.min(firstPauseMs * 2 ** (failures - 1), longestPauseMs));
  }
}
