// The clock by which long work is cut into turns, in the hands of a test: on a busy machine a quick step may take long.

import { vi } from 'vitest';
import { nextTurn } from '../base/yield-timer.ts';

export class StandingTime {
  #now = performance.now();
  readonly #spy = vi.spyOn(performance, 'now').mockImplementation(() => this.#now);

  /** In a turn in which no other test has let time pass. */
  static async begin(): Promise<StandingTime> {
    await nextTurn();
    return new StandingTime();
  }

  /** As if the processor had been busy. */
  pass(ms: number): void {
    this.#now += ms;
  }

  end(): void {
    this.#spy.mockRestore();
  }
}
