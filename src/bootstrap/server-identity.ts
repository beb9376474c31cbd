// The Lease by which API servers find each other, renewed while a server runs; those of stopped servers are
// deleted.

import { createHash } from 'node:crypto';
import { type Client, isNotFound } from '../client/client.ts';
import { apiGroup, apiserverWord, type Dialect, labelKey } from '../meta/dialect.ts';
import type { ApiObject } from '../meta/object.ts';
import { formatMicroTime } from '../meta/time.ts';

interface ServerIdentity {
  readonly hostname: string;
  /** Unlike that of any other run of this server. */
  readonly run: string;
  /** Where other servers reach it, once it listens. */
  readonly address: string | undefined;
}

interface Lease extends ApiObject {
  readonly spec?: {
    readonly holderIdentity?: string;
    readonly leaseDurationSeconds?: number;
    readonly renewTime?: string;
  };
}

/** A server that has not renewed for this long has stopped. */
const durationSeconds = 3600;

const leasesOf = (dialect: Dialect) =>
  `/apis/${apiGroup(dialect, 'coordination')}/v1/namespaces/${dialect.systemNamespace}/leases`;

const identityLabel = (dialect: Dialect) => `apiserver.${labelKey(dialect, 'identity')}`;

/** One name for a machine: both parts with their lengths before them, hashed, in base 32. */
export function identityName(dialect: Dialect, hostname: string): string {
  const hash = createHash('sha256');
  for (const part of [hostname, apiserverWord(dialect)]) {
    const bytes = Buffer.from(part);
    hash.update(Buffer.of(bytes.length >> 8, bytes.length & 255)).update(bytes);
  }
  return `apiserver-${base32(hash.digest().subarray(0, 16))}`;
}

export async function renewIdentity(client: Client, dialect: Dialect, identity: ServerIdentity, now: number) {
  const name = identityName(dialect, identity.hostname);
  const path = `${leasesOf(dialect)}/${name}`;
  const spec = {
    holderIdentity: `${name}_${identity.run}`,
    leaseDurationSeconds: durationSeconds,
    renewTime: formatMicroTime(now),
  };
  const lease = await client.find<Lease>(path);
  const metadata = withMarks(lease?.metadata ?? { name }, dialect, identity);
  if (lease !== undefined) await client.replace(path, { ...lease, metadata, spec: { ...lease.spec, ...spec } });
  else await client.create(leasesOf(dialect), { kind: 'Lease', metadata, spec });
}

function withMarks(metadata: ApiObject['metadata'], dialect: Dialect, { hostname, address }: ServerIdentity) {
  const labels = {
    ...metadata.labels,
    [identityLabel(dialect)]: apiserverWord(dialect),
    [labelKey(dialect, 'hostname')]: hostname,
  };
  if (address === undefined) return { ...metadata, labels };
  return {
    ...metadata,
    labels,
    annotations: { ...metadata.annotations, [labelKey(dialect, 'peer-advertise-address')]: address },
  };
}

/** Deletes the Leases of stopped servers. */
export async function collectIdentities(client: Client, dialect: Dialect, now: number): Promise<void> {
  const selector = encodeURIComponent(`${identityLabel(dialect)}=${apiserverWord(dialect)}`);
  const { items } = await client.list(`${leasesOf(dialect)}?labelSelector=${selector}`);
  for (const { metadata } of items.filter((lease) => isOver(lease, now))) {
    const { name, uid, resourceVersion } = metadata;
    try {
      // one that was renewed meanwhile stays
      await client.delete(`${leasesOf(dialect)}/${name}`, { preconditions: { uid, resourceVersion } });
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  }
}

function isOver({ spec: { renewTime, leaseDurationSeconds } = {} }: Lease, now: number): boolean {
  if (renewTime === undefined || leaseDurationSeconds === undefined) return true;
  return Date.parse(renewTime) + leaseDurationSeconds * 1000 < now;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz234567';

function base32(bytes: Uint8Array): string {
  let bits = '';
  for (const byte of bytes) bits += byte.toString(2).padStart(8, '0');
  return (bits.match(/.{1,5}/g) ?? []).map((five) => alphabet[Number.parseInt(five.padEnd(5, '0'), 2)]).join('');
}
