// Frames that bring a client nothing (pings, settings, windows, what is not known or refused) have a limit: so many at once, and
// more as time goes by and as answers are sent. A client that only keeps the server busy is sent off.

import type { Clock } from '../../base/clock.ts';

const burst = 4000;
const perSecond = 500;
/** For what is of use: a request, or a frame of an answer. */
const perUse = 4;
/** And for each so many bytes of an answer: clients that read 4 KiB at a time widen both windows each time. */
const bytesPerFrame = 1024;

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

  /** A request has come, or so many bytes of an answer were sent. */
  earn(sent = 0): void {
    this.#left = Math.min(burst, this.#left + perUse + Math.floor(sent / bytesPerFrame));
  }

  /** The clock is asked only where it matters. */
  #fill(): void {
    const now = this.#clock.now();
    this.#left = Math.min(burst, this.#left + Math.floor(((now - this.#filledAt) / 1000) * perSecond));
    this.#filledAt = now;
  }
}
