// Keeps something in memory equal to the stored objects of one resource.

import type { Clock, Timer } from '../base/clock.ts';
import type { ApiObject } from '../meta/object.ts';
import type { Registry } from '../registry/registry.ts';
import { currentState, follow } from '../registry/watch.ts';

export interface Follower {
  /** Everything is told anew after this. */
  onReset(): void;
  onPut(object: ApiObject): void;
  onRemove(object: ApiObject): void;
}

const retryMs = 1000;
const everything = { namespace: '', labels: [], fields: [] } as const;

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
    const { objects, revision } = currentState(this.#registry, everything);
    this.#follower.onReset();
    for (const stored of objects) this.#follower.onPut(stored.parse());
    this.#subscription = follow(this.#registry, everything, revision, {
      onEvents: (events) => {
        for (const { type, stored } of events) {
          if (type === 'DELETED') this.#follower.onRemove(stored.parse());
          else this.#follower.onPut(stored.parse());
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
