// Checks files at intervals: their configuration may change while the server runs. All threads of a server check them at the same
// moments, so that no thread accepts a certificate that another one refuses.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Clock, Timer } from '../base/time/clock.ts';

const everyMs = 5000;

export class FilePoll {
  readonly #clock: Clock;
  readonly #look: () => MaybePromise<void>;
  #timer: Timer | undefined;
  #isStopped = false;

  /** `look` deals with its failures itself. */
  constructor(clock: Clock, look: () => MaybePromise<void>) {
    this.#clock = clock;
    this.#look = look;
    this.#wait();
  }

  stop(): void {
    this.#isStopped = true;
    this.#timer?.cancel();
  }

  /** At the next multiple of the interval. One look at a time, however long it takes. */
  #wait(): void {
    if (this.#isStopped) return;
    this.#timer = this.#clock.after(everyMs - (this.#clock.now() % everyMs), () => {
      void Promise.resolve(this.#look()).finally(() => this.#wait());
    });
  }
}
