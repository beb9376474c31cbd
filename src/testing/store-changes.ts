// Wakes those who wait for the store of a test server to change.

import type { Store, StoreWatch } from '../storage/store.ts';

export class StoreChanges {
  #waiting: (() => void)[] = [];
  #watch: StoreWatch | undefined;
  #hasChanged = false;
  #isClosed = false;

  constructor(store: Store) {
    void this.#follow(store);
  }

  /** Resolves at the next change, at once if there was one since the last call, or after this time. */
  async next(ms: number): Promise<void> {
    if (!this.#hasChanged) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, ms);
        this.#waiting.push(() => {
          clearTimeout(timer);
          resolve();
        });
      });
    }
    this.#hasChanged = false;
  }

  close(): void {
    this.#isClosed = true;
    this.#watch?.close();
  }

  /** A failed store is not followed: waiting callers poll. */
  async #follow(store: Store): Promise<void> {
    try {
      const after = await store.currentRevision();
      if (this.#isClosed) return;
      this.#watch = store.watch({ prefix: '', after }, { onEvents: () => this.#wake(), onProgress() {}, onEnd() {} });
    } catch {
      // waiting callers see the error themselves
    }
  }

  #wake(): void {
    this.#hasChanged = true;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }
}
