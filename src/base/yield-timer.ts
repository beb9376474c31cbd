// Long work in short turns, so that other requests do not wait for it.

/** A turn may last about this long. */
const turnMs = 5;

export class YieldTimer {
  #since = performance.now();

  /** Whether this turn has lasted long enough; to be looked at after each small step. */
  get isDue(): boolean {
    return performance.now() - this.#since > turnMs;
  }

  /** Lets everything else that waits have its turn. */
  async rest(): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    this.#since = performance.now();
  }
}
