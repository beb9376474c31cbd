// What every cluster's service network begins with: the range of addresses, the record of node ports, and the service
// by which programs in the cluster find this server.

import type { Clock } from '../base/time/clock.ts';
import { type Client, isConflict, isInvalid, isNotFound } from '../client/client.ts';
import { nodePortsRecord, PortMap, type PortRange } from '../groups/core/v1/service/node-ports.ts';
import { specOf } from '../groups/core/v1/service/service-fields.ts';
import { heldPorts } from '../groups/core/v1/service/service-ports.ts';
import type { Service } from '../groups/core/v1/service/service-type.ts';
import { readyRange, type ServiceCIDR } from '../groups/networking/v1/service-cidr.ts';
import { apiGroup, type Dialect } from '../meta/dialect.ts';
import { formatIp, formatRange, type IpRange, networkOf, parseRange } from '../meta/ip.ts';
import type { ApiObject } from '../meta/object.ts';
import { formatTime } from '../meta/time.ts';
import type { Records } from '../schema/allocator.ts';

interface ServiceNetwork {
  readonly dialect: Dialect;
  /** Fulfilled when there is a namespace for the service. */
  readonly namespaces: Promise<void>;
  readonly ranges: readonly string[];
  readonly nodePorts: PortRange;
  /** The port that clients use. */
  readonly securePort: number;
  /** The port of every node by which the service is reached; 0 for none. */
  readonly ownNodePort?: number;
  readonly clock: Clock;
}

export async function createServiceNetwork(client: Client, records: Records, network: ServiceNetwork): Promise<void> {
  const [range] = await Promise.all([
    ensureRange(client, network),
    recordNodePorts(client, records, network.nodePorts),
    network.namespaces,
  ]);
  await Promise.all([
    range && markReady(client, network, range),
    releaseLostAddress(client, network).then(() => createOwnService(client, network)),
  ]);
}

/** Creates an object unless it exists; undefined where its kind is not served, or another client was faster. */
async function ensure(client: Client, path: string, name: string, object: object): Promise<ApiObject | undefined> {
  try {
    return await client.get(`${path}/${name}`);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
  try {
    return await client.create(path, object);
  } catch (error) {
    if (isConflict(error) || isNotFound(error)) return undefined;
    throw error;
  }
}

const rangesPath = (dialect: Dialect) => `/apis/${apiGroup(dialect, 'networking')}/v1/servicecidrs`;

type DefaultRange = Pick<ServiceNetwork, 'dialect' | 'ranges' | 'clock'>;

/** Undefined where the kind is not served. */
export async function ensureDefaultRange(client: Client, network: DefaultRange): Promise<ServiceCIDR | undefined> {
  const range = await ensureRange(client, network);
  if (range !== undefined) await markReady(client, network, range);
  return range;
}

/** Creates the range, and adds the second family to one that has the first only. */
async function ensureRange(client: Client, { dialect, ranges }: DefaultRange): Promise<ServiceCIDR | undefined> {
  const apiVersion = `${apiGroup(dialect, 'networking')}/v1`;
  const metadata = { name: dialect.vendor };
  const path = rangesPath(dialect);
  const range = (await ensure(client, path, dialect.vendor, {
    ...{ kind: 'ServiceCIDR', apiVersion, metadata, spec: { cidrs: ranges } },
  })) as ServiceCIDR | undefined;
  const { cidrs = [] } = range?.spec ?? {};
  const lacksFamily = cidrs.length === 1 && ranges.length === 2 && isSameRange(cidrs[0], ranges[0]);
  if (range === undefined || !lacksFamily || range.metadata.deletionTimestamp !== undefined) return range;
  const own = `${path}/${dialect.vendor}`;
  const { uid, resourceVersion } = range.metadata;
  await client.merge(own, { metadata: { uid, resourceVersion }, spec: { cidrs: ranges } });
  return client.find<ServiceCIDR>(own);
}

const isSameRange = (a = '', b = ''): boolean => {
  const [one, other] = [parseRange(a), parseRange(b)];
  return one !== undefined && other !== undefined && formatRange(one) === formatRange(other);
};

/** Whether the stored range is the one that the options name. */
export const isAsConfigured = ({ spec }: ServiceCIDR, ranges: readonly string[]): boolean =>
  spec?.cidrs?.length === ranges.length && ranges.every((range, index) => isSameRange(range, spec.cidrs?.[index]));

/** A condition that is there stays: the controller of ranges, or an administrator, set it. */
async function markReady(client: Client, { dialect, clock, ranges }: DefaultRange, range: ServiceCIDR): Promise<void> {
  const { kind, apiVersion, metadata, status } = range;
  const ready = (status?.conditions ?? []).find(({ type }) => type === 'Ready');
  const isDecided = ready !== undefined && ready.status !== 'Unknown';
  if (isDecided || metadata.deletionTimestamp !== undefined || !isAsConfigured(range, ranges)) return;
  const condition = { type: 'Ready', ...readyRange, lastTransitionTime: formatTime(clock.now()) };
  const applied = { kind, apiVersion, metadata: { name: metadata.name }, status: { conditions: [condition] } };
  const manager = `${dialect.vendor}-service-cidr-controller`;
  await client.apply(`${rangesPath(dialect)}/${dialect.vendor}/status`, applied, manager, { force: true });
}

/** A record of another range is made again from the existing services. */
async function recordNodePorts(client: Client, records: Records, range: PortRange): Promise<void> {
  const isSame = (record: unknown) => {
    const { from, to } = PortMap.read(record).range;
    return record !== undefined && from === range.from && to === range.to;
  };
  let stale = false;
  await records.update(
    nodePortsRecord,
    (record) => {
      stale = !isSame(record);
      return undefined;
    },
    'is replaced',
  );
  if (!stale) return;
  const services = await listServices(client);
  await records.update(
    nodePortsRecord,
    (record) => {
      if (isSame(record)) return undefined;
      const map = new PortMap(range);
      const ports = services.flatMap((service) => heldPorts(specOf(service)));
      for (const port of ports) if (map.covers(port)) map.set(port);
      return map.write();
    },
    'is replaced',
  );
}

/** None where the kind is not served. */
async function listServices(client: Client): Promise<readonly Service[]> {
  try {
    return (await client.list('/api/v1/services')).items as readonly Service[];
  } catch (error) {
    if (isNotFound(error)) return [];
    throw error;
  }
}

/** Requests do not take longer: an address this old whose service is not there was taken by a server that died. */
const lostAfterMs = 2 * 60_000;

/** Its own address; all others are looked after once the server runs. */
async function releaseLostAddress(client: Client, { dialect, clock, ranges }: ServiceNetwork): Promise<void> {
  if ((await client.find(`${services}/${dialect.vendor}`)) !== undefined) return;
  const path = `/apis/${apiGroup(dialect, 'networking')}/v1/ipaddresses/${ownAddress(ranges)}`;
  const made = Date.parse((await client.find(path))?.metadata.creationTimestamp ?? '');
  if (!(clock.now() - made > lostAfterMs)) return;
  try {
    await client.delete(path);
  } catch (error) {
    if (!isNotFound(error)) throw error;
  }
}

/** The first address of the range. */
function ownAddress(ranges: readonly string[]): string {
  const network = networkOf(parseRange(ranges[0] ?? '') as IpRange);
  return formatIp({ family: network.family, value: network.value + 1n });
}

/** Waits for another server that starts now: it has the address already, and is about to store the service. */
async function createOwnService(client: Client, network: ServiceNetwork): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      await ensureOwnService(client, network);
      return;
    } catch (error) {
      if (!isInvalid(error) || attempt === maxAttempts) throw error;
      await new Promise<void>((resolve) => network.clock.after(retryMs, resolve));
    }
  }
}

export async function ensureOwnService(
  client: Client,
  {
    dialect,
    ranges,
    securePort,
    ownNodePort = 0,
  }: Pick<ServiceNetwork, 'dialect' | 'ranges' | 'securePort' | 'ownNodePort'>,
): Promise<void> {
  const name = dialect.vendor;
  const metadata = { name, labels: { component: 'apiserver', provider: name } };
  const port = { name: 'https', protocol: 'TCP', port: 443, targetPort: securePort };
  const ports = [ownNodePort === 0 ? port : { ...port, nodePort: ownNodePort }];
  const type = ownNodePort === 0 ? 'ClusterIP' : 'NodePort';
  const spec = { ports, clusterIP: ownAddress(ranges), type, sessionAffinity: 'None', ipFamilyPolicy: 'SingleStack' };
  await ensure(client, services, name, { kind: 'Service', apiVersion: 'v1', metadata, spec });
}

const maxAttempts = 50;
const retryMs = 100;

const services = '/api/v1/namespaces/default/services';
