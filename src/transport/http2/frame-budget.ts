// Frames that bring a client nothing (pings, settings, streams that are over, refused requests) have a limit: so many at once, and
// more with time and with requests. A client that only keeps the server busy is disconnected.

import type { Clock } from '../../base/time/clock.ts';

const burst = 4000;
const perSecond = 500;
const perRequest = 4;

export class FrameBudget {
  readonly #clock: Clock;
  #left = burst;
  #filledAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#filledAt = clock.now();
  }

  /** False where it is used up. */
  spend(frames: number): boolean {
    this.#left -= frames;
    if (this.#left >= 0) return true;
    this.#fill();
    return this.#left >= 0;
  }

  /** A request has come. */
  earn(): void {
    this.#left = Math.min(burst, this.#left + perRequest);
  }

  /** The clock is read only where it matters. A part of a frame is kept: reads may follow each other within a millisecond. */
  #fill(): void {
    const now = this.#clock.now();
    this.#left = Math.min(burst, this.#left + ((now - this.#filledAt) / 1000) * perSecond);
    this.#filledAt = now;
  }
}
