// How much a comparison of rules has cost: when another thread should go on with the request, and when to give up.

/** About 20 ms. */
const longSteps = 100_000;

/** The comparison would have taken more steps than its limit. */
export class WorkLimitError extends Error {}

export class Work {
  readonly #limit: number;
  readonly #onLong: (() => void) | undefined;
  #steps = 0;

  /** `onLong` is called once when the work gets long; it may throw. */
  constructor(limit: number, onLong?: () => void) {
    this.#limit = limit;
    this.#onLong = onLong;
  }

  /** Counts steps; throws beyond the limit. */
  take(steps: number): void {
    const wasShort = this.#steps <= longSteps;
    this.#steps += steps;
    if (this.#steps > this.#limit) throw new WorkLimitError();
    if (wasShort && this.#steps > longSteps) this.#onLong?.();
  }
}

/** The values, each once; counts them all. */
export function distinct(values: readonly string[], work: Work): ReadonlySet<string> {
  work.take(values.length);
  return new Set(values);
}
