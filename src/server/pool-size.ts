// How many threads serve: decided once a second by how busy each of them was.

/** `auto` adds a thread when all have been busier than this in each of the last looks. */
const busy = { share: 0.7, looks: 2 };
/** The last thread ends when it was less busy than this in each of the last looks. */
const idle = { share: 0.1, looks: 300 };

interface SizeLimits {
  readonly atStart: number;
  readonly most: number;
}

export class PoolSize {
  readonly #limits: SizeLimits;
  #threads: number;
  #busyLooks = 0;
  #idleLooks = 0;

  constructor(limits: SizeLimits) {
    this.#limits = limits;
    this.#threads = limits.atStart;
  }

  /** Threads that are to serve, with the main thread. */
  get threads(): number {
    return this.#threads;
  }

  /** Takes the load of each thread that serves, from 0 to 1, the main thread first, and reports a change of `threads`. */
  look(loads: readonly number[]): 'grow' | 'shrink' | undefined {
    const { atStart, most } = this.#limits;
    // one is on its way, or is started again
    if (loads.length !== this.#threads) {
      this.#startOver();
      return undefined;
    }
    this.#busyLooks = loads.every((load) => load > busy.share) ? this.#busyLooks + 1 : 0;
    this.#idleLooks = (loads.at(-1) ?? 0) < idle.share ? this.#idleLooks + 1 : 0;
    if (this.#busyLooks >= busy.looks && this.#threads < most) return this.#change(1);
    if (this.#idleLooks >= idle.looks && this.#threads > atStart) return this.#change(-1);
    return undefined;
  }

  /** A thread that was added could not be started. */
  lose(): void {
    this.#threads--;
    this.#startOver();
  }

  #change(by: 1 | -1): 'grow' | 'shrink' {
    this.#threads += by;
    this.#startOver();
    return by === 1 ? 'grow' : 'shrink';
  }

  #startOver(): void {
    this.#busyLooks = 0;
    this.#idleLooks = 0;
  }
}
