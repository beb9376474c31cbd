// Keeps something in memory equal to the stored objects of one resource.

import type { Clock, Timer } from '../base/clock.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Registry } from '../registry/registry.ts';

export interface Follower {
  /** Everything is told anew after this. */
  onReset(): void;
  onPut(object: ApiObject): void;
  onRemove(object: ApiObject): void;
}

const retryMs = 1000;

export class ResourceFollower {
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #follower: Follower;
  #subscription: { close(): void } | undefined;
  #timer: Timer | undefined;
  #closed = false;

  constructor(registry: Registry, clock: Clock, follower: Follower) {
    this.#registry = registry;
    this.#clock = clock;
    this.#follower = follower;
  }

  /** Resolves once everything that is stored now has been told. */
  async start(): Promise<void> {
    await this.#registry.fresh({ mode: 'any' });
    if (this.#closed) return;
    const { cache, prefix } = this.#registry;
    this.#follower.onReset();
    for (const stored of cache.present().range(prefix)) this.#follower.onPut(stored.parse());
    this.#subscription = cache.listen({
      onEvents: (events) => {
        for (const { current, previous } of events) {
          if (current !== undefined) this.#follower.onPut(current.parse());
          else if (previous !== undefined) this.#follower.onRemove(previous.parse());
        }
      },
      onProgress: () => {},
      onEnd: () => this.#retry(),
    });
  }

  close(): void {
    this.#closed = true;
    this.#timer?.cancel();
    this.#subscription?.close();
  }

  /** The last known state counts until the store can be followed again. */
  #retry(): void {
    if (this.#closed) return;
    this.#timer = this.#clock.after(retryMs, () => {
      this.start().catch(() => this.#retry());
    });
  }
}
