// Items that are taken in their order; one may come late, near the front.

/** So many taken items are kept before their places are given back. */
const mostTaken = 1000;

export class Queue<T> {
  readonly #items: T[] = [];
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#taken;
  }

  get first(): T | undefined {
    return this.#items[this.#taken];
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** `at` is counted from the first. */
  insert(item: T, at: number): void {
    this.#items.splice(this.#taken + at, 0, item);
  }

  shift(): void {
    if (++this.#taken < mostTaken || this.#taken * 2 < this.#items.length) return;
    this.#items.splice(0, this.#taken);
    this.#taken = 0;
  }
}
