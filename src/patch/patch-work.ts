// How long the work on one patch may take. It does not follow from the sizes of the patch and of the object: each of many
// operations may go through all of the object.

/** The patch asks for more work than one request may. */
export class PatchTooLargeError extends Error {}

/** About 20 milliseconds: a unit is the time to visit one value. */
const longUnits = 500_000;
/** Some seconds. */
const maxUnits = 100_000_000;

export class PatchWork {
  #units = 0;
  readonly #whenLong: (() => void) | undefined;

  /** `whenLong` is called once the work is long, and may throw. */
  constructor(whenLong?: () => void) {
    this.#whenLong = whenLong;
  }

  spend(units: number): void {
    const before = this.#units;
    this.#units += units;
    if (this.#units > maxUnits) throw new PatchTooLargeError('The patch takes too much work to apply to this object');
    if (before <= longUnits && this.#units > longUnits) this.#whenLong?.();
  }
}
