// Keeps objects of the server's own as they have to be: looks at them at start, when one of them changes, and now and then.

import type { Clock, Timer } from '../base/time/clock.ts';
import type { Store, StoreWatch } from '../storage/store.ts';

interface KeeperOptions {
  readonly store: Store;
  readonly clock: Clock;
  /** Keys of the objects in the store. */
  readonly keys: readonly string[];
  /** How often to look without a reason. */
  readonly everyMs: number;
  /** Puts everything right; called again soon after it has failed. */
  reconcile(): Promise<void>;
  onError(error: unknown): void;
}

const firstRetryMs = 250;
const longestRetryMs = 10_000;
/** A watch that ended is opened again after this long. */
const reopenMs = 1000;

export class Keeper {
  readonly #options: KeeperOptions;
  readonly #watches = new Map<string, StoreWatch>();
  readonly #reopening = new Set<Timer>();
  #timer: Timer | undefined;
  #running: Promise<void> | undefined;
  #isAskedAgain = false;
  #retryMs = firstRetryMs;
  #isClosed = false;

  constructor(options: KeeperOptions) {
    this.#options = options;
  }

  start(): void {
    for (const key of this.#options.keys) void this.#follow(key);
    this.look();
  }

  /** Looks now; during a look, right after it. */
  look(): void {
    if (this.#isClosed) return;
    if (this.#running !== undefined) {
      this.#isAskedAgain = true;
      return;
    }
    this.#timer?.cancel();
    this.#running = this.#run();
  }

  /** Resolves when nothing is under way any more. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#timer?.cancel();
    for (const timer of this.#reopening) timer.cancel();
    for (const watch of this.#watches.values()) watch.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    const waitMs = await this.#reconcile();
    this.#running = undefined;
    if (this.#isClosed) return;
    const again = this.#isAskedAgain;
    this.#isAskedAgain = false;
    if (again && waitMs === this.#options.everyMs) this.look();
    else this.#timer = this.#options.clock.after(waitMs, () => this.look());
  }

  /** How long to wait for the next look. */
  async #reconcile(): Promise<number> {
    try {
      await this.#options.reconcile();
      this.#retryMs = firstRetryMs;
      return this.#options.everyMs;
    } catch (error) {
      if (!this.#isClosed) this.#options.onError(error);
      const waitMs = Math.min(this.#retryMs, this.#options.everyMs);
      this.#retryMs = Math.min(this.#retryMs * 2, longestRetryMs);
      return waitMs;
    }
  }

  async #follow(key: string): Promise<void> {
    const { store } = this.#options;
    try {
      const after = await store.currentRevision();
      if (this.#isClosed) return;
      const watch = store.watch(
        { prefix: key, after },
        {
          onEvents: (events) => {
            if (events.some((event) => event.key === key)) this.look();
          },
          onProgress: () => {},
          onEnd: () => this.#followAgain(key),
        },
      );
      this.#watches.set(key, watch);
    } catch {
      this.#followAgain(key);
    }
  }

  /** What happened meanwhile is seen by a look. */
  #followAgain(key: string): void {
    if (this.#isClosed) return;
    const timer = this.#options.clock.after(reopenMs, () => {
      this.#reopening.delete(timer);
      void this.#follow(key).then(() => this.look());
    });
    this.#reopening.add(timer);
  }
}
