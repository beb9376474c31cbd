// Leases for keys that end by themselves. Keys that are written at about the same time share one: a lease per key
// would cost etcd more than the key.

import { randomBytes } from 'node:crypto';
import type { EtcdConnection } from './connection.ts';
import { encodeLeaseGrant } from './messages.ts';

interface Lease {
  readonly id: Promise<number>;
  /** When it is too old to be shared. */
  readonly sharedUntil: number;
  keys: number;
}

/** kube-apiserver shares leases this long and this widely, too. */
const usualShareSeconds = 60;
const maxShare = 0.05;
const maxKeys = 1000;

export class Leases {
  readonly #connection: EtcdConnection;
  readonly #maxShareSeconds: number;
  readonly #byTtl = new Map<number, Lease>();

  constructor(connection: EtcdConnection, maxShareSeconds: number = usualShareSeconds) {
    this.#connection = connection;
    this.#maxShareSeconds = maxShareSeconds;
  }

  /** A lease that lasts at least this long from now on. */
  async lasting(ttlSeconds: number): Promise<number> {
    const now = Date.now();
    let lease = this.#byTtl.get(ttlSeconds);
    if (lease === undefined || now >= lease.sharedUntil || lease.keys >= maxKeys) {
      if (lease !== undefined) this.#connection.calls.leaseObjects.observe(lease.keys + 1);
      const share = Math.min(this.#maxShareSeconds, ttlSeconds * maxShare);
      lease = { id: this.#grant(Math.ceil(ttlSeconds + share)), sharedUntil: now + share * 1000, keys: 0 };
      this.#byTtl.set(ttlSeconds, lease);
    }
    lease.keys++;
    try {
      return await lease.id;
    } catch (error) {
      this.forget(ttlSeconds);
      throw error;
    }
  }

  /** Forgets the lease for this time, which etcd has lost. */
  forget(ttlSeconds: number): void {
    this.#byTtl.delete(ttlSeconds);
  }

  async #grant(ttlSeconds: number): Promise<number> {
    // one of our own making: etcd's are too large for exact numbers
    const id = randomBytes(6).readUIntBE(0, 6) + 1;
    await this.#connection.read('/etcdserverpb.Lease/LeaseGrant', encodeLeaseGrant(id, ttlSeconds));
    return id;
  }
}
