// Keeps history for a while: remembers which revision was current when, and compacts what has grown too old.

import type { Clock, Timer } from '../base/time/clock.ts';
import type { Revision } from '../meta/revision.ts';
import type { Store } from './store.ts';

interface HistoryHooks {
  /** History up to a revision was compacted. */
  onCompacted(revision: Revision): void;
  onError(error: unknown): void;
}

/** Looks ten times per window, so that history outlives the window by a tenth of it at most. */
const looksPerWindow = 10;

export class HistoryWindow {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #windowMs: number;
  readonly #hooks: HistoryHooks;
  #samples: { readonly at: number; readonly revision: Revision }[] = [];
  #timer: Timer | undefined;
  #closed = false;

  constructor(store: Store, clock: Clock, windowMs: number, hooks: HistoryHooks) {
    this.#store = store;
    this.#clock = clock;
    this.#windowMs = windowMs;
    this.#hooks = hooks;
    this.#schedule();
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
  }

  #schedule(): void {
    if (this.#closed) return;
    this.#timer = this.#clock.after(this.#windowMs / looksPerWindow, () => {
      this.#look()
        .catch((error: unknown) => this.#hooks.onError(error))
        .finally(() => this.#schedule());
    });
  }

  async #look(): Promise<void> {
    const now = this.#clock.now();
    const oldest = this.#samples.findLast((sample) => sample.at <= now - this.#windowMs);
    this.#samples = this.#samples.filter((sample) => sample.at > now - this.#windowMs);
    this.#samples.push({ at: now, revision: await this.#store.currentRevision() });
    if (oldest === undefined) return;
    await this.#store.compact(oldest.revision);
    this.#hooks.onCompacted(oldest.revision);
  }
}
