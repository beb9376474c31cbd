// The objects of one resource in one version: its keys, its rules, and the way errors speak of it. What is stored belongs to
// the kind and is shared by its versions. The verbs next to this file work on it.

import type { JsonObject } from '../base/json/json.ts';
import type { KeyedMutex } from '../base/keyed-mutex.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Clock } from '../base/time/clock.ts';
import { RuleTimes } from '../base/time/rule-times.ts';
import type { Dialect } from '../meta/dialect.ts';
import { type EffectiveVersions, ownVersions } from '../meta/effective-versions.ts';
import { checkPathSegment } from '../meta/names.ts';
import type { ApiObject, ObjectRef } from '../meta/object.ts';
import type { RequestLife } from '../meta/request-life.ts';
import type { RequestNotes } from '../meta/request-notes.ts';
import type { ReadAt, Revision } from '../meta/revision.ts';
import {
  badRequest,
  type ErrorSubject,
  type FieldError,
  invalid,
  notFound,
  plainError,
  serviceUnavailable,
  storageReadError,
  tooLargeResourceVersion,
} from '../meta/status.ts';
import type { AllocationCall, AllocationReport } from '../schema/allocator.ts';
import type { ObjectAccess } from '../schema/object-access.ts';
import { lacksDefaults } from '../schema/object-type.ts';
import { OffFields } from '../schema/off-fields.ts';
import { inDeclaredOrder } from '../schema/order.ts';
import type { PartSubresource, WriteCount } from '../schema/part-subresource.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { Strategy, StrategyContext } from '../schema/strategy.ts';
import { DefaultsTooLargeError } from '../schema/structural/defaults-budget.ts';
import type { WatchCache } from '../storage/cache/watch-cache.ts';
import type { CommitResult, Store, StoredEntry, Write } from '../storage/store.ts';
import { goQuoted } from '../wording/go-format.ts';
import { EncodedObject } from './encoded-object.ts';
import { notedCommit } from './noted-commit.ts';
import { storedRecords } from './records.ts';
import { translateStoreErrors } from './store-errors.ts';
import type { StoredKind } from './stored-kind.ts';
import { StoredObject } from './stored-object.ts';
import { VersionView } from './version-view.ts';
import type { KindVersions } from './versions.ts';
import type { WatchCounts } from './watch-counts.ts';
import type { WriteOptions } from './write-options.ts';

export interface RegistryOptions {
  readonly store: Store;
  readonly clock: Clock;
  readonly dialect: Dialect;
  /** Containers that may do everything on their node are not let in. */
  readonly refusesPrivileged?: boolean;
  /** Nothing collects what is left of deleted owners. */
  readonly ignoresDependents?: boolean;
  /** Releases that the server behaves like; its own where they are not given. */
  readonly versions?: EffectiveVersions;
  /** Fields that clients cannot set; those of every feature that is off where they are not given. */
  readonly offFields?: OffFields;
  /** Hears how long rules took. */
  readonly ruleTimes?: RuleTimes;
  /** Bytes of texts that caches keep next to what is in the store's mapping; 32 MiB when not given. */
  readonly hotTextBytes?: number;
  /** Fresh UIDs. */
  readonly newUid: () => string;
  /** How long objects live whose resource says that they end by themselves, in seconds. */
  readonly expirySeconds: number;
  /** Hears of stored values that cannot be read. */
  readonly onUnreadable: (key: string, why: string) => void;
  /** Hears of each cache that was filled. */
  readonly onCacheFilled?: (prefix: string, objects: number, ms: number) => void;
  /** Hears of addresses that services got. */
  readonly onAllocation?: (tried: AllocationReport) => void;
  /** Hears of what kinds have counted of writes that were stored. */
  readonly onCounted?: (write: WriteCount) => void;
  /** Objects of every kind, for kinds that reserve something beyond their own object. */
  readonly objects: () => ObjectAccess;
}

/** How long a read waits for a revision the server has not seen yet. */
const freshnessWaitMs = 3000;

/** Objects that an error names. */
const maxNamedFlaws = 10;

/** What becomes of a registry: another one for a newer definition takes its place, or the resource is gone. */
type Retirement = (successor: Registry | undefined) => void;

interface OneRequest {
  readonly request: RequestLife;
  readonly view: VersionView;
}

const withoutGates = new OffFields();

export class Registry {
  readonly definition: ResourceDefinition;
  readonly kind: StoredKind;
  readonly clock: Clock;
  readonly newUid: () => string;
  readonly strategy: Strategy;
  readonly offFields: OffFields;
  readonly context: StrategyContext;
  /** Stored objects as this version has them. */
  readonly view: VersionView;
  /** For metrics; undefined while there were no watches. */
  watchCounts: WatchCounts | undefined;
  readonly #expirySeconds: number | undefined;
  readonly #objects: () => ObjectAccess;
  readonly #options: RegistryOptions;
  readonly #during: RequestLife | undefined;
  readonly #onRetired = new Set<Retirement>();

  constructor(definition: ResourceDefinition, kind: StoredKind, options: RegistryOptions, during?: OneRequest) {
    this.definition = definition;
    this.kind = kind;
    this.#options = options;
    this.#during = during?.request;
    this.clock = options.clock;
    this.newUid = options.newUid;
    this.#objects = options.objects;
    this.strategy = definition.strategy ?? {};
    this.offFields = options.offFields ?? withoutGates;
    const { dialect, clock, refusesPrivileged = false, ignoresDependents = false, versions = ownVersions } = options;
    const { ruleTimes = new RuleTimes() } = options;
    this.context = { dialect, clock, refusesPrivileged, ignoresDependents, versions, ruleTimes };
    this.view = during?.view ?? new VersionView(definition, kind.versions);
    this.#expirySeconds = definition.expires ? options.expirySeconds : undefined;
  }

  /**
   * The same for one request, where another server converts between the versions: it is asked for as long as the request lasts.
   * For work that ends with the request; what goes on uses the registry of the resource.
   */
  during(request: RequestLife): Registry {
    if (!this.versions.waits) return this;
    return new Registry(this.definition, this.kind, this.#options, { request, view: this.view.during(request) });
  }

  get versions(): KindVersions {
    return this.kind.versions;
  }

  /** Of all versions together; objects in it are in the versions they were stored in. */
  get cache(): WatchCache<StoredObject> {
    return this.kind.cache;
  }

  get store(): Store {
    return this.kind.store;
  }

  get turns(): KeyedMutex {
    return this.kind.turns;
  }

  /** Below this the objects of the resource are stored; ends with a separator. */
  get prefix(): string {
    return this.kind.prefix;
  }

  /** Whether what is stored is what this version shows. */
  get isStoredVersion(): boolean {
    return this.definition === this.versions.stored;
  }

  /** Throws for a name that cannot be part of a path. Those of new objects were validated before. */
  key({ namespace, name }: ObjectRef): string {
    const { namespaced } = this.definition;
    if (namespaced && namespace === '') throw badRequest('Namespace parameter required.');
    const [odd] = checkPathSegment(name);
    if (odd !== undefined) throw badRequest(`Name parameter invalid: ${goQuoted(name)}: ${odd}`);
    return namespaced ? `${this.prefix}${namespace}/${name}` : this.prefix + name;
  }

  /** Prefix of all keys in a namespace, or of all keys when it is empty. */
  scope(namespace: string): string {
    return this.definition.namespaced && namespace !== '' ? `${this.prefix}${namespace}/` : this.prefix;
  }

  subject(name: string): ErrorSubject {
    return { group: this.definition.group, resource: this.definition.plural, name };
  }

  /** What an allocator may use. */
  allocationCall(dryRun: boolean): AllocationCall {
    const { onAllocation } = this.#options;
    return { ...this.context, objects: this.#objects(), records: storedRecords(this.store), dryRun, onAllocation };
  }

  /** After a write through a part was stored. */
  counted({ counts }: PartSubresource, next: ApiObject, old: ApiObject): void {
    const { onCounted } = this.#options;
    if (counts !== undefined && onCounted !== undefined)
      for (const one of counts(next, old, this.context)) onCounted(one);
  }

  /** What the rules of the kind may look at in one write. */
  contextFor({ user, moveIfPossible: onLongWork }: WriteOptions): StrategyContext {
    const {
      dialect,
      clock,
      refusesPrivileged = false,
      ignoresDependents = false,
      versions = ownVersions,
      ruleTimes = new RuleTimes(),
    } = this.context;
    // one by one: a field that is added to a copy takes V8 many times as long
    const context = { dialect, clock, refusesPrivileged, ignoresDependents, versions, ruleTimes, onLongWork };
    if (user === undefined) return context;
    return { dialect, clock, refusesPrivileged, ignoresDependents, versions, ruleTimes, onLongWork, user };
  }

  /** Waits until the cache is as fresh as a read demands. */
  fresh(at: ReadAt): MaybePromise<void> {
    return andThen(this.caughtUp(at), demandFresh);
  }

  /** The same, but says so when the cache cannot show the latest state in time, and the store itself has to be asked. */
  caughtUp(at: ReadAt): MaybePromise<boolean> {
    return translateStoreErrors(() => this.#caughtUp(at));
  }

  /** The newest entry, from the store itself. */
  read(key: string): MaybePromise<StoredEntry | undefined> {
    return this.kind.read(key);
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

  /** `moveIfLarge` is called with the size of an object that has to be converted, before that is done. */
  get(ref: ObjectRef, at: ReadAt, moveIfLarge?: (bytes: number) => void): MaybePromise<StoredObject> {
    const key = this.key(ref);
    const found = this.#isAtHand(at)
      ? this.#readObject(key)
      : andThen(this.caughtUp(at), (isFresh) => (isFresh ? this.cache.get(key) : this.#readObject(key)));
    const shown = andThen(found, (stored) => {
      if (stored === undefined) return this.missing(ref);
      if (stored.definition !== this.definition) moveIfLarge?.(stored.size);
      return at.mode === 'latest' ? this.view.again(stored) : this.view.of(stored);
    });
    return andThen(shown, (stored) => {
      this.refuseFlawed([stored]);
      return stored;
    });
  }

  /** Throws a 500 that names the objects that clients cannot be shown, and why. */
  refuseFlawed(objects: readonly StoredObject[]): void {
    const flawed = objects.filter(({ flaw }) => flaw !== undefined);
    if (flawed.length === 0) return;
    const name = flawed.length === 1 ? (flawed[0] as StoredObject).field('metadata.name') : '';
    const problems = flawed.slice(0, maxNamedFlaws).map(({ key, flaw }) => `${key.slice(this.prefix.length)}: ${flaw}`);
    throw storageReadError(this.subject(name), problems);
  }

  /** Whether one object is there sooner than a cache that still has to be filled; the next reader may find it filled. */
  #isAtHand({ mode }: ReadAt): boolean {
    if (this.cache.isFilled || this.store.mapped === undefined || (mode !== 'any' && mode !== 'latest')) return false;
    this.cache.fillInBackground();
    return true;
  }

  #readObject(key: string): MaybePromise<StoredObject | undefined> {
    return andThen(this.read(key), (entry) => entry && this.kind.materialize(entry));
  }

  /** Throws what is true of an object that the cache does not have: a 500 when it cannot be read, otherwise a 404. */
  missing(ref: ObjectRef): MaybePromise<never> {
    const why = this.kind.whyUnreadable(this.key(ref));
    if (why === undefined) throw notFound(this.subject(ref.name));
    return this.unreadable(ref).then((entry) => {
      if (entry === undefined) throw notFound(this.subject(ref.name));
      throw storageReadError(this.subject(ref.name), [`${JSON.stringify(ref.name)}: ${why}`]);
    });
  }

  /** The entry of an object that is there and cannot be read. */
  unreadable(ref: ObjectRef): Promise<StoredEntry | undefined> {
    return this.kind.unreadable(this.key(ref));
  }

  /** Whether there may be objects that cannot be read. */
  get hasUnreadable(): boolean {
    return this.kind.unreadableKeys.length > 0;
  }

  /** Names of the objects in a namespace, or in all, that are there and cannot be read; namespaced names with a slash. */
  async unreadableNames(namespace: string): Promise<string[]> {
    const scope = this.scope(namespace);
    const names: string[] = [];
    for (const key of this.kind.unreadableKeys)
      if (key.startsWith(scope) && (await this.kind.unreadable(key))) names.push(key.slice(this.prefix.length));
    return names.sort();
  }

  /** Throws a 422 that lists every validation error. */
  refuse(name: string, errors: readonly FieldError[]): void {
    if (errors.length > 0)
      throw invalid({ group: this.versions.stored.group, kind: this.definition.kind, name }, errors);
  }

  /** What a write would store: the object in the version that is stored, fields in declared order. `old` is the one it was made from. */
  draft(object: ApiObject, old?: ApiObject): MaybePromise<EncodedObject> {
    const { stored } = this.versions;
    if (this.definition === stored) return encode(stored, object, old);
    return andThen(this.convert(object, stored), (converted) => encode(stored, converted));
  }

  /** The object as another version has it. */
  convert(object: ApiObject, to: ResourceDefinition): MaybePromise<ApiObject> {
    return this.versions.convert(object, to, this.#during);
  }

  /** A stored object as plain values of this version, for reading only. */
  decoded(stored: StoredObject): MaybePromise<ApiObject> {
    if (stored.definition === this.definition) return this.kind.decoded(stored);
    return andThen(this.view.of(stored), (shown) => shown.parse());
  }

  /** The draft of an object that is marked as deleted: defaults that exceed the limit do not keep it. */
  async draftOfDeleted(object: ApiObject): Promise<EncodedObject> {
    try {
      return await this.draft(object);
    } catch (error) {
      if (!(error instanceof DefaultsTooLargeError)) throw error;
      const { stored } = this.versions;
      const converted = await this.convert(object, stored);
      return new EncodedObject(inDeclaredOrder(stored.type, converted) as ApiObject).markIncomplete();
    }
  }

  /** What a draft would be when stored, as this version has it. */
  shown(entry: StoredEntry): MaybePromise<StoredObject> {
    return this.view.of(this.kind.stored(entry));
  }

  /** The same for an object that was not stored, and so has no version to show but what its client said. */
  preview(entry: StoredEntry, said?: string): MaybePromise<StoredObject> {
    return this.view.of(StoredObject.unversioned(this.versions.stored, this.kind.complete(entry), said));
  }

  /** `notes` receives its time. */
  commit(write: Write, notes?: RequestNotes): Promise<CommitResult> {
    const ttlSeconds = write.value === undefined ? undefined : this.#expirySeconds;
    const whole = ttlSeconds === undefined ? write : { ...write, ttlSeconds };
    return notes === undefined ? this.kind.commit(whole) : notedCommit(this.kind, whole, notes);
  }

  /** The object that a commit made of a draft. */
  committed(draft: EncodedObject, key: string, revision: Revision): MaybePromise<StoredObject> {
    return this.view.of(this.kind.committed(draft, key, revision));
  }

  /** compat: a resourceVersion that is no number is a bare 500. */
  invalidResourceVersion(text: string): Error {
    const why = /^\d+$/.test(text) ? 'value out of range' : 'invalid syntax';
    return plainError(`strconv.ParseUint: parsing ${JSON.stringify(text)}: ${why}`);
  }

  /** Calls back once when another registry takes the place of this one, or when the resource is no longer served. */
  onRetired(listener: Retirement): { close(): void } {
    this.#onRetired.add(listener);
    return { close: () => this.#onRetired.delete(listener) };
  }

  /** What goes on with another definition goes on with `successor`; without one every watch ends. */
  retire(successor: Registry | undefined): void {
    const listeners = [...this.#onRetired];
    this.#onRetired.clear();
    for (const listener of listeners) listener(successor);
  }
}

function encode({ type }: ResourceDefinition, object: ApiObject, old?: ApiObject): EncodedObject {
  const draft = new EncodedObject(inDeclaredOrder(type, object, old) as ApiObject);
  return lacksDefaults(type, object as unknown as JsonObject) ? draft.markIncomplete() : draft;
}

function demandFresh(isFresh: boolean): void {
  if (!isFresh) throw serviceUnavailable('the newest state of the store is not available');
}
