// How values are spread: counted by bounds, cheaply enough for every step of a queue.

/** The bounds of Go's metrics library, which Kubernetes has where it names none. */
export const usualBounds: readonly number[] = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export class Histogram {
  readonly bounds: readonly number[];
  readonly #counts: number[];
  #sum = 0;
  #count = 0;

  /** Bounds ascend; a value belongs to the first that it does not exceed. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.#counts = bounds.map(() => 0);
  }

  get sum(): number {
    return this.#sum;
  }

  get count(): number {
    return this.#count;
  }

  observe(value: number, times = 1): void {
    this.#sum += value * times;
    this.#count += times;
    for (let at = 0; at < this.bounds.length; at++) {
      if (value > (this.bounds[at] as number)) continue;
      this.#counts[at] = (this.#counts[at] as number) + times;
      return;
    }
  }

  /** Takes in the values of another one with the same bounds. */
  add(other: Histogram): void {
    this.#sum += other.#sum;
    this.#count += other.#count;
    for (let at = 0; at < this.#counts.length; at++)
      this.#counts[at] = (this.#counts[at] as number) + (other.#counts[at] as number);
  }

  /** How many values do not exceed each bound. */
  cumulative(): readonly number[] {
    let below = 0;
    return this.#counts.map((count) => {
      below += count;
      return below;
    });
  }
}
