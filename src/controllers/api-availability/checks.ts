// Whether the server of an APIService can be used: what can be told from the objects, then from asking it.

import type { APIService } from '../../groups/apiregistration/v1/api-service.ts';
import type { Service } from '../../groups/core/v1/service/service-type.ts';
import type { EndpointSlice } from '../../groups/discovery/v1/endpoint-slice.ts';

export interface Availability {
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: string;
  readonly message: string;
}

/** Services, and the endpoints behind them. */
export interface StoredServices {
  service(namespace: string, name: string): Promise<Service | undefined>;
  slices(namespace: string, name: string): Promise<readonly EndpointSlice[]>;
}

/** Where the checks find what they look at. */
export interface Around extends StoredServices {
  /** Asks the server for its discovery document; throws where that fails. */
  probe(): Promise<void>;
}

type ServiceReference = NonNullable<NonNullable<APIService['spec']>['service']>;

export const local: Availability = {
  status: 'True',
  reason: 'Local',
  message: 'Local APIServices are always available',
};
const passed: Availability = { status: 'True', reason: 'Passed', message: 'all checks passed' };
const not = (reason: string, message: string): Availability => ({ status: 'False', reason, message });
const unknown = (reason: string, message: string): Availability => ({ status: 'Unknown', reason, message });

const httpsPort = 443;

export async function checkAvailability(reference: ServiceReference, around: Around): Promise<Availability> {
  const { namespace = '', name = '' } = reference;
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  let service: Service | undefined;
  try {
    service = await around.service(namespace, name);
  } catch (error) {
    return unknown('ServiceAccessError', `${where} cannot be checked due to: ${(error as Error).message}`);
  }
  if (service === undefined) return not('ServiceNotFound', `${where} is not present`);
  const isClusterIp = (service.spec?.type ?? 'ClusterIP') === 'ClusterIP';
  return (isClusterIp ? await checkEndpoints(service, reference, around) : undefined) ?? checkDiscovery(around);
}

/** A service with its own address has to listen on the port, and servers behind it. */
async function checkEndpoints(
  { spec }: Service,
  { namespace = '', name = '', port: wanted = httpsPort }: ServiceReference,
  around: Around,
): Promise<Availability | undefined> {
  const where = `service/${name} in ${JSON.stringify(namespace)}`;
  const port = (spec?.ports ?? []).find((one) => one.port === wanted);
  if (port === undefined) return not('ServicePortError', `${where} is not listening on port ${wanted}`);
  let slices: readonly EndpointSlice[];
  try {
    slices = await around.slices(namespace, name);
  } catch (error) {
    return unknown('EndpointsAccessError', `${where} cannot be checked due to: ${(error as Error).message}`);
  }
  if (slices.length === 0) return not('EndpointsNotFound', `cannot find endpointslices for ${where}`);
  const portName = port.name ?? '';
  if (slices.some((slice) => hasReadyEndpoint(slice, portName))) return undefined;
  const missing = `have no addresses with port name ${JSON.stringify(portName)}`;
  return not('MissingEndpoints', `endpointslices for ${where} ${missing}`);
}

function hasReadyEndpoint({ endpoints, ports }: EndpointSlice, portName: string): boolean {
  const isReady = (endpoints ?? []).some(({ conditions }) => conditions?.ready !== false);
  return isReady && (ports ?? []).some(({ name = '', port }) => name === portName && port !== undefined);
}

async function checkDiscovery(around: Around): Promise<Availability> {
  try {
    await around.probe();
    return passed;
  } catch (error) {
    return not('FailedDiscoveryCheck', (error as Error).message);
  }
}
