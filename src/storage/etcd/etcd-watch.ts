// One watch of etcd, over one stream. A broken stream is opened again at its last revision; if that does not succeed
// for a while, the watch ends, so that no reader waits for events that cannot come.

import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type Revision, revision, zeroRevision } from '../../meta/revision.ts';
import { type StoreEvent, StoreUnavailableError, type StoreWatch, type StoreWatcher } from '../store.ts';
import type { EtcdConnection } from './connection.ts';
import { endOf, type KeySpace } from './key-space.ts';
import { decodeWatch, encodeWatchCreate, encodeWatchProgress, type KeyValue, type WatchedEvent } from './messages.ts';

interface EtcdWatchSource {
  readonly connection: EtcdConnection;
  readonly keys: KeySpace;
  /** How long a watch may be without etcd before it ends. */
  readonly patienceMs: number;
  closed(watch: EtcdWatch): void;
}

const reopenMs = 200;
/** etcd confirms a watch at once, unless it hangs. */
const confirmMs = 3000;
/** etcd does not answer while a watch is catching up, and a member may be behind the others. */
const askAgainMs = 100;
const askForMs = 5000;

export class EtcdWatch implements StoreWatch {
  readonly #prefix: string;
  readonly #watcher: StoreWatcher;
  readonly #source: EtcdWatchSource;
  /** Everything up to here was delivered. */
  #after: Revision;
  #stream: ClientDuplexStream<Buffer, Buffer> | undefined;
  #retry: NodeJS.Timeout | undefined;
  #asking: NodeJS.Timeout | undefined;
  /** How far a reader wants to see, and how long that is worth asking for. */
  #progressTarget = { revision: zeroRevision, until: 0 };
  /** The endpoint of its stream. */
  #endpoint = 0;
  /** When the stream broke; undefined while it works. */
  #brokenSince: number | undefined;
  #ended = false;

  constructor(query: { prefix: string; after: Revision }, watcher: StoreWatcher, source: EtcdWatchSource) {
    this.#prefix = source.keys.outside(query.prefix);
    this.#after = query.after;
    this.#watcher = watcher;
    this.#source = source;
    void this.#open();
  }

  /** Requests the progress of this watch from etcd, until it reaches the target, or no reader can be waiting any more. */
  requestProgress(target: Revision): void {
    const now = Date.now();
    const before = now > this.#progressTarget.until ? zeroRevision : this.#progressTarget.revision;
    this.#progressTarget = { revision: revision(Math.max(target, before)), until: now + askForMs };
    if (this.#asking === undefined) this.#ask();
  }

  #ask(): void {
    this.#asking = undefined;
    if (this.#ended || this.#after >= this.#progressTarget.revision || Date.now() > this.#progressTarget.until) return;
    this.#stream?.write(encodeWatchProgress());
    this.#asking = setTimeout(() => this.#ask(), askAgainMs);
    this.#asking.unref();
  }

  close(): void {
    if (this.#ended) return;
    this.#ended = true;
    clearTimeout(this.#retry);
    clearTimeout(this.#asking);
    this.#stream?.cancel();
    this.#source.closed(this);
  }

  end(reason: 'gone' | 'closed' | Error): void {
    if (this.#ended) return;
    this.close();
    this.#watcher.onEnd(reason);
  }

  async #open(): Promise<void> {
    let stream: ClientDuplexStream<Buffer, Buffer>;
    try {
      this.#endpoint = this.#source.connection.present;
      stream = await this.#source.connection.stream('/etcdserverpb.Watch/Watch');
    } catch (error) {
      this.#reopen(error);
      return;
    }
    if (this.#ended) stream.cancel();
    else this.#follow(stream);
  }

  #follow(stream: ClientDuplexStream<Buffer, Buffer>): void {
    const unconfirmed = setTimeout(() => stream.cancel(), confirmMs);
    let over = false;
    const onBroken = (error?: Error) => {
      clearTimeout(unconfirmed);
      if (over) return;
      over = true;
      this.#stream = undefined;
      this.#reopen(error);
    };
    stream.on('data', (bytes: Buffer) => {
      clearTimeout(unconfirmed);
      this.#take(bytes);
    });
    stream.on('error', onBroken);
    stream.on('end', onBroken);
    // one revision early, and that one is dropped below: etcd keeps the revision it was compacted at, but not every
    // delete in it, so a watch that needs it must end with `gone`
    stream.write(encodeWatchCreate(this.#prefix, endOf(this.#prefix), Math.max(1, this.#after)));
    this.#stream = stream;
  }

  #reopen(cause: unknown): void {
    if (this.#ended) return;
    this.#brokenSince ??= Date.now();
    if (Date.now() - this.#brokenSince >= this.#source.patienceMs) {
      this.end(new StoreUnavailableError('etcd is not available: the watch broke', { cause }));
      return;
    }
    this.#source.connection.rotate(this.#endpoint);
    this.#retry = setTimeout(() => void this.#open(), reopenMs);
    this.#retry.unref();
  }

  #take(bytes: Buffer): void {
    if (this.#ended) return;
    const response = decodeWatch(bytes);
    if (response.canceled) {
      this.end(response.compactRevision > 0 ? 'gone' : new StoreUnavailableError('etcd ended the watch'));
      return;
    }
    this.#brokenSince = undefined;
    if (response.events.length > 0) {
      const news = response.events.filter(({ entry }) => entry.modRevision > this.#after);
      if (news.length > 0) this.#deliver(news.map((event) => this.#event(event)));
    } else if (!response.created && response.revision > this.#after) {
      // only an answer without events shows that there are none: while a watch catches up, more are to come
      this.#advance(revision(response.revision));
    }
  }

  #deliver(events: readonly StoreEvent[]): void {
    void this.#watcher.onEvents(events);
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
