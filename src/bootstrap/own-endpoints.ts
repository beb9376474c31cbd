// The addresses of the API servers of the cluster: the Endpoints of their service, and the equal EndpointSlice.

import { networkInterfaces } from 'node:os';
import { isDeepStrictEqual } from 'node:util';
import { type Client, isConflict, isNotFound } from '../client/client.ts';
import type { Endpoints } from '../groups/core/v1/service/endpoints.ts';
import type { EndpointSlice } from '../groups/discovery/v1/endpoint-slice.ts';
import { apiGroup, type Dialect, labelKey } from '../meta/dialect.ts';
import { parseIp, specialPurpose } from '../meta/ip.ts';

/** Where other programs reach this server. */
export interface Reached {
  readonly address: string;
  readonly port: number;
}

/** An address that other machines can use, or one of this machine where there is no other. */
export function advertisedAddress(bindAddress: string): string {
  const loopback = bindAddress.includes(':') ? '::1' : '127.0.0.1';
  if (bindAddress !== '0.0.0.0' && bindAddress !== '::') return parseIp(bindAddress) ? bindAddress : loopback;
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const reachable = own.filter(({ address }) => isReachable(address));
  return (reachable.find(({ family }) => family === 'IPv4') ?? reachable[0])?.address ?? loopback;
}

function isReachable(address: string): boolean {
  const ip = parseIp(address);
  return ip !== undefined && specialPurpose(ip, address) === undefined;
}

/** What the endpoints are to be. */
interface DesiredAddresses {
  readonly addresses: readonly string[];
  /** Whether the port of others gives way to ours; all API servers of a cluster are supposed to have the same. */
  readonly replacesPort: boolean;
}

const maxAttempts = 5;

/** Changes the endpoints; `decide` sees the addresses that are there, or undefined where they are not as they should be. */
export async function changeEndpoints(
  client: Client,
  dialect: Dialect,
  port: number,
  decide: (current: readonly string[] | undefined) => DesiredAddresses,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      const written = await writeEndpoints(client, dialect, (current) => nextEndpoints(current, dialect, port, decide));
      await writeSlice(client, dialect, sliceOf(written, dialect));
      return;
    } catch (error) {
      // the kind is not served
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === maxAttempts) throw error;
    }
  }
}

async function writeEndpoints(
  client: Client,
  { vendor }: Dialect,
  next: (current: Endpoints | undefined) => Endpoints,
): Promise<Endpoints> {
  const collection = '/api/v1/namespaces/default/endpoints';
  const path = `${collection}/${vendor}`;
  const current = await client.find<Endpoints>(path);
  const desired = next(current);
  if (current === undefined) await client.create(collection, desired);
  else if (!isDeepStrictEqual(current, desired)) await client.replace(path, desired);
  return desired;
}

function nextEndpoints(
  current: Endpoints | undefined,
  dialect: Dialect,
  port: number,
  decide: (current: readonly string[] | undefined) => DesiredAddresses,
): Endpoints {
  const [subset, ...more] = current?.subsets ?? [];
  const onlySubset = subset === undefined || more.length > 0 ? undefined : subset;
  const { addresses, replacesPort } = decide(onlySubset?.addresses?.map(({ ip = '' }) => ip));
  const ours = [{ name: 'https', port, protocol: 'TCP' }];
  const ports = onlySubset?.ports === undefined || replacesPort ? ours : onlySubset.ports;
  const labels = { ...current?.metadata.labels, [`endpointslice.${labelKey(dialect, 'skip-mirror')}`]: 'true' };
  const subsets = addresses.length === 0 ? [] : [{ addresses: [...addresses].sort().map((ip) => ({ ip })), ports }];
  const { subsets: _, ...rest } = current ?? {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: { name: dialect.vendor },
  };
  return { ...rest, metadata: { ...rest.metadata, labels }, ...(subsets.length === 0 ? {} : { subsets }) };
}

/** All addresses of one slice are of one family: the older one wins. */
function sliceOf({ subsets: [subset] = [] }: Endpoints, dialect: Dialect): EndpointSlice {
  const all = (subset?.addresses ?? []).map(({ ip = '' }) => ip);
  const isIpv6 = all.length > 0 && all.every((ip) => ip.includes(':'));
  const addresses = all.filter((ip) => ip.includes(':') === isIpv6);
  return {
    kind: 'EndpointSlice',
    apiVersion: `${apiGroup(dialect, 'discovery')}/v1`,
    metadata: { name: dialect.vendor, labels: { [labelKey(dialect, 'service-name')]: dialect.vendor } },
    addressType: isIpv6 ? 'IPv6' : 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: (subset?.ports ?? []).map(({ name = '', port = 0, protocol = 'TCP' }) => ({ name, port, protocol })),
  };
}

async function writeSlice(client: Client, dialect: Dialect, desired: EndpointSlice): Promise<void> {
  const collection = `/apis/${desired.apiVersion}/namespaces/default/endpointslices`;
  const path = `${collection}/${dialect.vendor}`;
  const current = await client.find<EndpointSlice>(path);
  if (current !== undefined && current.addressType === desired.addressType) {
    if (isSameSlice(current, desired)) return;
    const metadata = { ...current.metadata, labels: desired.metadata.labels };
    await client.replace(path, { ...desired, metadata });
    return;
  }
  // the family of a slice cannot be changed
  if (current !== undefined) await client.delete(path);
  await client.create(collection, desired);
}

function isSameSlice(a: EndpointSlice, b: EndpointSlice): boolean {
  const partsOf = ({ endpoints, ports, metadata }: EndpointSlice) => [endpoints ?? [], ports ?? [], metadata.labels];
  return isDeepStrictEqual(partsOf(a), partsOf(b));
}
