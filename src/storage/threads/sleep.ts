// Whether a thread that follows the log has to be woken when something is new. One that looks by itself gets no message: it
// would get one for each commit of a busy server.

/** While commits follow each other, a thread looks this often. */
export const lookMs = 4;

const awake = 0;
const asleep = 1;

export class Sleep {
  readonly memory: SharedArrayBuffer;
  readonly #cell: Int32Array;

  constructor(memory = new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory;
    this.#cell = new Int32Array(memory);
  }

  /** In the thread that follows: from now on it is to be woken. What became new before that, it has to look for once more. */
  begin(): void {
    Atomics.store(this.#cell, 0, asleep);
  }

  /** In the thread that writes. Whether the other one slept; it is called awake from then on. */
  end(): boolean {
    return Atomics.compareExchange(this.#cell, 0, asleep, awake) === asleep;
  }
}
