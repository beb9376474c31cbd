// Counts that several threads keep together: each thread adds in its own row, and everyone reads the sums. The row
// of a thread that ended is cleared, whatever it was in the middle of.

interface Layout {
  /** Counts of each thread. */
  readonly columns: number;
  /** The largest number of threads. */
  readonly rows: number;
  /** The largest number of names that threads agree on. */
  readonly names?: number;
}

export class SharedCounts {
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #names: Int32Array;
  readonly #columns: number;
  readonly #row: number;

  /** This thread adds in `row`. */
  constructor({ columns, rows, names = 0 }: Layout, row = 0, memory?: SharedArrayBuffer) {
    const cells = rows * columns;
    this.memory = memory ?? new SharedArrayBuffer((cells + names) * Int32Array.BYTES_PER_ELEMENT);
    this.#cells = new Int32Array(this.memory, 0, cells);
    this.#names = new Int32Array(this.memory, cells * Int32Array.BYTES_PER_ELEMENT, names);
    this.#columns = columns;
    this.#row = row;
  }

  add(column: number, change: number): void {
    Atomics.add(this.#cells, this.#row * this.#columns + column, change);
  }

  /** Replaces the count of this thread. */
  set(column: number, value: number): void {
    Atomics.store(this.#cells, this.#row * this.#columns + column, value);
  }

  /** The count of this thread. */
  own(column: number): number {
    return Atomics.load(this.#cells, this.#row * this.#columns + column);
  }

  /** Whether this thread counts in the first row, which is that of the main thread. */
  get isFirst(): boolean {
    return this.#row === 0;
  }

  /** The number that all threads have for a name, given by its hash, which is not 0. Undefined where too many names have one. */
  numberOf(nameHash: number): number | undefined {
    for (let at = 0; at < this.#names.length; at++) {
      const holder = Atomics.compareExchange(this.#names, at, 0, nameHash);
      if (holder === 0 || holder === nameHash) return at;
    }
    return undefined;
  }

  /** Of all threads. */
  sum(column: number): number {
    let sum = 0;
    for (let at = column; at < this.#cells.length; at += this.#columns) sum += Atomics.load(this.#cells, at);
    return sum;
  }

  clear(row: number): void {
    for (let column = 0; column < this.#columns; column++) Atomics.store(this.#cells, row * this.#columns + column, 0);
  }
}
