// Objects of one resource as controllers see them: parsed once, kept by namespace and by controller, up to date with what
// the controllers themselves wrote.

import type { ControllerContext } from '../controllers/controller.ts';
import { type ObjectFeed, objectOf, only, type StoredChange } from '../controllers/object-feed.ts';
import type { ApiObject, ObjectMeta } from '../meta/object.ts';

interface CacheListener<T extends ApiObject> {
  /** Called for created, changed and deleted objects, after the first list. */
  onChange?(current: T | undefined, previous: T | undefined): void;
  /** Every object is in the cache. */
  onSynced?(): void;
}

/** `namespace/name`, or the name of an object that is in no namespace. */
export function keyOf({ metadata: { namespace = '', name = '' } }: ApiObject): string {
  return namespace === '' ? name : `${namespace}/${name}`;
}

export class ObjectCache<T extends ApiObject> {
  readonly #objects = new Map<string, T>();
  readonly #byNamespace = new Map<string, Map<string, T>>();
  /** By the uid of the controller; objects without one by their namespace. */
  readonly #byController = new Map<string, Map<string, T>>();
  /** By the node that a pod is bound to. */
  readonly #byNode = new Map<string, Map<string, T>>();
  readonly #listeners: CacheListener<T>[] = [];
  /** The newest revision that the feed has reported. */
  #revision = 0;
  #isSynced = false;

  subscribe(listener: CacheListener<T>): void {
    this.#listeners.push(listener);
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  all(): Iterable<T> {
    return this.#objects.values();
  }

  inNamespace(namespace: string): Iterable<T> {
    return this.#byNamespace.get(namespace)?.values() ?? [];
  }

  /** Objects whose controller has this uid. */
  controlledBy(uid: string): Iterable<T> {
    return this.#byController.get(uid)?.values() ?? [];
  }

  /** Objects of a namespace that have no controller. */
  orphansIn(namespace: string): Iterable<T> {
    return this.#byController.get(orphansKey(namespace))?.values() ?? [];
  }

  /** Pods that are bound to a node. */
  onNode(name: string): Iterable<T> {
    return this.#byNode.get(name)?.values() ?? [];
  }

  /** The answer to a write of a controller, which the feed reports later. */
  put(written: ApiObject): void {
    const revision = Number(written.metadata.resourceVersion);
    if (revision > this.#revision) this.#set(keyOf(written), lean(written as T, revision));
  }

  /** A change of metadata that the server accepted, which the feed reports later. */
  amend(object: T, change: Partial<ObjectMeta>): void {
    const key = keyOf(object);
    const current = this.#objects.get(key);
    if (current === undefined || current.metadata.uid !== object.metadata.uid) return;
    this.#set(key, { ...current, metadata: { ...current.metadata, ...change } } as T);
  }

  /** A change that the feed reports. */
  onChange({ namespace, name, json, revision }: StoredChange): void {
    this.#revision = Math.max(this.#revision, revision);
    const key = namespace === '' ? name : `${namespace}/${name}`;
    if (json === undefined) {
      this.#delete(key);
      return;
    }
    const current = this.#objects.get(key);
    if (current !== undefined && revisionOf(current) >= revision) return;
    const object = objectOf<T>(json);
    if (object !== undefined) this.#set(key, lean(object, revision));
  }

  onSynced(): void {
    this.#isSynced = true;
    for (const listener of this.#listeners) listener.onSynced?.();
  }

  onRestart(): void {
    this.#isSynced = false;
    this.#revision = 0;
    for (const map of [this.#objects, this.#byNamespace, this.#byController, this.#byNode]) map.clear();
  }

  #set(key: string, object: T): void {
    const previous = this.#objects.get(key);
    if (previous !== undefined) this.#unindex(key, previous);
    this.#objects.set(key, object);
    const { namespace = '' } = object.metadata;
    addTo(this.#byNamespace, namespace, key, object);
    addTo(this.#byController, controllerKey(object), key, object);
    const node = nodeOf(object);
    if (node) addTo(this.#byNode, node, key, object);
    this.#notify(object, previous);
  }

  #delete(key: string): void {
    const previous = this.#objects.get(key);
    if (previous === undefined) return;
    this.#objects.delete(key);
    this.#unindex(key, previous);
    this.#notify(undefined, previous);
  }

  #unindex(key: string, object: T): void {
    removeFrom(this.#byNamespace, object.metadata.namespace ?? '', key);
    removeFrom(this.#byController, controllerKey(object), key);
    removeFrom(this.#byNode, nodeOf(object) ?? '', key);
  }

  #notify(current: T | undefined, previous: T | undefined): void {
    if (!this.#isSynced) return;
    for (const listener of this.#listeners) listener.onChange?.(current, previous);
  }
}

const revisionOf = ({ metadata }: ApiObject): number => Number(metadata.resourceVersion);

/** Managers of fields are often most of an object, and a write without them changes none. */
function lean<T extends ApiObject>(object: T, revision: number): T {
  const { managedFields: _, ...metadata } = object.metadata as ObjectMeta;
  return { ...object, metadata: { ...metadata, resourceVersion: String(revision) } };
}

const orphansKey = (namespace: string): string => `orphans in ${namespace}`;

function controllerKey({ metadata: { ownerReferences = [], namespace = '' } }: ApiObject): string {
  return ownerReferences.find(({ controller }) => controller === true)?.uid ?? orphansKey(namespace);
}

const nodeOf = (object: ApiObject & { readonly spec?: { readonly nodeName?: string } }): string | undefined =>
  object.spec?.nodeName;

function addTo<T>(index: Map<string, Map<string, T>>, at: string, key: string, object: T): void {
  const objects = index.get(at);
  if (objects === undefined) index.set(at, new Map([[key, object]]));
  else objects.set(key, object);
}

function removeFrom<T>(index: Map<string, Map<string, T>>, at: string, key: string): void {
  const objects = index.get(at);
  objects?.delete(key);
  if (objects?.size === 0) index.delete(at);
}

/** The caches of the controllers that share a feed. */
const caches = new WeakMap<ObjectFeed, Map<string, ObjectCache<ApiObject>>>();

/** The cache of a resource, shared by all controllers of a feed. To be requested before the feed starts. */
export function cacheOf<T extends ApiObject>(
  { feed }: ControllerContext,
  group: string,
  plural: string,
): ObjectCache<T> {
  const ofFeed = caches.get(feed) ?? new Map<string, ObjectCache<ApiObject>>();
  caches.set(feed, ofFeed);
  const id = `${group}/${plural}`;
  const existing = ofFeed.get(id) as ObjectCache<T> | undefined;
  if (existing !== undefined) return existing;
  const cache = new ObjectCache<T>();
  ofFeed.set(id, cache as unknown as ObjectCache<ApiObject>);
  feed.subscribe({
    wants: only(group, plural),
    onChange: (change) => cache.onChange(change),
    onSynced: () => cache.onSynced(),
    onRestart: () => cache.onRestart(),
  });
  return cache;
}
