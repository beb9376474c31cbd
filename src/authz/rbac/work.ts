// How much a comparison of rules has cost: when to let other requests go on, and when to give up.

/** Less than a millisecond; the clock is looked at no more often than that. */
const stepsBetweenRests = 1000;

/** The comparison would have taken more steps than it was given. */
export class WorkLimitError extends Error {}

export class Work {
  #left: number;
  #untilRest = stepsBetweenRests;

  constructor(limit: number) {
    this.#left = limit;
  }

  /** Counts steps; true when it is time to look at the clock. Throws when there are none left. */
  take(steps: number): boolean {
    this.#left -= steps;
    if (this.#left < 0) throw new WorkLimitError();
    this.#untilRest -= steps;
    if (this.#untilRest > 0) return false;
    this.#untilRest = stepsBetweenRests;
    return true;
  }
}

/** Computes a result; stops now and then, so that its caller can let other requests go on. */
export type Resting<T> = Generator<undefined, T, undefined>;

export function* distinct(values: readonly string[], work: Work): Resting<ReadonlySet<string>> {
  const found = new Set<string>();
  for (const value of values) {
    found.add(value);
    if (work.take(1)) yield undefined;
  }
  return found;
}
