// The Endpoints of a service: addresses of its pods by the ports that they have, as many as one object may hold.

import { isReady } from '../../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import type { Endpoints } from '../../../groups/core/v1/service/endpoints.ts';
import { endpointPort, endpointSubset } from '../../../groups/core/v1/service/endpoints.ts';
import type { Service } from '../../../groups/core/v1/service/service-type.ts';
import { dumpHash } from '../../../groups/dump-hash.ts';
import { formatIp, parseIp } from '../../../meta/ip.ts';
import { hasEndpoint, hostnameOf, targetPort } from '../selected-pods.ts';

type Subset = NonNullable<Endpoints['subsets']>[number];
type Address = NonNullable<Subset['addresses']>[number];
type Port = NonNullable<Subset['ports']>[number];

/** Addresses of one object, ready or not. */
const maxAddresses = 1000;

interface Reached {
  readonly address: Address;
  readonly isReady: boolean;
}

export interface PackedSubsets {
  readonly subsets: readonly Subset[];
  /** Whether addresses were left out. */
  readonly isTruncated: boolean;
}

export function subsetsOf(service: Service, pods: readonly Pod[]): PackedSubsets {
  const { spec = {} } = service;
  const ports = new Map<string, { port: Port | undefined; reached: Reached[] }>();
  for (const pod of pods) {
    const address = hasEndpoint(pod, spec.publishNotReadyAddresses === true) ? addressOf(service, pod) : undefined;
    if (address === undefined) continue;
    for (const port of portsOf(service, pod)) {
      const key = JSON.stringify(port ?? null);
      const group = ports.get(key) ?? { port, reached: [] };
      group.reached.push({ address, isReady: spec.publishNotReadyAddresses === true || isReady(pod) });
      ports.set(key, group);
    }
  }
  return truncated(packed([...ports.values()]));
}

/** A headless service may have no ports at all: its pods are reached by any. */
function portsOf({ spec = {} }: Service, pod: Pod): readonly (Port | undefined)[] {
  const { ports = [] } = spec;
  if (ports.length === 0) return spec.clusterIP === 'None' ? [undefined] : [];
  return ports.flatMap((servicePort) => {
    const port = targetPort(pod, servicePort);
    const { name, protocol, appProtocol } = servicePort;
    const named = { ...(name ? { name } : {}), port, protocol, ...(appProtocol ? { appProtocol } : {}) } as Port;
    return port === undefined ? [] : [named];
  });
}

function addressOf(service: Service, pod: Pod): Address | undefined {
  const [family = 'IPv4'] = service.spec?.ipFamilies ?? [];
  const ip = (pod.status?.podIPs ?? []).map((one) => parseIp(one.ip ?? '')).find((one) => one?.family === family);
  if (ip === undefined) return undefined;
  const { name, namespace, uid } = pod.metadata;
  const hostname = hostnameOf(pod, service);
  return {
    ip: formatIp(ip),
    ...(hostname === undefined ? {} : { hostname }),
    nodeName: pod.spec?.nodeName,
    targetRef: { kind: 'Pod', namespace, name, uid },
  } as Address;
}

function byAddress({ ip: a = '', targetRef: refA }: Address, { ip: b = '', targetRef: refB }: Address): number {
  if (a !== b) return a < b ? -1 : 1;
  return (refA?.uid ?? '') < (refB?.uid ?? '') ? -1 : 1;
}

/** Ports that lead to equal addresses are in one subset. */
function packed(
  groups: readonly { readonly port: Port | undefined; readonly reached: readonly Reached[] }[],
): Subset[] {
  const byReached = new Map<string, { ports: Port[]; reached: readonly Reached[] }>();
  for (const { port, reached } of groups) {
    const sorted = [...reached].sort((a, b) => byAddress(a.address, b.address));
    const key = JSON.stringify(
      sorted.map(({ address, isReady: ready }) => [address.ip, address.targetRef?.uid, ready]),
    );
    const subset = byReached.get(key) ?? { ports: [], reached: sorted };
    if (port !== undefined) subset.ports.push(port);
    byReached.set(key, subset);
  }
  const subsets = [...byReached.values()].map(({ ports, reached }) => {
    const addresses = reached.filter((one) => one.isReady).map(({ address }) => address);
    const notReadyAddresses = reached.filter((one) => !one.isReady).map(({ address }) => address);
    return {
      ...(addresses.length > 0 ? { addresses } : {}),
      ...(notReadyAddresses.length > 0 ? { notReadyAddresses } : {}),
      ...(ports.length > 0 ? { ports: inHashOrder(ports, (port) => dumpHash(endpointPort, port)) } : {}),
    } as Subset;
  });
  return inHashOrder(subsets, (subset) => dumpHash(endpointSubset, subset));
}

/** Kubernetes orders ports and subsets by a hash. */
function inHashOrder<T>(items: readonly T[], hash: (item: T) => bigint): T[] {
  if (items.length < 2) return [...items];
  const hashed = items.map((item) => [hash(item), item] as const);
  return hashed.sort(([a], [b]) => (a < b ? -1 : 1)).map(([, item]) => item);
}

/** Where there are too many addresses, those that are ready come first, and each subset has its share. */
function truncated(subsets: readonly Subset[]): PackedSubsets {
  const count = (name: 'addresses' | 'notReadyAddresses') =>
    subsets.reduce((sum, subset) => sum + (subset[name] ?? []).length, 0);
  const [ready, notReady] = [count('addresses'), count('notReadyAddresses')];
  if (ready + notReady <= maxAddresses) return { subsets, isTruncated: false };
  const cut = ready > maxAddresses ? 'addresses' : 'notReadyAddresses';
  const [most, total] = cut === 'addresses' ? [maxAddresses, ready] : [maxAddresses - ready, notReady];
  let left = most;
  const shortened = subsets.map(({ addresses = [], notReadyAddresses = [], ...subset }) => {
    const list = cut === 'addresses' ? addresses : notReadyAddresses;
    const part = list.slice(0, Math.min(Math.ceil((list.length / total) * most), left));
    left -= part.length;
    return cut === 'addresses' ? { ...subset, addresses: part } : { ...subset, addresses, notReadyAddresses: part };
  });
  return { subsets: shortened as Subset[], isTruncated: true };
}
