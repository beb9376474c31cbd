// How much work one request has caused, counted rather than timed: the same request gives the same count on every machine.

/** About 20 ms: a unit is about a nanosecond. */
const longWork = 20_000_000;

export class WorkMeter {
  #left = longWork;
  readonly #onLong: () => void;

  /** `onLong` is called once, when the work becomes long. It may throw, and the work ends. */
  constructor(onLong: () => void) {
    this.#onLong = onLong;
  }

  /** Units until the work is long. */
  get left(): number {
    return this.#left;
  }

  add(units: number): void {
    this.#left -= units;
    if (this.#left >= 0) return;
    this.#left = Number.POSITIVE_INFINITY;
    this.#onLong();
  }
}
