// The clock by which long work is cut into turns, in the hands of a test: on a busy machine a quick step may take long.

import { vi } from 'vitest';

export class StandingTime {
  #now = performance.now();
  readonly #spy = vi.spyOn(performance, 'now').mockImplementation(() => this.#now);

  /** As if the processor had been busy. */
  pass(ms: number): void {
    this.#now += ms;
  }

  end(): void {
    this.#spy.mockRestore();
  }
}
