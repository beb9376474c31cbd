// Frames that bring a client nothing (pings, settings, windows, what is not known or refused) have a limit: so many at once, and
// more as time goes by and as answers are sent. A client that only keeps the server busy is sent off.

import type { Clock } from '../../base/clock.ts';

const burst = 4000;
const perSecond = 500;
/** For what is of use: a request, or a frame of an answer, after which a client may widen both windows. */
const perUse = 4;

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

  earn(): void {
    this.#left = Math.min(burst, this.#left + perUse);
  }

  /** The clock is asked only where it matters. */
  #fill(): void {
    const now = this.#clock.now();
    this.#left = Math.min(burst, this.#left + Math.floor(((now - this.#filledAt) / 1000) * perSecond));
    this.#filledAt = now;
  }
}
