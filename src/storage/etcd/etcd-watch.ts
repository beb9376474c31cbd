// One watch of etcd, over a stream of its own. A broken stream is opened again where it was.

import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type Revision, revision } from '../../meta/revision.ts';
import type { StoreEvent, StoreWatch, StoreWatcher } from '../store.ts';
import type { EtcdConnection } from './connection.ts';
import { endOf, type KeySpace } from './key-space.ts';
import { decodeWatch, encodeWatchCreate, encodeWatchProgress, type KeyValue, type WatchedEvent } from './messages.ts';

export interface EtcdWatchSource {
  readonly connection: EtcdConnection;
  readonly keys: KeySpace;
  closed(watch: EtcdWatch): void;
}

const reopenMs = 200;

export class EtcdWatch implements StoreWatch {
  readonly #prefix: string;
  readonly #watcher: StoreWatcher;
  readonly #source: EtcdWatchSource;
  /** Everything up to here was delivered. */
  #after: Revision;
  #stream: ClientDuplexStream<Buffer, Buffer> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #ended = false;

  constructor(query: { prefix: string; after: Revision }, watcher: StoreWatcher, source: EtcdWatchSource) {
    this.#prefix = source.keys.outside(query.prefix);
    this.#after = query.after;
    this.#watcher = watcher;
    this.#source = source;
    this.#open();
  }

  /** Asks etcd how far this watch has got; the answer comes as progress. */
  requestProgress(): void {
    this.#stream?.write(encodeWatchProgress());
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#retry);
    this.#stream?.cancel();
    this.#source.closed(this);
  }

  end(reason: 'gone' | 'closed' | Error): void {
    if (this.#ended) return;
    this.close();
    this.#watcher.onEnd(reason);
  }

  #open(): void {
    const stream = this.#source.connection.stream('/etcdserverpb.Watch/Watch');
    this.#stream = stream;
    let over = false;
    const onBroken = () => {
      if (over || this.#ended) return;
      over = true;
      this.#source.connection.rotate();
      this.#retry = setTimeout(() => this.#open(), reopenMs);
      this.#retry.unref();
    };
    stream.on('data', (bytes: Buffer) => this.#take(bytes));
    stream.on('error', onBroken);
    stream.on('end', onBroken);
    stream.write(encodeWatchCreate(this.#prefix, endOf(this.#prefix), this.#after + 1));
  }

  #take(bytes: Buffer): void {
    if (this.#ended) return;
    const response = decodeWatch(bytes);
    if (response.canceled) {
      this.end(response.compactRevision > 0 ? 'gone' : new Error('etcd ended the watch'));
    } else if (response.events.length > 0) {
      this.#deliver(response.events.map((event) => this.#event(event)));
    } else if (!response.created && response.revision > this.#after) {
      // only an answer without events tells that there are none: while a watch catches up, more are to come
      this.#advance(revision(response.revision));
    }
  }

  #deliver(events: readonly StoreEvent[]): void {
    this.#watcher.onEvents(events);
    this.#advance((events[events.length - 1] as StoreEvent).revision);
  }

  #advance(reached: Revision): void {
    this.#after = reached;
    if (!this.#ended) this.#watcher.onProgress(reached);
  }

  #event({ deleted, entry, previous }: WatchedEvent): StoreEvent {
    return {
      key: this.#source.keys.inside(entry.key),
      revision: revision(entry.modRevision),
      value: deleted ? undefined : entry.value,
      previous: () => previous && this.#entry(previous),
    };
  }

  #entry({ key, value, modRevision }: KeyValue) {
    return { key: this.#source.keys.inside(key), value, revision: revision(modRevision) };
  }
}
