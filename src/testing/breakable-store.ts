// A store that a test can break and repair, for tests of a server without its disk or etcd.

import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Revision } from '../meta/revision.ts';
import {
  type Checkpoint,
  type CommitResult,
  type ListQuery,
  type ListResult,
  type Store,
  type StoredEntry,
  StoreUnavailableError,
  type StoreWatch,
  type StoreWatcher,
  type Write,
} from '../storage/store.ts';

/** What of the store does not work. */
type Broken = 'nothing' | 'writes' | 'everything';

interface OpenWatch {
  readonly watch: StoreWatch;
  readonly watcher: StoreWatcher;
}

export class BreakableStore implements Store {
  readonly #store: Store;
  readonly #watches = new Set<OpenWatch>();
  #broken: Broken = 'nothing';

  constructor(store: Store) {
    this.#store = store;
  }

  /** Whether watches of the server were ended and may not have begun again. */
  wasGone = false;

  /** Ends the watches of a broken store; those of the server begin again when it is back. */
  break(broken: Broken): void {
    this.#broken = broken;
    if (broken !== 'everything') return;
    this.wasGone = true;
    const watches = [...this.#watches];
    this.#watches.clear();
    for (const { watch, watcher } of watches) {
      watch.close();
      watcher.onEnd(unavailable());
    }
  }

  get(key: string): MaybePromise<StoredEntry | undefined> {
    return this.#isGone ? Promise.reject(unavailable()) : this.#store.get(key);
  }

  list(query: ListQuery): Promise<ListResult> {
    return this.#isGone ? Promise.reject(unavailable()) : this.#store.list(query);
  }

  commit(write: Write): Promise<CommitResult> {
    return this.#broken === 'nothing' ? this.#store.commit(write) : Promise.reject(unavailable());
  }

  watch(query: { readonly prefix: string; readonly after: Revision }, watcher: StoreWatcher): StoreWatch {
    if (this.#isGone) {
      setImmediate(() => watcher.onEnd(unavailable()));
      return { close() {} };
    }
    const watch = this.#store.watch(query, {
      onEvents: (events) => watcher.onEvents(events),
      onProgress: (revision) => watcher.onProgress(revision),
      onEnd: (reason) => {
        this.#watches.delete(open);
        watcher.onEnd(reason);
      },
    });
    const open = { watch, watcher };
    this.#watches.add(open);
    return {
      close: () => {
        this.#watches.delete(open);
        watch.close();
      },
      requestProgress: (target) => watch.requestProgress?.(target),
    };
  }

  compact(revision: Revision): Promise<void> {
    return this.#isGone ? Promise.reject(unavailable()) : this.#store.compact(revision);
  }

  currentRevision(): MaybePromise<Revision> {
    return this.#isGone ? Promise.reject(unavailable()) : this.#store.currentRevision();
  }

  /** Undefined where the store has none. */
  get checkpoint(): (() => Checkpoint) | undefined {
    return this.#store.checkpoint?.bind(this.#store);
  }

  shortage(): string | undefined {
    return this.#store.shortage?.();
  }

  close(): Promise<void> {
    return this.#store.close();
  }

  get #isGone(): boolean {
    return this.#broken === 'everything';
  }
}

const unavailable = () => new StoreUnavailableError('the store was broken by the test');
