// The objects of one kind that another server keeps: listed, then watched, and listed again where the watch ends.

import type { WatchEvent } from '../../client/client.ts';
import type { ObjectMeta, OwnerReference } from '../../meta/object.ts';
import type { ControllerContext } from '../controller.ts';
import { pathOf, type StoredChange, type StoredResource } from '../object-feed.ts';

const firstWaitMs = 500;
const maxWaitMs = 30_000;
/** Objects of one kind that are kept in mind. */
const maxObjects = 100_000;
const maxOwners = 100;

const plainNamespace = /^[a-z0-9-]{1,63}$/;
const plainName = /^[\w.:~-]{1,253}$/;

export class RemoteFollower {
  readonly resource: StoredResource;
  readonly #context: ControllerContext;
  readonly #take: (change: StoredChange) => void;
  readonly #stop = new AbortController();
  readonly #shown = new Map<string, StoredChange>();
  #waitMs = firstWaitMs;
  #wake: () => void = () => {};

  constructor(context: ControllerContext, resource: StoredResource, take: (change: StoredChange) => void) {
    this.#context = context;
    this.resource = resource;
    this.#take = take;
    void this.#run();
  }

  /** What was told stays as it is: that a server is not asked any more does not mean that its objects are gone. */
  close(): void {
    this.#stop.abort();
    this.#wake();
  }

  async #run(): Promise<void> {
    const path = pathOf(this.resource, { namespace: '', name: '' });
    const { signal } = this.#stop;
    while (!signal.aborted) {
      try {
        await this.#watch(path, await this.#list(path));
      } catch (error) {
        if (!signal.aborted)
          this.#context.onError({ path, err: error }, 'objects of another server cannot be followed');
      }
      await this.#rest();
    }
  }

  async #list(path: string): Promise<string> {
    const gone = new Map(this.#shown);
    let version = '';
    for await (const { items, metadata } of this.#context.client.pages(path)) {
      for (const { metadata: one } of items) {
        const change = this.#changeOf(one);
        if (change === undefined) continue;
        gone.delete(pathOf(this.resource, change));
        this.#tell(change);
      }
      version = metadata.resourceVersion;
    }
    for (const change of gone.values()) this.#tell({ ...change, json: undefined });
    return version;
  }

  async #watch(path: string, from: string): Promise<void> {
    const { signal } = this.#stop;
    for await (const event of this.#context.client.watch(path, from, signal)) {
      if (event.type === 'ERROR') return;
      this.#waitMs = firstWaitMs;
      this.#onEvent(event);
    }
  }

  #onEvent({ type, object }: WatchEvent): void {
    const change = type === 'BOOKMARK' ? undefined : this.#changeOf(object?.metadata);
    if (change !== undefined) this.#tell(type === 'DELETED' ? { ...change, json: undefined } : change);
  }

  #tell(change: StoredChange): void {
    if (this.#stop.signal.aborted) return;
    const path = pathOf(this.resource, change);
    if (change.json === undefined) this.#shown.delete(path);
    else if (this.#shown.size >= maxObjects && !this.#shown.has(path)) throw new Error('too many objects');
    // where it is is enough to tell that it is gone
    else this.#shown.set(path, { ...change, json: undefined });
    this.#take(change);
  }

  /** Undefined for what cannot be an object of this kind. */
  #changeOf(given: ObjectMeta | undefined): StoredChange | undefined {
    const { name, namespace = '', uid, resourceVersion } = given ?? {};
    const { resource } = this;
    if (typeof name !== 'string' || !plainName.test(name) || /^\.+$/.test(name) || typeof uid !== 'string')
      return undefined;
    if (resource.namespaced ? !plainNamespace.test(String(namespace)) : namespace !== '') return undefined;
    const revision = /^\d{1,15}$/.test(String(resourceVersion)) ? Number(resourceVersion) : Number.NaN;
    const json = Buffer.from(JSON.stringify({ metadata: plain({ ...given, uid, name }) }));
    return { resource, namespace, name, revision, json };
  }

  /** Before the next attempt: longer each time, until something was heard. */
  #rest(): Promise<void> {
    if (this.#stop.signal.aborted) return Promise.resolve();
    const ms = this.#waitMs;
    this.#waitMs = Math.min(2 * ms, maxWaitMs);
    return new Promise((resolve) => {
      const timer = this.#context.clock.after(ms, () => resolve());
      this.#wake = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.slice(0, maxOwners).filter((one) => typeof one === 'string') : [];

/** What the graph needs, in the form that it has in the store. */
function plain({ uid, deletionTimestamp, finalizers, ownerReferences }: ObjectMeta): ObjectMeta {
  const owners = Array.isArray(ownerReferences) ? ownerReferences.slice(0, maxOwners).filter(isReference) : [];
  const names = texts(finalizers);
  return {
    ...(uid === undefined ? {} : { uid }),
    ...(typeof deletionTimestamp === 'string' ? { deletionTimestamp } : {}),
    ...(names.length === 0 ? {} : { finalizers: names }),
    ...(owners.length === 0 ? {} : { ownerReferences: owners }),
  };
}

function isReference(given: unknown): given is OwnerReference {
  if (typeof given !== 'object' || given === null) return false;
  const { apiVersion, kind, name, uid } = given as Partial<OwnerReference>;
  return [apiVersion, kind, name, uid].every((one) => typeof one === 'string');
}
