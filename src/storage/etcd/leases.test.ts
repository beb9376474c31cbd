import { expect, test } from 'vitest';
import type { EtcdConnection } from './connection.ts';
import { Leases } from './leases.ts';

function counted(): { readonly connection: EtcdConnection; grants(): number } {
  let grants = 0;
  const read = async () => {
    grants++;
  };
  return { connection: { read } as unknown as EtcdConnection, grants: () => grants };
}

test('keys that end at about the same time share a lease', async () => {
  const { connection, grants } = counted();
  const leases = new Leases(connection);
  expect(await leases.lasting(3600)).toBe(await leases.lasting(3600));
  expect(grants()).toBe(1);
});

test('with no time to share it, each key has a lease of its own', async () => {
  const { connection, grants } = counted();
  const leases = new Leases(connection, 0);
  expect(await leases.lasting(3600)).not.toBe(await leases.lasting(3600));
  expect(grants()).toBe(2);
});
