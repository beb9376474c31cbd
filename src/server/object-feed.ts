// The feed of the controllers, over the whole store: a scan in the background, then one watch.

import type { Clock } from '../base/time/clock.ts';
import { yieldToRequests } from '../base/time/turns.ts';
import type { KindLookup } from '../controllers/controller.ts';
import type { FeedListener, ObjectFeed, StoredChange, StoredResource } from '../controllers/object-feed.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { Revision } from '../meta/revision.ts';
import type { Resources } from '../registry/resources.ts';
import type { GroupVersionDefinition, ResourceDefinition } from '../schema/resource.ts';
import type { Store, StoredEntry, StoreWatch } from '../storage/store.ts';

interface FeedOptions {
  readonly store: Store;
  readonly resources: Resources;
  readonly clock: Clock;
  onError(error: unknown): void;
}

/** Entries looked at between two chances for others. */
const pageSize = 50;
const restartMs = 1000;

export class StoreFeed implements ObjectFeed {
  readonly #options: FeedOptions;
  readonly #listeners: FeedListener[] = [];
  readonly #kinds: StoredKinds;
  readonly #changes: { close(): void };
  /** Who wants to hear of a resource. */
  #interested = new WeakMap<StoredResource, readonly FeedListener[]>();
  /** Prefixes whose objects were shown. */
  #known = new Set<string>();
  #watch: StoreWatch | undefined;
  #running: Promise<void> | undefined;
  #closed = false;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.#kinds = new StoredKinds(options.resources);
    this.#changes = options.resources.onChange(() => this.#showNewKinds());
  }

  get kinds(): KindLookup {
    return this.#kinds;
  }

  /** Everything was told, and changes are as they come. */
  get isFollowing(): boolean {
    return this.#watch !== undefined || this.#listeners.length === 0;
  }

  subscribe(listener: FeedListener): void {
    this.#listeners.push(listener);
    this.#interested = new WeakMap();
  }

  start(): void {
    if (this.#closed || this.#listeners.length === 0) return;
    this.#running ??= this.#run();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#changes.close();
    this.#watch?.close();
    await this.#running;
  }

  async #run(): Promise<void> {
    try {
      // what is served from now on is scanned apart
      this.#known = new Set(this.#kinds.prefixes());
      const at = await this.#scan('/');
      if (this.#closed) return;
      this.#notify(this.#listeners, (listener) => listener.onSynced?.());
      this.#follow(at);
    } catch (error) {
      this.#restart(error);
    }
  }

  async #scan(prefix: string): Promise<Revision> {
    const { store } = this.#options;
    let page = await store.list({ prefix, limit: pageSize });
    const at = page.revision;
    while (!this.#closed) {
      for (const entry of page.entries) this.#notifyListeners(entry);
      const last = page.entries.at(-1);
      if (!page.more || last === undefined) break;
      await yieldToRequests();
      page = await store.list({ prefix, limit: pageSize, after: last.key, at });
    }
    return at;
  }

  #follow(after: Revision): void {
    this.#watch = this.#options.store.watch(
      { prefix: '/', after },
      {
        onEvents: (events) => {
          for (const event of events) this.#notifyListeners(event);
        },
        onProgress: () => {},
        onEnd: (reason) => {
          if (!this.#closed) this.#restart(reason === 'gone' ? undefined : reason);
        },
      },
    );
  }

  /** Objects may be older than the definition of their kind. */
  #showNewKinds(): void {
    if (this.#running === undefined || this.#closed) return;
    const prefixes = this.#kinds.prefixes();
    const fresh = prefixes.filter((prefix) => !this.#known.has(prefix));
    this.#known = new Set(prefixes);
    if (fresh.length === 0) return;
    const scans = fresh.map((prefix) => this.#scan(`/${prefix}/`));
    this.#running = Promise.all([this.#running, ...scans]).then(() => {}, this.#options.onError);
  }

  #restart(error: unknown): void {
    if (this.#closed) return;
    this.#watch = undefined;
    if (error !== undefined && error !== 'closed') this.#options.onError(error);
    this.#options.clock.after(restartMs, () => {
      if (this.#closed) return;
      this.#notify(this.#listeners, (listener) => listener.onRestart?.());
      this.#running = this.#run();
    });
  }

  #notifyListeners({
    key,
    value,
    revision,
  }: Omit<StoredEntry, 'value'> & { readonly value: Uint8Array | undefined }): void {
    const where = this.#kinds.locate(key);
    if (where === undefined) return;
    const { resource, namespace, name } = where;
    const change: StoredChange = { resource, namespace, name, revision, json: value };
    this.#notify(this.#listenersOf(where.resource), (listener) => listener.onChange(change));
  }

  /** What one of them throws ends nothing but this call. */
  #notify(listeners: readonly FeedListener[], call: (listener: FeedListener) => void): void {
    try {
      for (const listener of listeners) if (!this.#closed) call(listener);
    } catch (error) {
      this.#options.onError(error);
    }
  }

  /** Asked once a resource: this is on the way of every write. */
  #listenersOf(resource: StoredResource): readonly FeedListener[] {
    let listeners = this.#interested.get(resource);
    if (listeners === undefined) {
      listeners = this.#listeners.filter(({ wants }) => wants === undefined || wants(resource));
      this.#interested.set(resource, listeners);
    }
    return listeners;
  }
}

/** What is served, by key and by kind; read again where it has changed. */
class StoredKinds implements KindLookup {
  readonly #resources: Resources;
  readonly #byPrefix = new Map<string, ResourceDefinition>();
  readonly #byKind = new Map<string, ResourceDefinition>();
  #read: readonly GroupVersionDefinition[] | undefined;

  constructor(resources: Resources) {
    this.#resources = resources;
  }

  byKind(apiVersion: string, kind: string): StoredResource | undefined {
    this.#refresh();
    return this.#byKind.get(`${apiVersion} ${kind}`);
  }

  byPlural(group: string, plural: string): StoredResource | undefined {
    this.#refresh();
    for (const definition of this.#byPrefix.values())
      if (definition.group === group && definition.plural === plural) return definition;
    return undefined;
  }

  prefixes(): string[] {
    this.#refresh();
    return [...this.#byPrefix.keys()];
  }

  /** `/pods/default/a` is an object in a namespace, `/nodes/a` is not. */
  locate(key: string): { resource: StoredResource; namespace: string; name: string } | undefined {
    this.#refresh();
    const end = key.lastIndexOf('/');
    const middle = key.lastIndexOf('/', end - 1);
    const name = key.slice(end + 1);
    const inNamespace = middle > 0 ? this.#byPrefix.get(key.slice(1, middle)) : undefined;
    if (inNamespace?.namespaced) return { resource: inNamespace, namespace: key.slice(middle + 1, end), name };
    const resource = this.#byPrefix.get(key.slice(1, end));
    return resource === undefined || resource.namespaced ? undefined : { resource, namespace: '', name };
  }

  #refresh(): void {
    const { groupVersions } = this.#resources;
    if (this.#read === groupVersions) return;
    this.#read = groupVersions;
    this.#byPrefix.clear();
    this.#byKind.clear();
    // the first version in discovery order is the one that clients prefer
    for (const { resources } of groupVersions) for (const definition of resources) this.#add(definition);
  }

  #add(definition: ResourceDefinition): void {
    if (definition.action !== undefined) return;
    this.#byKind.set(`${formatApiVersion(definition)} ${definition.kind}`, definition);
    if (!this.#byPrefix.has(definition.storagePrefix)) this.#byPrefix.set(definition.storagePrefix, definition);
  }
}
