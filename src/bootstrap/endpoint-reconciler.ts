// How API servers agree on the endpoints of their own service.

import type { Client } from '../client/client.ts';
import type { Dialect } from '../meta/dialect.ts';
import type { ReconcilerType } from '../meta/reconciler-type.ts';
import type { Leases } from './endpoint-leases.ts';
import { changeEndpoints, type Reached } from './own-endpoints.ts';

export interface EndpointReconciler {
  /** Makes this server one of the endpoints; called again and again. */
  reconcile(): Promise<void>;
  /** Takes this server away; nothing is reconciled afterwards. */
  remove(): Promise<void>;
}

interface ReconcilerParts {
  readonly client: Client;
  readonly dialect: Dialect;
  readonly reached: Reached;
  readonly leases: Leases;
  /** How many API servers there are supposed to be. */
  readonly count: number;
}

const makers: Readonly<Record<ReconcilerType, (parts: ReconcilerParts) => EndpointReconciler>> = {
  lease: byLease,
  'master-count': byCount,
  none: () => ({ reconcile: async () => {}, remove: async () => {} }),
};

export const endpointReconciler = (type: ReconcilerType, parts: ReconcilerParts): EndpointReconciler =>
  makers[type](parts);

/** Servers whose lease has not ended are there. */
function byLease({ client, dialect, reached: { address, port }, leases }: ReconcilerParts): EndpointReconciler {
  const write = async (addresses: readonly string[], isFirst: boolean) => {
    const replacesPort = isFirst || (addresses.length === 1 && addresses[0] === address);
    await changeEndpoints(client, dialect, port, () => ({ addresses, replacesPort }));
  };
  let isFirst = true;
  return {
    async reconcile() {
      await leases.renew(address);
      const addresses = await leases.list();
      // ours is there: something is wrong with the store, and the other servers may well be there
      if (addresses.length === 0)
        throw new Error('no leases of API servers were found: the endpoints stay as they are');
      await write(addresses, isFirst);
      isFirst = false;
    },
    async remove() {
      await leases.remove(address);
      await write(await leases.list(), false);
    },
  };
}

/** Every server adds itself, and pushes out those behind it when there are more than there should be. */
function byCount({ client, dialect, reached: { address, port }, count }: ReconcilerParts): EndpointReconciler {
  return {
    reconcile: () =>
      changeEndpoints(client, dialect, port, (current) => ({
        addresses: current === undefined ? [address] : withOwn(current, address, count),
        replacesPort: current === undefined,
      })),
    remove: () =>
      changeEndpoints(client, dialect, port, (current = []) => ({
        addresses: current.filter((one) => one !== address),
        replacesPort: false,
      })),
  };
}

/** At most `count`: our own and those before it, going round. */
export function withOwn(current: readonly string[], own: string, count: number): readonly string[] {
  const all = [...new Set([...current, own])].sort();
  const after = all.indexOf(own) + 1;
  const surplus = Math.max(0, all.length - count);
  const dropped = new Set(Array.from({ length: surplus }, (_, index) => all[(after + index) % all.length]));
  return all.filter((address) => !dropped.has(address));
}
