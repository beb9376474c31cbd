// How long a number was which part of another one: a histogram whose samples are nanoseconds.

import { Histogram } from '../base/histogram.ts';

const nanosecondsPerMs = 1e6;

export class TimedRatio {
  readonly #histogram: Histogram;
  #value = 0;
  #whole = 1;
  #since: number;

  constructor(bounds: readonly number[], now: number) {
    this.#histogram = new Histogram(bounds);
    this.#since = now;
  }

  get value(): number {
    return this.#value;
  }

  add(change: number, now: number): void {
    if (now > this.#since) this.#count(now);
    this.#value += change;
  }

  /** Changes what the number is a part of. */
  setWhole(whole: number, now: number): void {
    this.#count(now);
    this.#whole = Math.max(1, whole);
  }

  histogram(now: number): Histogram {
    this.#count(now);
    return this.#histogram;
  }

  #count(now: number): void {
    if (now > this.#since) this.#histogram.observe(this.#value / this.#whole, (now - this.#since) * nanosecondsPerMs);
    this.#since = now;
  }
}
