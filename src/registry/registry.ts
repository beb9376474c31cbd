// Where the objects of one resource live: its keys, its cache, and the way errors speak of it. The verbs beside
// this file work on it.

import type { Clock } from '../base/clock.ts';
import { parseJsonText } from '../base/json-scan.ts';
import { andThen, isPromise, type MaybePromise } from '../base/maybe-promise.ts';
import { TransientMap } from '../base/transient-map.ts';
import { Turns } from '../base/turns.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { ReadAt, Revision } from '../meta/revision.ts';
import {
  type ErrorSubject,
  type FieldError,
  invalid,
  notFound,
  plainError,
  serviceUnavailable,
  storageReadError,
  timeout,
  tooLargeResourceVersion,
} from '../meta/status.ts';
import type { UserInfo } from '../meta/user.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type {
  AllocationCall,
  ObjectAccess,
  ResourceDefinition,
  Strategy,
  StrategyContext,
} from '../schema/resource.ts';
import { WatchCache } from '../storage/cache/watch-cache.ts';
import {
  type CommitResult,
  type Store,
  type StoredEntry,
  StoreUnavailableError,
  UncertainWriteError,
  type Write,
} from '../storage/store.ts';
import { Draft } from './draft.ts';
import { RecentObjects } from './recent-objects.ts';
import { storedRecords } from './records.ts';
import { indexed } from './selection.ts';
import { StoredObject } from './stored-object.ts';
import { canonicalValue, UnreadableValueError } from './stored-value.ts';
import { headOf, type KindVersions } from './versions.ts';

export interface RegistryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Containers that may do everything on their node are not let in. */
  readonly refusesPrivileged?: boolean;
  /** Fresh UIDs. */
  readonly newUid: () => string;
  /** How long objects live whose resource says that they end by themselves, in seconds. */
  readonly expirySeconds: number;
  /** Hears of stored values that cannot be read. */
  readonly onUnreadable: (key: string, why: string) => void;
  /** Objects of every kind, for kinds that reserve something beyond their own object. */
  readonly objects: () => ObjectAccess;
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
  /** Changes of one object made here follow each other: two at once would only make one of them start again. */
  readonly turns = new Turns();
  /** Below this the objects of the resource are stored; ends with a separator. */
  readonly prefix: string;
  readonly #expirySeconds: number | undefined;
  readonly #onUnreadable: RegistryOptions['onUnreadable'];
  /** Values on their way from here to the store, by key: there is no need to look whether they can be read. */
  readonly #underway = new TransientMap<string, Uint8Array>();
  /** Keys whose value could not be read when it was last looked at, and why. */
  readonly #unreadable = new Map<string, string>();

  readonly #recent = new RecentObjects();

  readonly versions: KindVersions;
  readonly #head: Buffer;
  readonly #objects: () => ObjectAccess;

  constructor(definition: ResourceDefinition, versions: KindVersions, options: RegistryOptions) {
    this.definition = definition;
    this.versions = versions;
    this.#head = headOf(definition);
    this.store = options.store;
    this.clock = options.clock;
    this.newUid = options.newUid;
    this.#objects = options.objects;
    this.strategy = definition.strategy ?? {};
    const { dialect, clock, refusesPrivileged = false } = options;
    this.context = { dialect, clock, refusesPrivileged };
    this.prefix = `/${definition.storagePrefix}/`;
    this.#expirySeconds = definition.expires ? options.expirySeconds : undefined;
    this.#onUnreadable = options.onUnreadable;
    this.cache = new WatchCache({
      store: options.store,
      clock: options.clock,
      prefix: this.prefix,
      materialize: (entry) => this.materialize(entry),
      sizeOf: (stored) => stored.bytes.length,
      indexed,
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

  /** compat: errors name the group that a kind is stored in, whichever version was asked. */
  subject(name: string): ErrorSubject {
    return { group: this.versions.stored.group, resource: this.definition.plural, name };
  }

  /** What an allocator may use. */
  allocationCall(dryRun: boolean): AllocationCall {
    return { ...this.context, objects: this.#objects(), records: storedRecords(this.store), dryRun };
  }

  /** What the rules of the kind may look at when somebody in particular writes. */
  contextFor(user: UserInfo | undefined): StrategyContext {
    if (user === undefined) return this.context;
    const { dialect, clock, refusesPrivileged = false } = this.context;
    // one by one: a field that is added to a copy takes V8 many times as long
    const all: Required<StrategyContext> = { dialect, clock, refusesPrivileged, user };
    return all;
  }

  /** Waits until the cache is as fresh as a read demands. */
  fresh(at: ReadAt): MaybePromise<void> {
    return andThen(this.caughtUp(at), demandFresh);
  }

  /** The same, but says so when the cache cannot show the latest state in time, and the store itself has to be asked. */
  caughtUp(at: ReadAt): MaybePromise<boolean> {
    return speaking(() => this.#caughtUp(at));
  }

  /** The newest entry, from the store itself. */
  read(key: string): MaybePromise<StoredEntry | undefined> {
    return speaking(() => this.store.get(key));
  }

  #caughtUp(at: ReadAt): MaybePromise<boolean> {
    switch (at.mode) {
      case 'any':
        return andThen(this.cache.started(), () => true);
      case 'latest':
        return this.cache.latest(freshnessWaitMs);
      case 'exact':
      case 'notOlderThan':
        return andThen(this.cache.started(), () =>
          andThen(this.cache.reached(at.revision, freshnessWaitMs), (reached) => {
            if (!reached) throw tooLargeResourceVersion(at.revision, this.cache.revision);
            return true;
          }),
        );
    }
  }

  get(ref: ObjectRef, at: ReadAt): MaybePromise<StoredObject> {
    const key = this.key(ref);
    const found = andThen(this.caughtUp(at), (isFresh) => (isFresh ? this.cache.get(key) : this.#readObject(key)));
    return andThen(found, (stored) => stored ?? this.missing(ref));
  }

  async #readObject(key: string): Promise<StoredObject | undefined> {
    const entry = await this.read(key);
    return entry && this.materialize(entry);
  }

  /** Undefined for a value that cannot be read: it is reported, and then treated as if it were not there. */
  materialize(entry: StoredEntry): StoredObject | undefined {
    if (this.#underway.get(entry.key) === entry.value) return this.stored(entry);
    try {
      const value = canonicalValue(this.definition, this.versions, entry.value);
      if (this.#unreadable.size > 0) this.#unreadable.delete(entry.key);
      return new StoredObject(this.definition, { ...entry, value });
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error;
      if (!this.#unreadable.has(entry.key)) this.#onUnreadable(entry.key, error.message);
      this.#unreadable.set(entry.key, error.message);
      return undefined;
    }
  }

  /** Throws what is true of an object that the cache does not have: a 500 when it cannot be read, otherwise a 404. */
  missing(ref: ObjectRef): MaybePromise<never> {
    const why = this.#unreadable.get(this.key(ref));
    if (why === undefined) throw notFound(this.subject(ref.name));
    return this.unreadable(ref).then((entry) => {
      if (entry === undefined) throw notFound(this.subject(ref.name));
      throw storageReadError(this.subject(ref.name), [`${JSON.stringify(ref.name)}: ${why}`]);
    });
  }

  /** The entry of an object that is there and cannot be read. */
  async unreadable(ref: ObjectRef): Promise<StoredEntry | undefined> {
    const key = this.key(ref);
    if (!this.#unreadable.has(key) || this.cache.get(key) !== undefined) return undefined;
    const entry = await this.read(key);
    if (entry === undefined) this.#unreadable.delete(key);
    return entry;
  }

  /** Whether there may be objects that cannot be read. */
  get hasUnreadable(): boolean {
    return this.#unreadable.size > 0;
  }

  /** Names of the objects in a namespace, or in all, that are there and cannot be read; namespaced names with a slash. */
  async unreadableNames(namespace: string): Promise<string[]> {
    const names: string[] = [];
    for (const key of [...this.#unreadable.keys()]) {
      if (!key.startsWith(this.scope(namespace))) continue;
      const rest = key.slice(this.prefix.length);
      const at = this.definition.namespaced ? rest.indexOf('/') : -1;
      if (await this.unreadable({ namespace: rest.slice(0, Math.max(0, at)), name: rest.slice(at + 1) }))
        names.push(rest);
    }
    return names.sort();
  }

  /** Throws a 422 that lists every finding. */
  refuse(name: string, errors: readonly FieldError[]): void {
    if (errors.length > 0)
      throw invalid({ group: this.versions.stored.group, kind: this.definition.kind, name }, errors);
  }

  /** What a write would store: the object in the version that is stored, fields in declared order. `old` is the one it was made from. */
  draft(object: ApiObject, old?: ApiObject): Draft {
    const { stored } = this.versions;
    const known = this.definition === stored ? old : undefined;
    return new Draft(inDeclaredOrder(stored.type, this.versions.toStored(object), known) as ApiObject);
  }

  /** A stored object as plain values, for reading only. */
  decoded(stored: StoredObject): ApiObject {
    return this.#recent.find(stored.key, stored.revision) ?? stored.parse();
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
    const object = parseJsonText(Buffer.from(value).toString()) as unknown as ApiObject;
    return new Draft(this.versions.convert(object, this.definition)).value;
  }

  async commit(write: Write): Promise<CommitResult> {
    const { key, value } = write;
    const ttlSeconds = value === undefined ? undefined : this.#expirySeconds;
    if (value !== undefined) this.#underway.set(key, value);
    try {
      return await this.store.commit(ttlSeconds === undefined ? write : { ...write, ttlSeconds });
    } catch (error) {
      return translate(error);
    } finally {
      if (this.#underway.get(key) === value) this.#underway.delete(key);
    }
  }

  /** The object that a commit made of a draft. Local caches hold it already. */
  committed(draft: Draft, key: string, revision: Revision): StoredObject {
    if (this.definition === this.versions.stored)
      this.#recent.keep(key, revision, draft.at(revision), draft.value.length);
    const cached = this.cache.get(key);
    return cached?.revision === revision ? cached : this.stored({ key, value: draft.value, revision });
  }

  /** compat: a resourceVersion that is no number is a bare 500. */
  invalidResourceVersion(text: string): Error {
    return plainError(
      `Invalid value: ${JSON.stringify(text)}: strconv.ParseUint: parsing ${JSON.stringify(text)}: invalid syntax`,
    );
  }
}

function demandFresh(isFresh: boolean): void {
  if (!isFresh) throw serviceUnavailable('the newest state of the store is not available');
}

/** A store that cannot be reached is a 503, a write that may have happened a 504: it is not for clients to repeat blindly. */
export function speaking<T>(work: () => MaybePromise<T>): MaybePromise<T> {
  try {
    const result = work();
    return isPromise(result) ? result.catch(translate) : result;
  } catch (error) {
    return translate(error);
  }
}

function translate(error: unknown): never {
  if (error instanceof UncertainWriteError) throw timeout(error.message);
  if (error instanceof StoreUnavailableError) throw serviceUnavailable(error.message, error);
  throw error;
}
