// Keys to work on: each at most once in the queue, never two workers on one key, again after a growing pause when
// it failed.

import { Histogram } from '../base/histogram.ts';
import { type Clock, systemClock, type Timer } from '../base/time/clock.ts';
import { yieldTurn } from '../base/time/turns.ts';

/** `done` needs nothing more for now, `again` another look after a pause, a number one after that many milliseconds. */
export type WorkOutcome = 'done' | 'again' | number;

export interface WorkQueueOptions {
  /** The clock of the system when not given. */
  readonly clock?: Clock;
  /** How many keys may be worked on at a time; one by default. */
  readonly workers?: number;
  work(key: string): Promise<WorkOutcome>;
  onError(key: string, error: unknown): void;
  /** Milliseconds, for measuring how long things take. */
  readonly stopwatch?: () => number;
}

/** What there is to count about a queue, in plain numbers. */
interface QueueCounts {
  adds: number;
  retries: number;
}

/** Seconds. */
// as the reference multiplies them up, down to the last digit: dashboards join series by these texts
const durationBounds = [1e-8, 1e-7, 1e-6, 9.999999999999999e-6, 9.999999999999999e-5, 1e-3, 0.01, 0.1, 1, 10];

const firstPauseMs = 50;
const longestPauseMs = 60_000;

export class WorkQueue {
  readonly counts: QueueCounts = { adds: 0, retries: 0 };
  /** Seconds that keys waited for a worker, and that workers took. */
  readonly queueDurations = new Histogram(durationBounds);
  readonly workDurations = new Histogram(durationBounds);
  readonly #options: WorkQueueOptions;
  readonly #stopwatch: () => number;
  /** Keys, and since when they wait or are worked on. */
  readonly #waiting = new Map<string, number>();
  readonly #working = new Map<string, number>();
  readonly #timers = new Map<string, Timer>();
  readonly #failures = new Map<string, number>();
  readonly #workers = new Set<Promise<void>>();
  /** Workers that will look for another key: one that has found none is not counted, even before its promise is resolved. */
  #running = 0;
  #closed = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#stopwatch = options.stopwatch ?? (() => performance.now());
  }

  /** Keys that wait for a worker. */
  get depth(): number {
    return this.#waiting.size;
  }

  /** Seconds for which each key that is worked on has been so. */
  get unfinished(): readonly number[] {
    const now = this.#stopwatch();
    return [...this.#working.values()].map((since) => (now - since) / 1000);
  }

  add(key: string): void {
    if (this.#closed || this.#waiting.has(key)) return;
    this.counts.adds++;
    this.#waiting.set(key, this.#stopwatch());
    if (this.#running >= (this.#options.workers ?? 1)) return;
    this.#running++;
    const worker: Promise<void> = this.#run().finally(() => this.#workers.delete(worker));
    this.#workers.add(worker);
  }

  addAfter(key: string, ms: number): void {
    if (this.#closed) return;
    this.#timers.get(key)?.cancel();
    const { clock = systemClock } = this.#options;
    const timer = clock.after(ms, () => {
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
    for (let key = this.#next(); key !== undefined; key = this.#next()) {
      const outcome = await this.#attempt(key);
      this.#scheduleNext(key, outcome);
      await yieldTurn();
    }
    this.#running--;
  }

  /** The first key that no worker has; from now on the caller has it. */
  #next(): string | undefined {
    for (const [key, since] of this.#waiting) {
      if (this.#working.has(key)) continue;
      this.#waiting.delete(key);
      const now = this.#stopwatch();
      this.queueDurations.observe((now - since) / 1000);
      this.#working.set(key, now);
      return key;
    }
    return undefined;
  }

  async #attempt(key: string): Promise<WorkOutcome> {
    const { work, onError } = this.#options;
    try {
      return await work(key);
    } catch (error) {
      if (!this.#closed) onError(key, error);
      return 'again';
    } finally {
      const since = this.#working.get(key) as number;
      this.#working.delete(key);
      this.workDurations.observe((this.#stopwatch() - since) / 1000);
    }
  }

  #scheduleNext(key: string, outcome: WorkOutcome): void {
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
