// Keeps something in memory equal to the stored objects of one resource.

import type { Follower } from '../admission/lookup.ts';
import type { Clock, Timer } from '../base/clock.ts';
import { InOrder } from '../base/in-order.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { type ApiObject, withMeta } from '../meta/object.ts';
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
  #closed = false;

  constructor(registry: Registry, clock: Clock, follower: Follower) {
    this.#registry = registry;
    this.#clock = clock;
    this.#follower = follower;
  }

  /** Resolves once everything that is stored now has been told. */
  async start(): Promise<void> {
    const parsed = await this.#registry.kind.parsedDuring(() => this.#registry.fresh({ mode: 'any' }));
    if (this.#closed) return;
    const { cache, prefix, view } = this.#registry;
    const shown = view.ofAll(cache.present().range(prefix));
    const queue = new InOrder(() => this.#retry());
    const begun = new Promise<void>((resolve) => {
      queue.run(() =>
        andThen(shown, (objects) => {
          this.#follower.onReset();
          for (const stored of objects) this.#follower.onPut(knownOr(parsed, stored));
          this.#follower.onShown?.();
          resolve();
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

  #applyChanges(changes: readonly CacheEvent<StoredObject>[]): MaybePromise<void> {
    for (const [index, change] of changes.entries()) {
      const applied = this.#applyChange(change);
      if (isPromise(applied)) return applied.then(() => this.#applyChanges(changes.slice(index + 1)));
    }
  }

  /** Large objects are read in turns, unless what is done with them has to be done before their writer gets its answer. */
  #applyChange({ current, previous }: CacheEvent<StoredObject>): MaybePromise<void> {
    const stored = current ?? previous;
    if (stored === undefined) return;
    const tell = (object: ApiObject) =>
      current === undefined ? this.#follower.onRemove(object) : this.#follower.onPut(object);
    return andThen(this.#follower.isPrompt ? stored.parse() : stored.parseInTurns(), tell);
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

/** An object with its version, parsed only where it was not. */
function knownOr(parsed: ReadonlyMap<StoredObject, ApiObject>, stored: StoredObject): ApiObject {
  const object = parsed.get(stored);
  return object === undefined ? stored.parse() : withMeta(object, { resourceVersion: String(stored.revision) });
}
