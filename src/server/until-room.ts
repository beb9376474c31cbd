// What a start has to write: on a full disk the server starts without it, and makes up for it later.

import type { Clock, Timer } from '../base/time/clock.ts';
import { isNoRoom } from '../storage/embedded/data-room.ts';
import type { Store } from '../storage/store.ts';

const retryMs = 5000;

export class UntilRoom {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #onWait: (error: unknown) => void;
  readonly #timers = new Set<Timer>();
  #closed = false;

  /** `onWait` hears of each step that fails for want of room. */
  constructor(store: Store, clock: Clock, onWait: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onWait = onWait;
  }

  /**
   * Resolves when the first attempt is over, and rejects when it failed for another reason than a full disk; then `step`
   * is tried again from time to time, and `done` is told when it has succeeded.
   */
  async run(step: () => Promise<void>, first: Promise<void>, done: () => void = () => {}): Promise<void> {
    try {
      await first;
    } catch (error) {
      if (!isNoRoom(error) && this.#store.shortage?.() === undefined) throw error;
      this.#onWait(error);
      this.#later(step, done);
      return;
    }
    done();
  }

  close(): void {
    this.#closed = true;
    for (const timer of this.#timers) timer.cancel();
  }

  #later(step: () => Promise<void>, done: () => void): void {
    if (this.#closed) return;
    const timer = this.#clock.after(retryMs, () => {
      this.#timers.delete(timer);
      // what fails for another reason now is tried again too: the server runs already
      step().then(done, () => this.#later(step, done));
    });
    this.#timers.add(timer);
  }
}
