// A store whose values are encrypted below and plain above. Keys and revisions are those of the store below.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { OrderedDelivery } from '../../base/ordered-delivery.ts';
import { forEachInTurns } from '../../base/time/turns.ts';
import type { Revision } from '../../meta/revision.ts';
import type { CallCounts } from '../call-counts.ts';
import {
  type Checkpoint,
  type CommitResult,
  type ListQuery,
  type ListResult,
  MissingKeyError,
  type Store,
  type StoredEntry,
  type StoreEvent,
  type StoreWatch,
  type StoreWatcher,
  type Write,
} from '../store.ts';
import type { Place } from './form.ts';
import type { Transformer } from './transformer.ts';
import { fullName, type KeyedResources, type Transformers } from './transformers.ts';
import { UndecryptedValue } from './undecrypted-value.ts';

interface EncryptedStoreOptions {
  readonly store: Store;
  readonly transformers: Transformers;
  readonly resources: KeyedResources;
  /** Stands before each key in the paths that values are bound to. */
  readonly root: string;
}

interface OpenWatch {
  readonly watcher: StoreWatcher;
  readonly delivery: OrderedDelivery;
  close(): void;
}

interface Found {
  readonly transformer: Transformer;
  readonly place: Place;
}

export class EncryptedStore implements Store {
  readonly #store: Store;
  readonly #resources: KeyedResources;
  readonly #root: string;
  readonly #watches = new Set<OpenWatch>();
  readonly checkpoint: (() => Checkpoint) | undefined;
  readonly calls?: CallCounts;
  readonly shortage?: () => string | undefined;
  readonly isSettled?: (revision: Revision) => boolean;
  #transformers: Transformers;
  /** A reader has received an error for an unreadable value, and may still have it. */
  #hasFailed = false;

  constructor({ store, transformers, resources, root }: EncryptedStoreOptions) {
    this.#store = store;
    this.#transformers = transformers;
    this.#resources = resources;
    this.#root = root;
    const { checkpoint, calls, shortage, isSettled } = store;
    this.checkpoint = checkpoint && (() => this.#readable(checkpoint.call(store)));
    if (calls !== undefined) this.calls = calls;
    if (shortage !== undefined) this.shortage = () => shortage.call(store);
    if (isSettled !== undefined) this.isSettled = (revision) => isSettled.call(store, revision);
  }

  /** From now on values are read and written so. Readers begin again where there was something they could not read. */
  use(transformers: Transformers): void {
    this.#transformers = transformers;
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    const open = [...this.#watches];
    this.#watches.clear();
    for (const { close, watcher } of open) {
      close();
      watcher.onEnd('closed');
    }
  }

  get(key: string): MaybePromise<StoredEntry | undefined> {
    return andThen(this.#store.get(key), (entry) => entry && this.#opened(entry));
  }

  async list(query: ListQuery): Promise<ListResult> {
    const result = await this.#store.list(query);
    const entries: StoredEntry[] = [];
    await forEachInTurns(result.entries, (entry) =>
      andThen(this.#opened(entry), (opened) => {
        entries.push(opened);
      }),
    );
    return { ...result, entries };
  }

  async commit(write: Write): Promise<CommitResult> {
    const result = await this.#store.commit({ ...write, value: write.value && this.#sealed(write.key, write.value) });
    if (result.kind === 'committed') {
      // watchers of a local store have received a write when it is acknowledged
      for (const { delivery } of this.#watches) if (delivery.pending !== undefined) await delivery.pending;
      return result;
    }
    return { kind: 'conflict', current: result.current && (await this.#opened(result.current)) };
  }

  isStale(key: string): MaybePromise<boolean> {
    return andThen(this.#store.get(key), (entry) => {
      if (entry === undefined) return false;
      const { transformer, place } = this.#find(key);
      const isStale = () => {
        try {
          return transformer.read(entry.value, place).isStale;
        } catch {
          return false;
        }
      };
      const waits = transformer.prepare(entry.value, place);
      return waits === undefined ? isStale() : waits.then(isStale);
    });
  }

  watch(query: { readonly prefix: string; readonly after: Revision }, watcher: StoreWatcher): StoreWatch {
    const delivery = new OrderedDelivery((error) => {
      open.close();
      watcher.onEnd(error as Error);
    });
    const watch = this.#store.watch(query, {
      onEvents: (events) => {
        delivery.add(() => this.#deliver(events, watcher));
        return delivery.pending;
      },
      onProgress: (revision) => delivery.add(() => watcher.onProgress(revision)),
      onEnd: (reason) =>
        delivery.add(() => {
          this.#watches.delete(open);
          watcher.onEnd(reason);
        }),
    });
    const open: OpenWatch = {
      ...{ watcher, delivery },
      close: () => {
        this.#watches.delete(open);
        delivery.close();
        watch.close();
      },
    };
    this.#watches.add(open);
    const { close } = open;
    if (watch.requestProgress === undefined) return { close };
    return { close, requestProgress: (target) => watch.requestProgress?.(target) };
  }

  compact(revision: Revision): Promise<void> {
    return this.#store.compact(revision);
  }

  currentRevision(): MaybePromise<Revision> {
    return this.#store.currentRevision();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  #find(key: string): Found {
    const resource = this.#resources.of(key);
    return {
      transformer: this.#transformers.for(resource),
      place: { path: this.#root + key, resource: fullName(resource) },
    };
  }

  #sealed(key: string, value: Uint8Array): Uint8Array {
    const { transformer, place } = this.#find(key);
    try {
      return transformer.write(value, place);
    } catch (error) {
      throw new MissingKeyError((error as Error).message, { cause: error });
    }
  }

  /** Waits only if a plugin must be called. */
  #open(key: string, value: Uint8Array): MaybePromise<Uint8Array> {
    const { transformer, place } = this.#find(key);
    const waits = transformer.prepare(value, place);
    return waits === undefined ? this.#read(key, value) : waits.then(() => this.#read(key, value));
  }

  /** For values whose keys are known. */
  #read(key: string, value: Uint8Array): Uint8Array {
    const { transformer, place } = this.#find(key);
    try {
      return transformer.read(value, place).value;
    } catch (error) {
      this.#hasFailed = true;
      return new UndecryptedValue((error as Error).message);
    }
  }

  #opened<T extends Pick<StoredEntry, 'key' | 'value'>>(entry: T): MaybePromise<T> {
    return andThen(this.#open(entry.key, entry.value), (value) => withValue(entry, value));
  }

  #openedNow<T extends Pick<StoredEntry, 'key' | 'value'>>(entry: T): T {
    return withValue(entry, this.#read(entry.key, entry.value));
  }

  /** Events go on together, once all of them can be read. */
  #deliver(events: readonly StoreEvent[], watcher: StoreWatcher): MaybePromise<void> {
    const waits = events.map((event) => this.#prepared(event)).filter((one) => one !== undefined);
    const deliver = () => watcher.onEvents(events.map((event) => this.#openedEvent(event)));
    return waits.length === 0 ? deliver() : Promise.all(waits).then(deliver);
  }

  /** Fetches the keys of both values of an event: either may be read at any time. */
  #prepared(event: StoreEvent): Promise<unknown> | undefined {
    const { transformer, place } = this.#find(event.key);
    if (!transformer.mayWait) return undefined;
    const values = [event.value, event.previous()?.value].filter((value) => value !== undefined);
    const waits = values.map((value) => transformer.prepare(value, place)).filter((one) => one !== undefined);
    return waits.length === 0 ? undefined : Promise.all(waits);
  }

  #openedEvent(event: StoreEvent): StoreEvent {
    const { key, revision, value } = event;
    return {
      key,
      revision,
      value: value && this.#read(key, value),
      previous: () => {
        const previous = event.previous();
        return previous && this.#openedNow(previous);
      },
    };
  }

  #readable(checkpoint: Checkpoint): Checkpoint {
    return {
      content: () => checkpoint.content().map((entry) => this.#openedNow(entry)),
      restore: () => checkpoint.restore(),
    };
  }
}

function withValue<T extends Pick<StoredEntry, 'value'>>(entry: T, value: Uint8Array): T {
  return value === entry.value ? entry : { ...entry, value };
}
