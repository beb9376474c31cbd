// The endpoint slices of a service: which endpoints it has, and how they are spread over slices with few changes.

import type { Node } from '../../../groups/core/v1/node/node-type.ts';
import { isReady } from '../../../groups/core/v1/pod/pod-status.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import { isHeadless } from '../../../groups/core/v1/service/service-fields.ts';
import type { Service } from '../../../groups/core/v1/service/service-type.ts';
import type { EndpointSlice } from '../../../groups/discovery/v1/endpoint-slice.ts';
import { apiGroup, type Dialect, labelKey, partKey, topologyLabel } from '../../../meta/dialect.ts';
import { formatIp, parseIp } from '../../../meta/ip.ts';
import { podPrefix } from '../pod-control.ts';
import { hasEndpoint, hostnameOf, targetPort } from '../selected-pods.ts';
import { isSemanticallyEqual } from '../semantic-equality.ts';

type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];
type Ports = NonNullable<EndpointSlice['ports']>;
type AddressType = 'IPv4' | 'IPv6';

export interface SliceChanges {
  readonly created: readonly EndpointSlice[];
  readonly updated: readonly EndpointSlice[];
  readonly deleted: readonly EndpointSlice[];
}

interface SliceInputs {
  readonly service: Service;
  readonly pods: readonly Pod[];
  readonly existing: readonly EndpointSlice[];
  readonly dialect: Dialect;
  nodeNamed(name: string): Node | undefined;
}

const maxEndpoints = 100;

export function sliceChanges(inputs: SliceInputs): SliceChanges {
  const { service, existing } = inputs;
  const families = (service.spec?.ipFamilies ?? []) as readonly AddressType[];
  const foreign = existing.filter(({ addressType }) => !families.some((family) => family === addressType));
  const parts = families.map((family) =>
    changesOfFamily(
      inputs,
      family,
      existing.filter(({ addressType }) => addressType === family),
    ),
  );
  return {
    created: parts.flatMap(({ created }) => created),
    updated: parts.flatMap(({ updated }) => updated),
    deleted: [...foreign, ...parts.flatMap(({ deleted }) => deleted)],
  };
}

interface Group {
  readonly ports: Ports;
  /** By the key of endpoints. */
  readonly endpoints: Map<string, Endpoint>;
}

function changesOfFamily(inputs: SliceInputs, family: AddressType, existing: readonly EndpointSlice[]): SliceChanges {
  const groups = desiredGroups(inputs, family);
  const byPorts = new Map<string, EndpointSlice[]>();
  for (const slice of existing) {
    const key = portsKey(slice.ports ?? []);
    byPorts.set(key, [...(byPorts.get(key) ?? []), slice]);
  }
  const changes = [...groups].map(([key, group]) => changesOfGroup(inputs, group, family, byPorts.get(key) ?? []));
  const created = changes.flatMap((change) => change.created);
  const updated = changes.flatMap((change) => change.updated);
  const unwanted = [...byPorts].filter(([key]) => !groups.has(key)).flatMap(([, slices]) => slices);
  const deleted = [...changes.flatMap((change) => change.deleted), ...unwanted];
  if (existing.length === deleted.length && created.length === 0) {
    const placeholder = newSlice(inputs, family, []);
    const [only] = deleted;
    if (deleted.length === 1 && only !== undefined && isPlaceholder(only, placeholder))
      return { created, updated, deleted: [] };
    created.push(placeholder);
  }
  return reused({ created, updated, deleted });
}

/** A service without endpoints has one slice without them. */
const isPlaceholder = (slice: EndpointSlice, placeholder: EndpointSlice): boolean =>
  isSemanticallyEqual(
    [slice.endpoints, slice.ports, slice.metadata.labels],
    [placeholder.endpoints, placeholder.ports, placeholder.metadata.labels],
  );

/** Slices that would be deleted take the content of those that would be created. */
function reused({ created, updated, deleted }: SliceChanges): SliceChanges {
  const pairs = Math.min(created.length, deleted.length);
  const renamed = created.slice(created.length - pairs).map((slice, index) => {
    const { name, resourceVersion, uid } = (deleted[index] as EndpointSlice).metadata;
    const { generateName: _, ...metadata } = slice.metadata;
    return { ...slice, metadata: { ...metadata, name, resourceVersion, uid } } as EndpointSlice;
  });
  return {
    created: created.slice(0, created.length - pairs),
    updated: [...updated, ...renamed],
    deleted: deleted.slice(pairs),
  };
}

function desiredGroups(inputs: SliceInputs, family: AddressType): ReadonlyMap<string, Group> {
  const { service, pods, nodeNamed } = inputs;
  const groups = new Map<string, Group>();
  for (const pod of pods) {
    if (!hasEndpoint(pod, true)) continue;
    const ports = portsOf(service, pod);
    const key = portsKey(ports);
    const group = groups.get(key) ?? { ports, endpoints: new Map() };
    groups.set(key, group);
    const node = nodeNamed(pod.spec?.nodeName ?? '');
    if (node === undefined && service.spec?.publishNotReadyAddresses !== true) continue;
    const endpoint = endpointOf(inputs, family, pod, node);
    if (endpoint !== undefined) group.endpoints.set(endpointKey(endpoint), endpoint);
  }
  return groups;
}

const endpointKey = ({ addresses = [], hostname, targetRef }: Endpoint): string =>
  JSON.stringify([...addresses, hostname, targetRef?.uid]);

const portsKey = (ports: Ports): string =>
  ports
    .map(({ name = '', port, protocol, appProtocol = '' }) => JSON.stringify([name, port, protocol, appProtocol]))
    .sort()
    .join(' ');

function portsOf({ spec = {} }: Service, pod: Pod): Ports {
  return (spec.ports ?? []).flatMap((servicePort) => {
    const port = targetPort(pod, servicePort);
    const { name = '', protocol, appProtocol } = servicePort;
    return port === undefined ? [] : [{ name, port, protocol, ...(appProtocol ? { appProtocol } : {}) }];
  }) as Ports;
}

function endpointOf(
  { service, dialect }: SliceInputs,
  family: AddressType,
  pod: Pod,
  node: Node | undefined,
): Endpoint | undefined {
  const ips = (pod.status?.podIPs ?? []).map(({ ip = '' }) => parseIp(ip));
  const addresses = ips.filter((ip) => ip?.family === family).map((ip) => formatIp(ip as NonNullable<typeof ip>));
  if (addresses.length === 0) return undefined;
  const { name, namespace, uid, deletionTimestamp } = pod.metadata;
  const serving = isReady(pod);
  const terminating = deletionTimestamp !== undefined;
  const ready = service.spec?.publishNotReadyAddresses === true || (serving && !terminating);
  const zone = node?.metadata.labels?.[topologyLabel(dialect, 'zone')];
  const hostname = hostnameOf(pod, service);
  const { nodeName } = pod.spec ?? {};
  const hints = hintsFor(service, zone, nodeName);
  return {
    addresses,
    conditions: { ready, serving, terminating },
    ...(hostname === undefined ? {} : { hostname }),
    targetRef: { kind: 'Pod', namespace, name, uid },
    ...(nodeName ? { nodeName } : {}),
    ...(zone ? { zone } : {}),
    ...(hints === undefined ? {} : { hints }),
  } as Endpoint;
}

function hintsFor({ spec }: Service, zone: string | undefined, nodeName: string | undefined): object | undefined {
  const { trafficDistribution } = spec ?? {};
  const forZones = zone ? { forZones: [{ name: zone }] } : {};
  if (trafficDistribution === 'PreferClose' || trafficDistribution === 'PreferSameZone')
    return zone ? forZones : undefined;
  if (trafficDistribution !== 'PreferSameNode') return undefined;
  return { ...forZones, ...(nodeName ? { forNodes: [{ name: nodeName }] } : {}) };
}

/** Endpoints stay in the slice that has them; new ones fill slices that change anyway, then another one, then new ones. */
function changesOfGroup(
  inputs: SliceInputs,
  { ports, endpoints }: Group,
  family: AddressType,
  existing: readonly EndpointSlice[],
): SliceChanges {
  const left = new Map(endpoints);
  const changed: EndpointSlice[] = [];
  const unchanged: EndpointSlice[] = [];
  const deleted: EndpointSlice[] = [];
  for (const slice of existing) {
    const before = slice.endpoints ?? [];
    const keptInSlice = keptEndpoints(before, left);
    const labels = sliceLabels(inputs);
    const isEqual = isSemanticallyEqual(keptInSlice, before) && isSemanticallyEqual(labels, slice.metadata.labels);
    if (isEqual) unchanged.push(slice);
    else if (keptInSlice.length === 0) deleted.push(slice);
    else changed.push({ ...slice, metadata: { ...slice.metadata, labels }, endpoints: keptInSlice });
  }
  const updated = changed.sort((a, b) => sizeOf(b) - sizeOf(a)).map((slice) => filled(slice, left));
  const spare = left.size === 0 || left.size >= maxEndpoints ? undefined : fullest(unchanged, left.size);
  if (spare !== undefined) updated.push(filled(spare, left));
  const created: EndpointSlice[] = [];
  while (left.size > 0) created.push(filled(newSlice(inputs, family, ports), left));
  return { created, updated, deleted };
}

const sizeOf = ({ endpoints }: EndpointSlice): number => (endpoints ?? []).length;

/** The slice with the least space left after so many more. */
function fullest(slices: readonly EndpointSlice[], more: number): EndpointSlice | undefined {
  const fitting = slices.filter((slice) => sizeOf(slice) + more <= maxEndpoints);
  return fitting.sort((a, b) => sizeOf(b) - sizeOf(a))[0];
}

/** Endpoints of a slice that are still desired, as they are now; they are taken from `left`. */
function keptEndpoints(before: readonly Endpoint[], left: Map<string, Endpoint>): Endpoint[] {
  return before.flatMap((endpoint) => {
    const key = endpointKey(endpoint);
    const current = left.get(key);
    left.delete(key);
    return current === undefined ? [] : [current];
  });
}

function filled(slice: EndpointSlice, left: Map<string, Endpoint>): EndpointSlice {
  const endpoints = [...(slice.endpoints ?? [])];
  for (const [key, endpoint] of left) {
    if (endpoints.length >= maxEndpoints) break;
    endpoints.push(endpoint);
    left.delete(key);
  }
  return { ...slice, endpoints };
}

function newSlice(inputs: SliceInputs, addressType: AddressType, ports: Ports): EndpointSlice {
  const { service } = inputs;
  const { name = '', namespace = '', uid = '' } = service.metadata;
  return {
    kind: 'EndpointSlice',
    apiVersion: `${apiGroup(inputs.dialect, 'discovery')}/v1`,
    metadata: {
      generateName: podPrefix(service),
      namespace,
      labels: sliceLabels(inputs),
      ownerReferences: [{ apiVersion: 'v1', kind: 'Service', name, uid, controller: true, blockOwnerDeletion: true }],
    },
    addressType,
    ports,
    endpoints: [],
  };
}

/** The labels of the service, with the name of the service and the manager of the slice. */
function sliceLabels({ service, dialect }: SliceInputs): Readonly<Record<string, string>> {
  const headless = partKey(dialect, 'service', 'headless');
  const { [headless]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service.spec ?? {}) ? { [headless]: '' } : {}),
    [labelKey(dialect, 'service-name')]: service.metadata.name ?? '',
    [partKey(dialect, 'endpointslice', 'managed-by')]: managerOf(dialect),
  };
}

export const managerOf = (dialect: Dialect): string => apiGroup(dialect, 'endpointslice-controller');
