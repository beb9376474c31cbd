// Addresses of services: each is an IPAddress object, so that no two services, on however many servers, get the same one.

import { apiGroup, type Dialect, labelKey } from '../../../../meta/dialect.ts';
import {
  formatIp,
  formatRange,
  type IpAddress,
  type IpFamily,
  type IpRange,
  networkOf,
  parseIp,
  parseRange,
  rangeContains,
  sizeOfRange,
} from '../../../../meta/ip.ts';
import type { ApiObject, ObjectRef } from '../../../../meta/object.ts';
import { ApiError } from '../../../../meta/status.ts';
import type { AllocationCall, AllocationTry } from '../../../../schema/allocator.ts';
import type { ServiceCIDR } from '../../../networking/v1/service-cidr.ts';

/** An address that cannot be had, in words. */
export class AddressError extends Error {}

const networking = (call: AllocationCall, resource: string) => ({
  group: apiGroup(call.dialect, 'networking'),
  version: 'v1',
  resource,
});

/** Ranges that addresses are taken from, those of the cluster's own object first. */
export async function serviceRanges(call: AllocationCall): Promise<readonly IpRange[]> {
  const objects = await call.objects.list<ServiceCIDR>(networking(call, 'servicecidrs'), '');
  const own = (one: ServiceCIDR) => (one.metadata.name === call.dialect.vendor ? 0 : 1);
  const usable = objects.filter(isUsable).sort((a, b) => own(a) - own(b));
  const ranges = usable.flatMap(({ spec }) => (spec?.cidrs ?? []).map(parseRange));
  return ranges.filter((range): range is IpRange => range !== undefined);
}

/** Not about to go, and not said to be unready. */
function isUsable({ metadata, status }: ServiceCIDR): boolean {
  const ready = (status?.conditions ?? []).find(({ type }) => type === 'Ready');
  return metadata.deletionTimestamp === undefined && (ready === undefined || ready.status === 'True');
}

export function familiesOf(ranges: readonly IpRange[]): readonly IpFamily[] {
  return [...new Set(ranges.map(({ address }) => address.family))];
}

/** First and last address that may be handed out: no network address, in IPv4 no broadcast address. */
function usableBounds(range: IpRange): { readonly first: bigint; readonly last: bigint } {
  const base = networkOf(range).value;
  const last = base + sizeOfRange(range) - (range.address.family === 'IPv4' ? 2n : 1n);
  return { first: base + 1n, last };
}

/** Whether services may have an address of a range. */
export function isUsableIn(range: IpRange, address: IpAddress): boolean {
  const { first, last } = usableBounds(range);
  return rangeContains(range, address) && address.value >= first && address.value <= last;
}

export interface AddressRequest {
  readonly owner: ObjectRef;
  readonly ranges: readonly IpRange[];
}

/** Reserves one certain address. */
export async function reserveAddress(text: string, request: AddressRequest, call: AllocationCall): Promise<void> {
  const address = parseIp(text) as IpAddress;
  const found = request.ranges.find((range) => isUsableIn(range, address));
  if (found === undefined) throw new AddressError(outside(address, request, call));
  // compat: a dry run does not look whether an address is free
  if (call.dryRun) return;
  const began = performance.now();
  if (!(await claim(address, request.owner, call, () => reportFailure(found, 'static', call))))
    throw new AddressError('provided IP is already allocated');
  report(found, 'static', began, call);
}

/** compat: a dry run knows one range of each family, and names it */
function outside(address: IpAddress, { ranges }: AddressRequest, { dryRun }: AllocationCall): string {
  const range = ranges.find((one) => one.address.family === address.family);
  if (!dryRun || range === undefined) return 'the provided network does not match the current range';
  const where = `The range of valid IPs is ${formatRange(range)}`;
  return `the provided IP (${formatIp(address)}) is not in the valid range. ${where}`;
}

type Scope = AllocationTry['scope'];

function report(range: IpRange, scope: Scope, began: number, { onAllocation }: AllocationCall) {
  const seconds = (performance.now() - began) / 1000;
  onAllocation?.({ of: 'address', range: formatRange(range), scope, failed: false, seconds });
}

function reportFailure(range: IpRange, scope: Scope, { onAllocation }: AllocationCall) {
  onAllocation?.({ of: 'address', range: formatRange(range), scope, failed: true });
}

/** Reserves any address of a family. */
export async function reserveAnyAddress(
  family: IpFamily,
  request: AddressRequest,
  call: AllocationCall,
): Promise<string> {
  const ranges = request.ranges.filter(({ address }) => address.family === family);
  // compat: a dry run shows the address of the network, it does not look for a free one
  if (call.dryRun && ranges[0] !== undefined) return formatIp(networkOf(ranges[0]));
  const began = performance.now();
  for (const range of ranges) {
    const onFailure = () => reportFailure(range, 'dynamic', call);
    for (const ring of ringsOf(range)) {
      const address = await claimIn(ring, family, request.owner, call, onFailure);
      if (address === undefined) continue;
      report(range, 'dynamic', began, call);
      return formatIp(address);
    }
    onFailure();
  }
  throw new AddressError('range is full');
}

/** How many tries a range of IPv6 is worth: it has more addresses than clients can ask for. */
const maxTries = 65536n;

/** Addresses that are tried one after the other, from a random one on. */
interface Ring {
  readonly first: bigint;
  readonly size: bigint;
  readonly start: bigint;
}

/** In the order in which they are tried: the upper part first, the lower is for those who choose their own. */
function ringsOf(range: IpRange): readonly Ring[] {
  const { first, last } = usableBounds(range);
  const kept = reservedForChoice(range);
  const rings = [ringFrom(first + kept, last), ringFrom(first, first + kept - 1n)];
  return rings.filter(({ size }) => size > 0n);
}

/** A sixteenth of the range, within bounds; nothing of a small one. */
function reservedForChoice(range: IpRange): bigint {
  const size = sizeOfRange(range);
  if (size < 32n) return 0n;
  const part = size / 16n;
  return part < 16n ? 16n : part > 256n ? 256n : part;
}

function ringFrom(first: bigint, last: bigint): Ring {
  const size = last - first + 1n;
  const start = BigInt(Math.floor(Math.random() * Math.min(Number(size), 2 ** 48)));
  return { first, size, start };
}

/** Undefined where no address that was tried is free. */
async function claimIn(
  { first, size, start }: Ring,
  family: IpFamily,
  owner: ObjectRef,
  call: AllocationCall,
  onFailure: () => void,
): Promise<IpAddress | undefined> {
  const tries = size < maxTries ? size : maxTries;
  for (let nth = 0n; nth < tries; nth++) {
    const address = { family, value: first + ((start + nth) % size) };
    if (!(await isTaken(address, call)) && (await claim(address, owner, call, onFailure))) return address;
  }
  return undefined;
}

const isTaken = async (address: IpAddress, call: AllocationCall): Promise<boolean> =>
  (await call.objects.get(networking(call, 'ipaddresses'), { namespace: '', name: formatIp(address) })) !== undefined;

/** False when another object has it. */
async function claim(
  address: IpAddress,
  owner: ObjectRef,
  call: AllocationCall,
  onFailure: () => void,
): Promise<boolean> {
  try {
    await call.objects.requests.create(networking(call, 'ipaddresses'), addressObject(address, owner, call.dialect));
    return true;
  } catch (error) {
    onFailure();
    if (error instanceof ApiError && error.reason === 'AlreadyExists') return false;
    throw error;
  }
}

/** The object that says which service has an address. */
export function addressObject(address: IpAddress, { namespace, name }: ObjectRef, dialect: Dialect): ApiObject {
  return {
    kind: 'IPAddress',
    apiVersion: `${apiGroup(dialect, 'networking')}/v1`,
    metadata: { name: formatIp(address), labels: addressLabels(address, dialect) },
    spec: { parentRef: { resource: 'services', namespace, name } },
  };
}

/** By these the addresses of services are told from those that other programs manage. */
export const addressLabels = ({ family }: IpAddress, dialect: Dialect): Readonly<Record<string, string>> => ({
  [`ipaddress.${labelKey(dialect, 'ip-family')}`]: family,
  ...managerLabel(dialect),
});

export const managerLabel = (dialect: Dialect): Readonly<Record<string, string>> => ({
  [`ipaddress.${labelKey(dialect, 'managed-by')}`]: apiGroup(dialect, 'ipallocator'),
});

/** Gives addresses back; one that is gone already, or that a policy keeps, is fine. */
export async function releaseAddresses(texts: readonly string[], call: AllocationCall): Promise<void> {
  for (const text of texts) {
    const address = parseIp(text);
    if (address === undefined) continue;
    try {
      await call.objects.requests.delete(networking(call, 'ipaddresses'), { namespace: '', name: formatIp(address) });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
  }
}
