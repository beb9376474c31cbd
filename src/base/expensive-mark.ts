// Remembers for a while that some work was expensive, so that the next request for it need not find out again.

/** Only some objects may be expensive. */
const markedMs = 60_000;

export class ExpensiveMark {
  #until = Number.NEGATIVE_INFINITY;

  mark(): void {
    this.#until = performance.now() + markedMs;
  }

  get isMarked(): boolean {
    return performance.now() < this.#until;
  }
}
