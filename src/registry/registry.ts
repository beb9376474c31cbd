// Where the objects of one resource live: its keys, its cache, and the way errors speak of it. The verbs beside
// this file work on it.

import type { Clock } from '../base/clock.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { ReadAt } from '../meta/revision.ts';
import {
  type ErrorSubject,
  type FieldError,
  invalid,
  notFound,
  plainError,
  serviceUnavailable,
  tooLargeResourceVersion,
} from '../meta/status.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { ResourceDefinition, Strategy, StrategyContext } from '../schema/resource.ts';
import { WatchCache } from '../storage/cache/watch-cache.ts';
import {
  type CommitResult,
  type Store,
  type StoredEntry,
  StoreUnavailableError,
  type Write,
} from '../storage/store.ts';
import { encodeForStorage, StoredObject } from './stored-object.ts';
import { headOf, type KindVersions } from './versions.ts';

export interface RegistryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Containers that may do everything on their node are not let in. */
  readonly refusesPrivileged?: boolean;
  /** Fresh UIDs. */
  readonly newUid: () => string;
}

/** How long a read waits for a revision the server has not seen yet. */
const freshnessWaitMs = 3000;

export class Registry {
  readonly definition: ResourceDefinition;
  readonly store: Store;
  readonly clock: Clock;
  readonly newUid: () => string;
  readonly cache: WatchCache<StoredObject>;
  readonly strategy: Strategy;
  readonly context: StrategyContext;
  /** Below this the objects of the resource are stored; ends with a separator. */
  readonly prefix: string;

  readonly #versions: KindVersions;
  readonly #head: Buffer;

  constructor(definition: ResourceDefinition, versions: KindVersions, options: RegistryOptions) {
    this.definition = definition;
    this.#versions = versions;
    this.#head = headOf(definition);
    this.store = options.store;
    this.clock = options.clock;
    this.newUid = options.newUid;
    this.strategy = definition.strategy ?? {};
    const { dialect, clock, refusesPrivileged = false } = options;
    this.context = { dialect, clock, refusesPrivileged };
    this.prefix = `/${definition.storagePrefix}/`;
    this.cache = new WatchCache({
      store: options.store,
      clock: options.clock,
      prefix: this.prefix,
      materialize: (entry) => this.stored(entry),
      sizeOf: (stored) => stored.bytes.length,
    });
  }

  /** Names were validated before they got here: they hold no separator. */
  key({ namespace, name }: ObjectRef): string {
    return this.definition.namespaced ? `${this.prefix}${namespace}/${name}` : this.prefix + name;
  }

  /** Prefix of all keys in a namespace, or of all keys when it is empty. */
  scope(namespace: string): string {
    return this.definition.namespaced && namespace !== '' ? `${this.prefix}${namespace}/` : this.prefix;
  }

  subject(name: string): ErrorSubject {
    return { group: this.definition.group, resource: this.definition.plural, name };
  }

  /** Waits until the cache is as fresh as a read demands. */
  fresh(at: ReadAt): MaybePromise<void> {
    return speaking(() => this.#fresh(at));
  }

  /** The newest entry, from the store itself. */
  read(key: string): MaybePromise<StoredEntry | undefined> {
    return speaking(() => this.store.get(key));
  }

  #fresh(at: ReadAt): MaybePromise<void> {
    switch (at.mode) {
      case 'any':
        return this.cache.started();
      case 'latest':
        return andThen(this.cache.latest(freshnessWaitMs), (reached) => {
          if (!reached) throw serviceUnavailable('the newest state of the store is not available');
        });
      case 'exact':
      case 'notOlderThan':
        return andThen(this.cache.started(), () =>
          andThen(this.cache.reached(at.revision, freshnessWaitMs), (reached) => {
            if (!reached) throw tooLargeResourceVersion(at.revision, this.cache.revision);
          }),
        );
    }
  }

  get(ref: ObjectRef, at: ReadAt): MaybePromise<StoredObject> {
    return andThen(this.fresh(at), () => {
      const found = this.cache.get(this.key(ref));
      if (found === undefined) throw notFound(this.subject(ref.name));
      return found;
    });
  }

  /** Throws a 422 that lists every finding. */
  refuse(name: string, errors: readonly FieldError[]): void {
    if (errors.length > 0) throw invalid({ group: this.definition.group, kind: this.definition.kind, name }, errors);
  }

  /** The bytes to store for an object, fields in declared order. */
  encode(object: ApiObject): Uint8Array {
    const { type } = this.#versions.stored;
    return encodeForStorage(inDeclaredOrder(type, this.#versions.toStored(object)) as ApiObject);
  }

  /** What the store keeps, as this version has it. */
  stored(entry: StoredEntry): StoredObject {
    return new StoredObject(this.definition, { ...entry, value: this.#inOwnVersion(entry.value) });
  }

  /** The same for an object that was not stored, and so has no version to show. */
  preview(entry: StoredEntry): StoredObject {
    return StoredObject.unversioned(this.definition, { ...entry, value: this.#inOwnVersion(entry.value) });
  }

  #inOwnVersion(value: Uint8Array): Uint8Array {
    const head = this.#head;
    if (value.length > head.length && head.compare(value, 0, head.length) === 0) return value;
    const object = JSON.parse(Buffer.from(value).toString()) as ApiObject;
    return encodeForStorage(this.#versions.convert(object, this.definition));
  }

  async commit(write: Write): Promise<CommitResult> {
    return speaking(() => this.store.commit(write));
  }

  /** The object a commit made. Local caches hold it already. */
  committed(
    write: Write & { readonly value: Uint8Array },
    result: { readonly revision: StoredObject['revision'] },
  ): StoredObject {
    const cached = this.cache.get(write.key);
    if (cached?.revision === result.revision) return cached;
    return this.stored({ key: write.key, value: write.value, revision: result.revision });
  }

  /** compat: a resourceVersion that is no number is a bare 500. */
  invalidResourceVersion(text: string): Error {
    return plainError(
      `Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
}

/** A store that cannot be reached is a 503. */
function speaking<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = work();
    return isPromise(result) ? result.catch(translate) : result;
  } catch (error) {
    return translate(error);
  }
}

function translate(error: unknown): never {
  if (error instanceof StoreUnavailableError) throw serviceUnavailable(error.message, error);
  throw error;
}
