// Keeps something in memory equal to the stored objects of one resource.

import type { Follower } from '../admission/lookup.ts';
import { InOrder } from '../base/in-order.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Clock, Timer } from '../base/time/clock.ts';
import { forEachInBackground } from '../base/time/turns.ts';
import type { Registry } from '../registry/registry.ts';
import type { StoredObject } from '../registry/stored-object.ts';
import type { CacheEvent } from '../storage/cache/watch-cache.ts';

const retryMs = 1000;

export class ResourceFollower {
  readonly #registry: Registry;
  readonly #clock: Clock;
  readonly #follower: Follower;
  #subscription: { close(): void } | undefined;
  #timer: Timer | undefined;
  /** How often everything was shown from the start. */
  #rounds = 0;
  #closed = false;

  constructor(registry: Registry, clock: Clock, follower: Follower) {
    this.#registry = registry;
    this.#clock = clock;
    this.#follower = follower;
  }

  /** The same for those whose readers wait themselves. */
  startInBackground(): void {
    this.start().catch(() => this.#retry());
  }

  /** Resolves once everything that is stored now has been told. */
  async start(): Promise<void> {
    await this.#registry.fresh({ mode: 'any' });
    const round = ++this.#rounds;
    if (this.#closed) return;
    const { cache, prefix, view } = this.#registry;
    const shown = view.ofAll(cache.present().range(prefix));
    const queue = new InOrder(() => this.#retry());
    const begun = new Promise<void>((resolve) => {
      queue.run(() =>
        andThen(shown, (objects) => {
          this.#follower.onReset();
          return andThen(this.#showAll(objects, round), () => {
            if (round === this.#rounds) this.#follower.onShown?.();
            resolve();
          });
        }),
      );
    });
    this.#subscription = cache.listen({
      onEvents: (events) => queue.run(() => andThen(view.ofChanges(events), (changes) => this.#applyChanges(changes))),
      onProgress: () => {},
      onEnd: () => this.#retry(),
    });
    await begun;
  }

  /** An object that was replaced in the meantime is shown as it was; its change follows. */
  #showAll(objects: readonly StoredObject[], round: number): MaybePromise<void> {
    const show = (stored: StoredObject) => {
      if (round === this.#rounds && !this.#closed && this.#concerns(stored)) this.#follower.onPut(stored.parseBare());
    };
    const { isAwaited } = this.#follower;
    if (isAwaited !== undefined) return forEachInBackground(objects, show, () => isAwaited());
    for (const stored of objects) show(stored);
  }

  #applyChanges(changes: readonly CacheEvent<StoredObject>[]): MaybePromise<void> {
    for (const [index, change] of changes.entries()) {
      const applied = this.#applyChange(change);
      if (isPromise(applied)) return applied.then(() => this.#applyChanges(changes.slice(index + 1)));
    }
  }

  #applyChange({ current, previous }: CacheEvent<StoredObject>): MaybePromise<void> {
    const stored = current ?? previous;
    if (stored === undefined || !(this.#concerns(current) || this.#concerns(previous))) return;
    const object = stored.parseBare();
    return current === undefined ? this.#follower.onRemove(object) : this.#follower.onPut(object);
  }

  #concerns(stored: StoredObject | undefined): boolean {
    return stored !== undefined && stored.readText((text) => this.#follower.concerns?.(text)) !== false;
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
