// How long clients of a priority level should wait after a 429: doubled while many are refused, one second less when few are.

const maxSeconds = 32;

interface Second {
  readonly at: number;
  count: number;
}

export class RetryAfter {
  #seconds = 1;
  #changedAt = 0;
  #history: Second[] = [];

  get seconds(): number {
    return this.#seconds;
  }

  refused(nowMs: number): void {
    const at = Math.floor(nowMs / 1000);
    const last = this.#history.at(-1);
    if (last?.at === at) {
      last.count++;
      return;
    }
    if (last !== undefined) this.#review(at);
    this.#history.push({ at, count: 1 });
  }

  /** Once a second at most, by what the seconds before came to. */
  #review(now: number): void {
    const from = now - this.#seconds;
    const refused = this.#history.reduce((sum, { at, count }) => (at >= from ? sum + count : sum), 0);
    if (refused >= 3 * this.#seconds && now - this.#changedAt >= this.#seconds) {
      this.#seconds = Math.min(maxSeconds, this.#seconds * 2);
      this.#changedAt = now;
    } else if (refused < this.#seconds && this.#seconds > 1) this.#seconds--;
    const oldest = now - Math.min(maxSeconds, 2 * this.#seconds);
    this.#history = this.#history.filter(({ at }) => at >= oldest);
  }
}
