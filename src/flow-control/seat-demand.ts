// How many seats a priority level needs over time: average, standard deviation and maximum between two adjustments.

import type { Clock } from '../base/time/clock.ts';

interface DemandResults {
  readonly seconds: number;
  readonly average: number;
  readonly variance: number;
  readonly max: number;
}

/** Integrates a number of seats over time. */
export class SeatDemand {
  readonly #clock: Clock;
  #since: number;
  #seats = 0;
  #seconds = 0;
  #sum = 0;
  #squares = 0;
  #max = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#since = clock.now();
  }

  add(seats: number, now: number): void {
    if (now > this.#since) this.#integrate(now);
    this.#seats += seats;
    if (this.#seats > this.#max) this.#max = this.#seats;
  }

  /** What happened since the last call. */
  take(): DemandResults {
    this.#integrate(this.#clock.now());
    const seconds = this.#seconds;
    const average = seconds === 0 ? 0 : this.#sum / seconds;
    const variance = seconds === 0 ? 0 : Math.max(0, this.#squares / seconds - average * average);
    const results = { seconds, average, variance, max: this.#max };
    this.#seconds = 0;
    this.#sum = 0;
    this.#squares = 0;
    this.#max = this.#seats;
    return results;
  }

  #integrate(now: number): void {
    const seconds = Math.max(0, now - this.#since) / 1000;
    this.#since = now;
    this.#seconds += seconds;
    this.#sum += seconds * this.#seats;
    this.#squares += seconds * this.#seats * this.#seats;
  }
}

/** With a period of ten seconds, half of an old peak is forgotten after five minutes. */
const keptPart = 0.977;

/** A rise is followed at once, a fall slowly. */
export function smoothed(before: number, average: number, deviation: number): number {
  const envelope = average + deviation;
  return Math.max(envelope, keptPart * before + (1 - keptPart) * envelope);
}
