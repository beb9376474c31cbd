// What is stored of one kind, whichever of its versions a request asks for: one cache of stored objects, each in the
// version it was stored in. Registries show it in their own versions.

import { KeyedMutex } from '../base/keyed-mutex.ts';
import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import { atOnce, awaited, inTurns, type Steps } from '../base/steps.ts';
import { TransientMap } from '../base/transient-map.ts';
import { yieldTimerFor } from '../base/yield-timer.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { type Revision, zeroRevision } from '../meta/revision.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StrategyContext } from '../schema/strategy.ts';
import { WatchCache } from '../storage/cache/watch-cache.ts';
import type { CommitResult, Store, StoredEntry, Write } from '../storage/store.ts';
import { type EncodedObject, isIncomplete } from './encoded-object.ts';
import { KindCounts, type StoreOperation } from './kind-counts.ts';
import { RecentObjects } from './recent-objects.ts';
import type { RegistryOptions } from './registry.ts';
import { indexed } from './selection.ts';
import { translate, translateStoreErrors } from './store-errors.ts';
import { largeBytes, StoredObject } from './stored-object.ts';
import { readInTurns, readingCanonical, startsAs, UnreadableValueError } from './stored-value.ts';
import type { KindVersions } from './versions.ts';

export class StoredKind {
  readonly versions: KindVersions;
  readonly store: Store;
  readonly cache: WatchCache<StoredObject>;
  /** For metrics. */
  readonly counts = new KindCounts();
  /** Changes of one object made here follow each other: two at once would only make one of them start again. */
  readonly turns = new KeyedMutex();
  /** Below this the objects are stored; ends with a separator. */
  readonly prefix: string;
  readonly #onUnreadable: RegistryOptions['onUnreadable'];
  readonly #context: StrategyContext;
  /** Values on their way from here to the store, by key: there is no need to look whether they can be read. */
  readonly #underway = new TransientMap<string, Uint8Array>();
  /** Keys whose value could not be read when it was last looked at, and why. */
  readonly #unreadable = new Map<string, string>();
  readonly #recent = new RecentObjects();
  #parsed: Map<StoredObject, ApiObject> | undefined;
  /** The versions that stored values were read with. */
  #versionNames = '';

  constructor(storagePrefix: string, versions: KindVersions, options: RegistryOptions) {
    this.versions = versions;
    this.store = options.store;
    this.prefix = `/${storagePrefix}/`;
    this.#onUnreadable = options.onUnreadable;
    this.#context = { dialect: options.dialect, clock: options.clock };
    this.cache = new WatchCache({
      store: options.store,
      clock: options.clock,
      prefix: this.prefix,
      materialize: (entry) => this.materialize(entry),
      materializeInTurns: (entry) => this.#materializeInTurns(entry),
      sizeOf: (stored) => stored.bytes.length,
      indexed: (stored, index) => indexed(versions.stored, stored, index),
      onFilled: (objects, ms) => options.onCacheFilled?.(this.prefix, objects, ms),
    });
  }

  /** The newest entry, from the store itself. */
  read(key: string): MaybePromise<StoredEntry | undefined> {
    return translateStoreErrors(() => this.counts.asking('get', () => this.store.get(key)));
  }

  /** Undefined for a value that cannot be read: it is reported, and then treated as if it were not there. */
  materialize(entry: StoredEntry): StoredObject | undefined {
    if (this.#underway.get(entry.key) === entry.value && startsAs(this.versions.stored, entry.value))
      return new StoredObject(this.versions.stored, entry);
    return atOnce(this.#materializing(entry));
  }

  /** The same, with rests where the value is large. */
  #materializeInTurns(entry: StoredEntry): MaybePromise<StoredObject | undefined> {
    if (entry.value.length < largeBytes) return this.materialize(entry);
    return readInTurns(entry.value).then((read) => inTurns(this.#materializing(entry, read)));
  }

  *#materializing(entry: StoredEntry, read?: () => unknown): Steps<StoredObject | undefined> {
    try {
      const canonical = yield* readingCanonical(this.versions, entry.value, this.#context, read);
      const { definition, value, object, flaw } = canonical;
      if (this.#unreadable.size > 0) this.#unreadable.delete(entry.key);
      const stored = new StoredObject(definition, { ...entry, value }, undefined, flaw);
      this.#parsed?.set(stored, object);
      return stored;
    } catch (error) {
      if (!(error instanceof UnreadableValueError)) throw error;
      this.counts.unreadable++;
      if (!this.#unreadable.has(entry.key)) this.#onUnreadable(entry.key, error.message);
      this.#unreadable.set(entry.key, error.message);
      return undefined;
    }
  }

  /** After versions came or went: values of these can be read now, or no more. */
  lookAgain(): void {
    const { names } = this.versions;
    if (names === this.#versionNames) return;
    this.#versionNames = names;
    const reveals = this.#unreadable.size > 0;
    if (reveals || this.#holdsUnknown()) this.cache.refill({ reveals });
  }

  #holdsUnknown(): boolean {
    const objects = this.cache.present().range(this.prefix);
    // each version once, however many objects are in it
    const definitions = new Set<ResourceDefinition>();
    for (const { definition } of objects) definitions.add(definition);
    return [...definitions].some((one) => this.versions.find(formatApiVersion(one)) === undefined);
  }

  /** What is parsed while `work` runs, without the version of the store: those who want all objects parse none twice. */
  async parsedDuring(work: () => MaybePromise<void>): Promise<ReadonlyMap<StoredObject, ApiObject>> {
    const parsed = new Map<StoredObject, ApiObject>();
    this.#parsed = parsed;
    try {
      await work();
    } finally {
      if (this.#parsed === parsed) this.#parsed = undefined;
    }
    return parsed;
  }

  /** An entry whose value is a draft of ours. */
  stored(entry: StoredEntry): MaybePromise<StoredObject> {
    return andThen(this.complete(entry), (complete) => new StoredObject(this.versions.stored, complete));
  }

  /** A draft as it is read, with the defaults that are not stored. */
  complete(entry: StoredEntry): MaybePromise<StoredEntry> {
    return isIncomplete(entry.value) ? inTurns(this.#completing(entry), yieldTimerFor(entry.value.length)) : entry;
  }

  *#completing(entry: StoredEntry): Steps<StoredEntry> {
    const read = entry.value.length < largeBytes ? undefined : yield* awaited(readInTurns(entry.value));
    const { value } = yield* readingCanonical(this.versions, entry.value, this.#context, read);
    return { ...entry, value };
  }

  async commit(write: Write): Promise<CommitResult> {
    const { key, value } = write;
    if (value !== undefined && !isIncomplete(value)) this.#underway.set(key, value);
    try {
      return await this.counts.asking(operationOf(write), () => this.store.commit(write));
    } catch (error) {
      return translate(error);
    } finally {
      if (this.#underway.get(key) === value) this.#underway.delete(key);
    }
  }

  /** The object that a commit made of a draft. Local caches hold it already. */
  committed(draft: EncodedObject, key: string, revision: Revision): MaybePromise<StoredObject> {
    if (!draft.lacksDefaults) this.#recent.keep(key, revision, draft.at(revision), draft.value.length);
    const cached = this.cache.get(key);
    return cached?.revision === revision ? cached : this.stored({ key, value: draft.value, revision });
  }

  /** A stored object as plain values in its own version, for reading only. */
  decoded(stored: StoredObject): MaybePromise<ApiObject> {
    return this.#recent.find(stored.key, stored.revision) ?? stored.parseInTurns();
  }

  /** Why the value of a key could not be read; undefined where it could. */
  whyUnreadable(key: string): string | undefined {
    return this.#unreadable.get(key);
  }

  /** The entry of a key whose value is there and cannot be read. */
  async unreadable(key: string): Promise<StoredEntry | undefined> {
    if (!this.#unreadable.has(key) || this.cache.get(key) !== undefined) return undefined;
    const entry = await this.read(key);
    if (entry === undefined) this.#unreadable.delete(key);
    return entry;
  }

  /** Keys whose values could not be read when they were last looked at. */
  get unreadableKeys(): readonly string[] {
    return this.#unreadable.size === 0 ? none : [...this.#unreadable.keys()];
  }

  close(): void {
    this.cache.close();
  }
}

const none: readonly string[] = [];

function operationOf({ value, expected }: Write): StoreOperation {
  if (value === undefined) return 'delete';
  return expected === zeroRevision ? 'create' : 'update';
}
