// Long work in short turns, so that other requests do not wait for it.

/** A turn may last about this long. */
const turnMs = 5;

/** Resolves when everything else that waits has had its turn. */
export const nextTurn = (): Promise<unknown> => new Promise((resolve) => setImmediate(resolve));

export class YieldTimer {
  #since = performance.now();

  /** Whether the work may be long at all: what would only make it rest more often is not done otherwise. */
  get mayRest(): boolean {
    return true;
  }

  /** Whether this turn has lasted long enough; to be looked at after each small step. */
  get isDue(): boolean {
    return performance.now() - this.#since > turnMs;
  }

  /** Lets everything else that waits have its turn. */
  async rest(): Promise<void> {
    await nextTurn();
    this.#since = performance.now();
  }
}

/** Whatever a client puts into so few bytes, the usual work on it is over within a turn. */
const smallBytes = 16 * 1024;

/** Reads no clock: that would be one percent of what a small write costs. */
class NeverDue extends YieldTimer {
  override get mayRest(): boolean {
    return false;
  }

  override get isDue(): boolean {
    return false;
  }
}

const neverDue = new NeverDue();

/** For work whose length depends on the size of what a client sent and what is stored. */
export function yieldTimerFor(bytes: number): YieldTimer {
  return bytes < smallBytes ? neverDue : new YieldTimer();
}
