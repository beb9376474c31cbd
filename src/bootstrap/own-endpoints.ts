// Where this server listens, told to the cluster: the endpoints of its own service.

import { networkInterfaces } from 'node:os';
import { type Client, isConflict, isNotFound } from '../client/client.ts';
import { apiGroup, type Dialect, labelKey } from '../meta/dialect.ts';
import { parseIp, specialPurpose } from '../meta/ip.ts';
import type { ApiObject } from '../meta/object.ts';

export interface Reached {
  readonly address: string;
  readonly port: number;
}

/** An address that other machines can use; undefined when the server listens for its own machine only. */
export function advertisedAddress(bindAddress: string): string | undefined {
  const isAny = bindAddress === '0.0.0.0' || bindAddress === '::';
  const own = Object.values(networkInterfaces()).flatMap((list) => list ?? []);
  const candidates = isAny
    ? own.filter(({ family }) => family === 'IPv4').map(({ address }) => address)
    : [bindAddress];
  return candidates.find((address) => {
    const ip = parseIp(address);
    return ip !== undefined && specialPurpose(ip, address) === undefined;
  });
}

/** Adds an address to the endpoints of the service, or takes it away. */
export async function publishEndpoints(
  client: Client,
  dialect: Dialect,
  reached: Reached,
  listens: boolean,
): Promise<void> {
  await change(client, '/api/v1/namespaces/default/endpoints', dialect.vendor, (current) =>
    endpoints(current, dialect, reached, listens),
  );
  await change(client, slicesPath(dialect), dialect.vendor, (current) => slice(current, dialect, reached, listens));
}

const slicesPath = (dialect: Dialect) => `/apis/${apiGroup(dialect, 'discovery')}/v1/namespaces/default/endpointslices`;

const maxAttempts = 5;

async function change(
  client: Client,
  path: string,
  name: string,
  next: (current: ApiObject | undefined) => object,
): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    const current = await find(client, `${path}/${name}`);
    try {
      if (current === undefined) await client.create(path, next(undefined));
      else await client.replace(`${path}/${name}`, next(current));
      return;
    } catch (error) {
      // the kind is not served
      if (isNotFound(error)) return;
      if (!isConflict(error) || attempt === maxAttempts) throw error;
    }
  }
}

async function find(client: Client, path: string): Promise<ApiObject | undefined> {
  try {
    return await client.get(path);
  } catch (error) {
    if (isNotFound(error)) return undefined;
    throw error;
  }
}

/** The addresses that others publish, with ours or without. */
function others(addresses: readonly string[], { address }: Reached, listens: boolean): readonly string[] {
  const rest = addresses.filter((one) => one !== address);
  return listens ? [...rest, address].sort() : rest;
}

interface Subsets {
  readonly subsets?: readonly { readonly addresses?: readonly { readonly ip: string }[] }[];
}

function endpoints(current: ApiObject | undefined, dialect: Dialect, reached: Reached, listens: boolean): object {
  const known = ((current ?? {}) as Subsets).subsets ?? [];
  const before = known.flatMap(({ addresses = [] }) => addresses.map(({ ip }) => ip));
  const addresses = others(before, reached, listens).map((ip) => ({ ip }));
  const ports = [{ name: 'https', port: reached.port, protocol: 'TCP' }];
  const labels = { [`endpointslice.${labelKey(dialect, 'skip-mirror')}`]: 'true' };
  return {
    kind: 'Endpoints',
    apiVersion: 'v1',
    metadata: current?.metadata ?? { name: dialect.vendor, labels },
    subsets: addresses.length === 0 ? [] : [{ addresses, ports }],
  };
}

interface Slice {
  readonly endpoints?: readonly { readonly addresses: readonly string[] }[];
}

function slice(current: ApiObject | undefined, dialect: Dialect, reached: Reached, listens: boolean): object {
  const before = (((current ?? {}) as Slice).endpoints ?? []).flatMap(({ addresses }) => addresses);
  const addresses = others(before, reached, listens);
  return {
    kind: 'EndpointSlice',
    apiVersion: `${apiGroup(dialect, 'discovery')}/v1`,
    metadata: current?.metadata ?? {
      name: dialect.vendor,
      labels: { [labelKey(dialect, 'service-name')]: dialect.vendor },
    },
    addressType: parseIp(reached.address)?.family ?? 'IPv4',
    endpoints: addresses.map((address) => ({ addresses: [address], conditions: { ready: true } })),
    ports: [{ name: 'https', port: reached.port, protocol: 'TCP' }],
  };
}
