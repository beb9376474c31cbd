import { expect, test } from 'vitest';
import { CallCounts } from '../call-counts.ts';
import type { EtcdConnection } from './connection.ts';
import { Leases } from './leases.ts';

function counted(): { readonly connection: EtcdConnection; readonly calls: CallCounts; grants(): number } {
  let grants = 0;
  const read = async () => {
    grants++;
  };
  const calls = new CallCounts();
  return { connection: { read, calls } as unknown as EtcdConnection, calls, grants: () => grants };
}

test('keys that end at about the same time share a lease', async () => {
  const { connection, grants } = counted();
  const leases = new Leases(connection);
  expect(await leases.lasting(3600)).toBe(await leases.lasting(3600));
  expect(grants()).toBe(1);
});

test('with no time to share it, each key has its own lease', async () => {
  const { connection, calls, grants } = counted();
  const leases = new Leases(connection, 0);
  expect(await leases.lasting(3600)).not.toBe(await leases.lasting(3600));
  expect(grants()).toBe(2);
  expect([calls.leaseObjects.count, calls.leaseObjects.sum]).toEqual([1, 2]);
});
