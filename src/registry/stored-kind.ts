// What is stored of one kind, whichever of its versions a request asks for: one cache of stored objects, each in the
// version it was stored in. Registries show it in their own versions.

import { bufferOf } from '../base/bytes.ts';
import { KeyedMutex } from '../base/keyed-mutex.ts';
import type { MaybePromise } from '../base/maybe-promise.ts';
import { formatApiVersion } from '../meta/group-version.ts';
import type { ApiObject } from '../meta/object.ts';
import { type Revision, zeroRevision } from '../meta/revision.ts';
import { isShownAsStored } from '../schema/object-type.ts';
import type { ResourceDefinition } from '../schema/resource.ts';
import type { StrategyContext } from '../schema/strategy.ts';
import { WatchCache } from '../storage/cache/watch-cache.ts';
import {
  type CommitResult,
  type Store,
  type StoredEntry,
  StoreUnavailableError,
  type ValuePlace,
  type Write,
} from '../storage/store.ts';
import { type EncodedObject, isIncomplete } from './encoded-object.ts';
import type { HotTexts } from './hot-texts.ts';
import { KindCounts, type StoreOperation } from './kind-counts.ts';
import { RecentObjects } from './recent-objects.ts';
import type { RegistryOptions } from './registry.ts';
import { indexed, lastingIndexes } from './selection.ts';
import { translate, translateStoreErrors } from './store-errors.ts';
import { revisionPlace, StoredObject } from './stored-object.ts';
import { isCanonical, readCanonical, startsAs, UnreadableValueError } from './stored-value.ts';
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
  /** Keys whose value could not be read when it was last looked at, and why. */
  readonly #unreadable = new Map<string, string>();
  readonly #recent = new RecentObjects();
  /** The versions that stored values were read with. */
  #versionNames = '';

  /** `texts` where the store has its values mapped: the cache then keeps no others. */
  constructor(storagePrefix: string, versions: KindVersions, options: RegistryOptions, texts?: HotTexts) {
    this.versions = versions;
    this.store = options.store;
    this.prefix = `/${storagePrefix}/`;
    this.#onUnreadable = options.onUnreadable;
    this.#context = { dialect: options.dialect, clock: options.clock };
    this.cache = new WatchCache({
      store: options.store,
      clock: options.clock,
      prefix: this.prefix,
      materialize: (entry) => this.materialize(entry, texts),
      materializeChange: (entry) =>
        this.#isSettled(entry) ? asStored(versions.stored, entry, texts) : this.materialize(entry, texts),
      places: texts && {
        list: (query) => texts.values.listPlaces(query),
        materialize: (place) => this.#materializePlace(place, texts),
      },
      onReplaced: (stored) => stored.hold(),
      sizeOf: ({ size }) => size,
      lastingIndexes: () => lastingIndexes(versions.stored),
      indexed: (stored, index) => indexed(versions.stored, stored, index),
      onFilled: (objects, ms) => options.onCacheFilled?.(this.prefix, objects, ms),
    });
  }

  /** The newest entry, from the store itself. */
  read(key: string): MaybePromise<StoredEntry | undefined> {
    return translateStoreErrors(() => this.counts.asking('get', () => this.store.get(key)));
  }

  /** Undefined for a value that cannot be read: it is reported, and then treated as if it were not there. */
  materialize(entry: StoredEntry, texts?: HotTexts): StoredObject | undefined {
    const { stored } = this.versions;
    if (texts !== undefined && this.#isOwn(entry, texts) && isCanonical(stored, bufferOf(entry.value)))
      return asStored(stored, entry, texts);
    return this.#readValue(entry, texts);
  }

  /** Whether this process wrote the value just now, under the definition as it is, so that there is no need to look at it. */
  #isSettled({ revision, value }: StoredEntry): boolean {
    const { stored, haveChanged } = this.versions;
    return this.store.isSettled?.(revision) === true && startsAs(stored, value) && !haveChanged;
  }

  /** Whether this release wrote the value, which then lacks nothing and need not be read. */
  #isOwn({ revision }: { readonly revision: Revision }, { values }: HotTexts): boolean {
    return revision >= values.ownSince && isShownAsStored(this.versions.stored.type);
  }

  /** Values of this release stay in the mapping; others are read once, to see whether they lack anything. */
  #materializePlace(place: ValuePlace, texts: HotTexts): StoredObject | undefined {
    const { values } = texts;
    const { stored } = this.versions;
    const isOwn = this.#isOwn(place, texts);
    const looked = values.look(place.revision, (value) =>
      isOwn && staysMapped(value) && isCanonical(stored, bufferOf(value)) ? value.length : Buffer.from(value),
    );
    if (looked === undefined) throw new StoreUnavailableError(`the history has lost ${place.key}`);
    if (typeof looked === 'number') return StoredObject.mapped(stored, place, looked, texts);
    return this.materialize({ ...place, value: looked }, texts);
  }

  #readValue(entry: StoredEntry, texts: HotTexts | undefined): StoredObject | undefined {
    try {
      const { definition, value, flaw } = readCanonical(this.versions, entry.value, this.#context);
      if (this.#unreadable.size > 0) this.#unreadable.delete(entry.key);
      return value === entry.value
        ? asStored(definition, entry, texts, flaw)
        : StoredObject.of(definition, { ...entry, value }, flaw);
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

  /** An entry whose value is a draft of ours. */
  stored(entry: StoredEntry): StoredObject {
    return StoredObject.of(this.versions.stored, this.complete(entry));
  }

  /** A draft as it is read, with the defaults that are not stored. */
  complete(entry: StoredEntry): StoredEntry {
    if (!isIncomplete(entry.value)) return entry;
    return { ...entry, value: readCanonical(this.versions, entry.value, this.#context).value };
  }

  async commit(write: Write): Promise<CommitResult> {
    const settled = write.value !== undefined && !isIncomplete(write.value);
    try {
      return await this.counts.asking(operationOf(write), () => this.store.commit({ ...write, settled }));
    } catch (error) {
      return translate(error);
    }
  }

  /** The object that a commit made of a draft. Local caches hold it already. */
  committed(draft: EncodedObject, key: string, revision: Revision): StoredObject {
    if (!draft.lacksDefaults) this.#recent.keep(key, revision, draft.at(revision), draft.value.length);
    const cached = this.cache.get(key);
    return cached?.revision === revision ? cached : this.stored({ key, value: draft.value, revision });
  }

  /** A stored object as plain values in its own version, for reading only. */
  decoded(stored: StoredObject): ApiObject {
    return this.#recent.find(stored.key, stored.revision) ?? stored.parse();
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

/** An object whose JSON is what the store has. A cache keeps no copy of what is mapped. */
function asStored(
  definition: ResourceDefinition,
  entry: StoredEntry,
  texts: HotTexts | undefined,
  flaw?: string,
): StoredObject {
  const stored = StoredObject.of(definition, entry, flaw);
  return texts === undefined || !staysMapped(entry.value) ? stored : stored.leaveToMapping(texts);
}

/** Whether the text of an object is made of its value by putting the version in. */
const staysMapped = (value: Uint8Array) => revisionPlace(bufferOf(value)) !== undefined;

function operationOf({ value, expected }: Write): StoreOperation {
  if (value === undefined) return 'delete';
  return expected === zeroRevision ? 'create' : 'update';
}
