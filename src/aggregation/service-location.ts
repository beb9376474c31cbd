// Where the Service of an APIService is reached: at its cluster IP, or at one of its endpoints.

import { andThen, type MaybePromise } from '../base/maybe-promise.ts';
import type { Service } from '../groups/core/v1/service/service-type.ts';
import type { EndpointSlice } from '../groups/discovery/v1/endpoint-slice.ts';
import { apiGroup, type Dialect, labelKey } from '../meta/dialect.ts';
import type { ObjectLookup } from '../registry/object-lookup.ts';
import { checkedName, type Destination, type LocateService } from '../webhooks/service-destination.ts';
import type { ServiceRef } from './remote-api.ts';

type ServiceObjects = Pick<ObjectLookup, 'get' | 'list'>;

export type Locate = LocateService;

const services = { group: '', version: 'v1', resource: 'services' };
const withAddress = new Set(['ClusterIP', 'NodePort', 'LoadBalancer']);

/** The service, with the default type; throws if it does not exist. */
function serviceOf(objects: ServiceObjects, { namespace, name }: ServiceRef): MaybePromise<Service> {
  return andThen(objects.get(services, { namespace, name }, 'any'), (found) => {
    if (found === undefined) throw new Error(`services ${JSON.stringify(name)} not found`);
    return found as Service;
  });
}

const typeOf = ({ spec }: Service): string => spec?.type ?? 'ClusterIP';

export function atClusterIp(objects: ServiceObjects): Locate {
  return (ref) => andThen(serviceOf(objects, ref), (service) => clusterIpOf(service, ref));
}

function clusterIpOf(service: Service, { port }: ServiceRef): Destination {
  const { clusterIP = '', externalName = '' } = service.spec ?? {};
  const type = typeOf(service);
  if (type === 'ExternalName') return { host: checkedName(externalName), port };
  if (type === 'ClusterIP' && clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
  if (!withAddress.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
  portNameOf(service, port);
  return { host: clusterIP, port };
}

export function atEndpoints(objects: ServiceObjects, dialect: Dialect): Locate {
  return async (ref) => {
    const service = await serviceOf(objects, ref);
    const type = typeOf(service);
    if (!withAddress.has(type)) throw new Error(`unsupported service type ${JSON.stringify(type)}`);
    const portName = portNameOf(service, ref.port);
    const slices = await slicesOf(objects, dialect, ref);
    const [preferred] = service.spec?.ipFamilies ?? [];
    const endpoint = readyEndpoint(inOrder(slices, preferred), portName);
    if (endpoint === undefined) throw new Error(`no endpoints available for service ${JSON.stringify(ref.name)}`);
    return endpoint;
  };
}

function portNameOf({ spec, metadata }: Service, port: number): string {
  const servicePort = (spec?.ports ?? []).find((one) => one.port === port);
  if (servicePort !== undefined) return servicePort.name ?? '';
  throw new Error(`no service port ${port} found for service ${JSON.stringify(metadata.name)}`);
}

/** The endpoint slices that belong to a service. */
async function slicesOf(
  objects: ServiceObjects,
  dialect: Dialect,
  { namespace, name }: ServiceRef,
): Promise<readonly EndpointSlice[]> {
  const resource = { group: apiGroup(dialect, 'discovery'), version: 'v1', resource: 'endpointslices' };
  const label = labelKey(dialect, 'service-name');
  const all = (await objects.list(resource, namespace)) as readonly EndpointSlice[];
  return all.filter(({ metadata }) => metadata.labels?.[label] === name);
}

/** Those of the service's first address family before the others, each in any order. */
function inOrder(slices: readonly EndpointSlice[], preferred: string | undefined): readonly EndpointSlice[] {
  const shuffled = slices.map((slice) => ({ slice, rank: Math.random() + (slice.addressType === preferred ? 0 : 1) }));
  return shuffled.sort((a, b) => a.rank - b.rank).map(({ slice }) => slice);
}

function readyEndpoint(slices: readonly EndpointSlice[], portName: string): Destination | undefined {
  for (const { ports, endpoints } of slices) {
    const port = (ports ?? []).find((one) => (one.name ?? '') === portName && one.port !== undefined)?.port;
    const ready = (endpoints ?? []).filter(({ conditions }) => conditions?.ready !== false);
    const [host] = ready[Math.floor(Math.random() * ready.length)]?.addresses ?? [];
    if (port !== undefined && host !== undefined) return { host, port };
  }
  return undefined;
}
