// Counts that several threads keep together: each thread adds in a row of its own, and everyone reads the sums. The row
// of a thread that ended is cleared, whatever it was in the middle of.

export class SharedCounts {
  readonly memory: SharedArrayBuffer;
  readonly #cells: Int32Array;
  readonly #columns: number;
  readonly #row: number;

  /** `columns` counts for at most `rows` threads; this thread adds in `row`. */
  constructor(layout: { readonly columns: number; readonly rows: number }, row = 0, memory?: SharedArrayBuffer) {
    this.memory = memory ?? new SharedArrayBuffer(layout.rows * layout.columns * Int32Array.BYTES_PER_ELEMENT);
    this.#cells = new Int32Array(this.memory);
    this.#columns = layout.columns;
    this.#row = row;
  }

  add(column: number, change: number): void {
    Atomics.add(this.#cells, this.#row * this.#columns + column, change);
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
