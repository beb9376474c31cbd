// A real etcd behind the Store interface: several servers may share it. Keys are laid out as kube-apiserver lays
// them out.

import { status } from '@grpc/grpc-js';
import { type Revision, revision } from '../../meta/revision.ts';
import type { CallCounts } from '../call-counts.ts';
import {
  type CommitResult,
  CompactedError,
  FutureRevisionError,
  type ListQuery,
  type ListResult,
  type Store,
  type StoredEntry,
  type StoreWatch,
  type StoreWatcher,
  type Write,
} from '../store.ts';
import { EtcdConnection, type EtcdEndpoints, EtcdError } from './connection.ts';
import { EtcdWatch } from './etcd-watch.ts';
import { endOf, KeySpace } from './key-space.ts';
import { Leases } from './leases.ts';
import {
  decodeRange,
  decodeTxn,
  encodeCompaction,
  encodeRange,
  encodeTxn,
  type KeyValue,
  type RangeRequest,
  type RangeResponse,
} from './messages.ts';

export interface EtcdOptions extends EtcdEndpoints {
  /** Where the keys of this cluster begin; `/registry` when not given. */
  readonly prefix?: string;
  /** How long a watch may be without etcd before it ends, in milliseconds. */
  readonly watchPatienceMs?: number;
  /** How long keys that end by themselves share a lease. */
  readonly leaseReuseSeconds?: number;
}

const defaultWatchPatienceMs = 5000;

export function openEtcdStore(options: EtcdOptions): Store {
  const { prefix = '/registry', watchPatienceMs = defaultWatchPatienceMs } = options;
  const connection = new EtcdConnection(options);
  const leases = new Leases(connection, options.leaseReuseSeconds);
  return new EtcdStore({ connection, leases, keys: new KeySpace(prefix), watchPatienceMs });
}

interface EtcdStoreParts {
  readonly connection: EtcdConnection;
  readonly leases: Leases;
  readonly keys: KeySpace;
  readonly watchPatienceMs: number;
}

class EtcdStore implements Store {
  readonly #connection: EtcdConnection;
  readonly #keys: KeySpace;
  readonly #leases: Leases;
  readonly #watches = new Set<EtcdWatch>();
  readonly #watchPatienceMs: number;
  readonly calls: CallCounts;
  #compacted = revision(0);

  constructor({ connection, leases, keys, watchPatienceMs }: EtcdStoreParts) {
    this.#watchPatienceMs = watchPatienceMs;
    this.#connection = connection;
    this.calls = connection.calls;
    this.#keys = keys;
    this.#leases = leases;
  }

  async get(key: string): Promise<StoredEntry | undefined> {
    const { entries } = await this.#range({ key: this.#keys.outside(key) });
    return entries[0] && this.#entry(entries[0]);
  }

  async list({ prefix, after, limit, at, countRemaining }: ListQuery): Promise<ListResult> {
    const outside = this.#keys.outside(prefix);
    const page = await this.#rangeAt(at, {
      key: after === undefined ? outside : `${this.#keys.outside(after)}\0`,
      end: endOf(outside),
      ...(limit === undefined || !Number.isFinite(limit) ? {} : { limit }),
      ...(at === undefined ? {} : { revision: at }),
    });
    const entries = page.entries.map((entry) => this.#entry(entry));
    const remaining = countRemaining ? { remaining: page.count - entries.length } : {};
    return { entries, revision: at ?? revision(page.revision), more: page.more, ...remaining };
  }

  async commit(write: Write): Promise<CommitResult> {
    const result = decodeTxn(await this.#transact(write));
    if (result.succeeded) return { kind: 'committed', revision: revision(result.revision) };
    return { kind: 'conflict', current: result.current && this.#entry(result.current) };
  }

  watch(query: { prefix: string; after: Revision }, watcher: StoreWatcher): StoreWatch {
    const watch = new EtcdWatch(query, watcher, {
      connection: this.#connection,
      keys: this.#keys,
      patienceMs: this.#watchPatienceMs,
      closed: (ended) => this.#watches.delete(ended),
    });
    this.#watches.add(watch);
    return watch;
  }

  async compact(to: Revision): Promise<void> {
    if (to <= this.#compacted) return;
    try {
      await this.#connection.read('/etcdserverpb.KV/Compact', encodeCompaction(to));
    } catch (error) {
      // another server has compacted this far already
      if (!(error instanceof EtcdError) || error.code !== status.OUT_OF_RANGE) throw error;
    }
    this.#compacted = to;
  }

  async currentRevision(): Promise<Revision> {
    const { revision: newest } = await this.#range({ key: this.#keys.outside('/'), countOnly: true });
    return revision(newest);
  }

  async close(): Promise<void> {
    for (const watch of [...this.#watches]) watch.end('closed');
    this.#connection.close();
  }

  async #transact({ key, value, expected, ttlSeconds, traceHeaders }: Write): Promise<Buffer> {
    const txn = { key: this.#keys.outside(key), value, expected };
    const send = (lease: number) =>
      this.#connection.write('/etcdserverpb.KV/Txn', encodeTxn({ ...txn, lease }), traceHeaders);
    if (value === undefined || ttlSeconds === undefined) return send(0);
    try {
      return await send(await this.#leases.lasting(ttlSeconds));
    } catch (error) {
      if (!(error instanceof EtcdError) || error.code !== status.NOT_FOUND) throw error;
      // an etcd client has revoked the lease
      this.#leases.forget(ttlSeconds);
      return send(await this.#leases.lasting(ttlSeconds));
    }
  }

  async #rangeAt(at: Revision | undefined, request: RangeRequest): Promise<RangeResponse> {
    try {
      return await this.#range(request);
    } catch (error) {
      if (!(error instanceof EtcdError) || error.code !== status.OUT_OF_RANGE) throw error;
      if (error.message.includes('compacted')) throw new CompactedError(at ?? revision(0));
      throw new FutureRevisionError(await this.currentRevision());
    }
  }

  async #range(request: RangeRequest): Promise<RangeResponse> {
    return decodeRange(await this.#connection.read('/etcdserverpb.KV/Range', encodeRange(request)));
  }

  #entry({ key, value, modRevision }: KeyValue): StoredEntry {
    return { key: this.#keys.inside(key), value, revision: revision(modRevision) };
  }
}
