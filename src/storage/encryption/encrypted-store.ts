// A store whose values are encrypted below and plain above. Keys and revisions are those of the store below.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import { YieldTimer } from '../../base/yield-timer.ts';
import type { Revision } from '../../meta/revision.ts';
import type { CallCounts } from '../call-counts.ts';
import type {
  Checkpoint,
  CommitResult,
  ListQuery,
  ListResult,
  Store,
  StoredEntry,
  StoreEvent,
  StoreWatch,
  StoreWatcher,
  Write,
} from '../store.ts';
import type { Transformer } from './transformer.ts';
import type { KeyedResources, Transformers } from './transformers.ts';
import { UndecryptedValue } from './undecrypted-value.ts';

interface EncryptedStoreOptions {
  readonly store: Store;
  readonly transformers: Transformers;
  readonly resources: KeyedResources;
  /** Stands before each key in the paths that values are bound to. */
  readonly root: string;
}

interface OpenWatch {
  readonly watch: StoreWatch;
  readonly watcher: StoreWatcher;
}

export class EncryptedStore implements Store {
  readonly #store: Store;
  readonly #resources: KeyedResources;
  readonly #root: string;
  readonly #watches = new Set<OpenWatch>();
  readonly checkpoint: (() => Checkpoint) | undefined;
  readonly calls?: CallCounts;
  readonly shortage?: () => string | undefined;
  #transformers: Transformers;
  /** A reader was told that a value cannot be read, and may go on thinking so. */
  #hasFailed = false;

  constructor({ store, transformers, resources, root }: EncryptedStoreOptions) {
    this.#store = store;
    this.#transformers = transformers;
    this.#resources = resources;
    this.#root = root;
    const { checkpoint, calls, shortage } = store;
    this.checkpoint = checkpoint && (() => this.#readable(checkpoint.call(store)));
    if (calls !== undefined) this.calls = calls;
    if (shortage !== undefined) this.shortage = () => shortage.call(store);
  }

  /** From now on values are read and written so. Readers begin again where there was something they could not read. */
  use(transformers: Transformers): void {
    this.#transformers = transformers;
    if (!this.#hasFailed) return;
    this.#hasFailed = false;
    const open = [...this.#watches];
    this.#watches.clear();
    for (const { watch, watcher } of open) {
      watch.close();
      watcher.onEnd('closed');
    }
  }

  get(key: string): MaybePromise<StoredEntry | undefined> {
    return andThen(this.#store.get(key), (entry) => entry && this.#opened(entry));
  }

  async list(query: ListQuery): Promise<ListResult> {
    const result = await this.#store.list(query);
    const entries: StoredEntry[] = [];
    const pace = new YieldTimer();
    for (const entry of result.entries) {
      entries.push(this.#opened(entry));
      if (pace.isDue) await pace.rest();
    }
    return { ...result, entries };
  }

  async commit(write: Write): Promise<CommitResult> {
    const { key, value } = write;
    const sealed = value && this.#transformerOf(key).write(value, this.#root + key);
    const result = await this.#store.commit({ ...write, value: sealed });
    if (result.kind === 'committed' || result.current === undefined) return result;
    return { kind: 'conflict', current: this.#opened(result.current) };
  }

  isStale(key: string): MaybePromise<boolean> {
    return andThen(this.#store.get(key), (entry) => {
      if (entry === undefined) return false;
      try {
        return this.#transformerOf(key).read(entry.value, this.#root + key).isStale;
      } catch {
        return false;
      }
    });
  }

  watch(query: { readonly prefix: string; readonly after: Revision }, watcher: StoreWatcher): StoreWatch {
    const watch = this.#store.watch(query, {
      onEvents: (events) => watcher.onEvents(events.map((event) => this.#openedEvent(event))),
      onProgress: (revision) => watcher.onProgress(revision),
      onEnd: (reason) => {
        this.#watches.delete(open);
        watcher.onEnd(reason);
      },
    });
    const open = { watch, watcher };
    this.#watches.add(open);
    const close = () => {
      this.#watches.delete(open);
      watch.close();
    };
    if (watch.requestProgress === undefined) return { close };
    return { close, requestProgress: (wanted) => watch.requestProgress?.(wanted) };
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

  #transformerOf(key: string): Transformer {
    return this.#transformers.for(this.#resources.of(key));
  }

  #opened<T extends Pick<StoredEntry, 'key' | 'value'>>(entry: T): T {
    const value = this.#open(entry.key, entry.value);
    return value === entry.value ? entry : { ...entry, value };
  }

  #open(key: string, value: Uint8Array): Uint8Array {
    try {
      return this.#transformerOf(key).read(value, this.#root + key).value;
    } catch (error) {
      this.#hasFailed = true;
      return new UndecryptedValue((error as Error).message);
    }
  }

  #openedEvent(event: StoreEvent): StoreEvent {
    const { key, revision, value } = event;
    return {
      key,
      revision,
      value: value && this.#open(key, value),
      previous: () => {
        const previous = event.previous();
        return previous && this.#opened(previous);
      },
    };
  }

  #readable(checkpoint: Checkpoint): Checkpoint {
    return {
      content: () => checkpoint.content().map((entry) => this.#opened(entry)),
      restore: () => checkpoint.restore(),
    };
  }
}
