// Stored objects for those who look at many of them on the way of a write: shared, and parsed once.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { systemClock } from '../base/time/clock.ts';
import type { GroupVersionResource } from '../meta/group-version.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { Registry } from './registry.ts';
import type { Resources } from './resources.ts';
import type { StoredObject } from './stored-object.ts';

export class ObjectLookup {
  readonly #resources: Resources;
  readonly #parsed = new WeakMap<StoredObject, ApiObject>();

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  get(
    resource: GroupVersionResource,
    ref: ObjectRef,
    mode: 'latest' | 'any' = 'latest',
  ): MaybePromise<ApiObject | undefined> {
    const registry = this.#registry(resource);
    if (registry === undefined) return undefined;
    const key = registry.key(ref);
    return andThen(registry.caughtUp({ mode }), (isFresh) =>
      isFresh ? this.#present(registry, key) : this.#read(registry, key),
    );
  }

  /** From the store itself, while the cache cannot tell what is new. */
  #read(registry: Registry, key: string): MaybePromise<ApiObject | undefined> {
    return andThen(registry.read(key), (entry) => {
      const stored = entry && registry.kind.materialize(entry);
      return stored && this.#parse(registry, stored);
    });
  }

  /** Those of the cache: no write waits for quotas and limits that other servers may be about to write. */
  list(resource: GroupVersionResource, namespace: string): MaybePromise<readonly ApiObject[]> {
    const registry = this.#registry(resource);
    if (registry === undefined) return [];
    return andThen(registry.fresh({ mode: 'any' }), () => {
      const stored = registry.cache.present().range(registry.scope(namespace));
      return andThen(registry.view.ofAll(stored), (shown) => shown.map((one) => this.#parsedOnce(one)));
    });
  }

  /** Parsed and forgotten: of pods there may be more than memory should hold twice. */
  each(resource: GroupVersionResource, namespace: string): MaybePromise<readonly (() => ApiObject)[]> {
    const registry = this.#registry(resource);
    if (registry === undefined) return [];
    return andThen(registry.fresh({ mode: 'any' }), () => {
      const stored = registry.cache.present().range(registry.scope(namespace));
      return andThen(registry.view.ofAll(stored), (shown) => shown.map((one) => () => one.parse()));
    });
  }

  /** Waits in real time, as those do who create it. */
  async appears(resource: GroupVersionResource, ref: ObjectRef, withinMs: number): Promise<ApiObject | undefined> {
    const registry = this.#registry(resource);
    if (registry === undefined) return undefined;
    await registry.fresh({ mode: 'latest' });
    const key = registry.key(ref);
    return (await this.#present(registry, key)) ?? this.#heard(registry, key, withinMs);
  }

  #heard(registry: Registry, key: string, withinMs: number): Promise<ApiObject | undefined> {
    return new Promise((resolve) => {
      const timer = systemClock.after(withinMs, () => finish());
      const subscription = registry.cache.listen({
        onEvents: (events) => {
          if (events.some(({ current }) => current?.key === key)) finish();
        },
        onProgress: () => {},
        onEnd: () => queueMicrotask(() => finish()),
      });
      const finish = () => {
        timer.cancel();
        subscription.close();
        resolve(this.#present(registry, key));
      };
    });
  }

  #present(registry: Registry, key: string): MaybePromise<ApiObject | undefined> {
    const stored = registry.cache.get(key);
    return stored && this.#parse(registry, stored);
  }

  #parse({ view }: Registry, stored: StoredObject): MaybePromise<ApiObject> {
    return andThen(view.of(stored), (shown) => this.#parsedOnce(shown));
  }

  #parsedOnce(stored: StoredObject): ApiObject {
    let object = this.#parsed.get(stored);
    if (object === undefined) {
      object = stored.parse();
      this.#parsed.set(stored, object);
    }
    return object;
  }

  #registry({ group, version, resource }: GroupVersionResource): Registry | undefined {
    return this.#resources.find(group, version, resource)?.registry;
  }
}
