// Hashes of values as Go prints them, by which Kubernetes puts parts of objects in order.

import type { StructType } from '../schema/types.ts';
import { goDump } from '../wording/types/go-dump.ts';

const offset = 0x6c62272e07bb014262b821756295c58dn;
const prime = 0x0000000001000000000000000000013bn;
const bits = 128;

/** FNV-1a of 128 bits. */
export function dumpHash(type: StructType, value: unknown): bigint {
  let hash = offset;
  for (const byte of Buffer.from(goDump(type, value))) hash = BigInt.asUintN(bits, (hash ^ BigInt(byte)) * prime);
  return hash;
}
