// The clock of yielding work, controlled by a test: on a busy machine a quick step may take long.

import { vi } from 'vitest';

/** The latest time that a test saw. */
let latest = 0;

export class StandingTime {
  // time does not go back from one test to the next
  #now = Math.max(performance.now(), latest);
  readonly #spy = vi.spyOn(performance, 'now').mockImplementation(() => this.#now);

  /** In a tick in which no other test has let time pass. */
  static async begin(): Promise<StandingTime> {
    await new Promise((resolve) => setImmediate(resolve));
    return new StandingTime();
  }

  /** As if the processor had been busy. */
  pass(ms: number): void {
    this.#now += ms;
  }

  end(): void {
    latest = this.#now;
    this.#spy.mockRestore();
  }
}
