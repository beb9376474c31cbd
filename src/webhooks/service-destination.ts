// Which address and port a service means right now, where the server does not route to endpoints: its cluster IP.

import { isIP } from 'node:net';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Service } from '../groups/core/v1/service/service-type.ts';
import type { ObjectAccess } from '../schema/object-access.ts';

type ServiceLookup = Pick<ObjectAccess, 'get'>;

/** Finds out where a port of a service is right now; throws where it cannot be reached. */
export type LocateService = (service: {
  readonly namespace: string;
  readonly name: string;
  readonly port: number;
}) => MaybePromise<Destination>;

export interface Destination {
  readonly host: string;
  readonly port: number;
}

const services = { group: '', version: 'v1', resource: 'services' };

export const atServiceAddress =
  (objects: ServiceLookup): LocateService =>
  async ({ namespace, name, port }) => {
    const service = (await objects.get(services, { namespace, name })) as Service | undefined;
    if (service === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
    const { type = 'ClusterIP', clusterIP = '', externalName = '' } = service.spec ?? {};
    if (type === 'ExternalName') return { host: checkedName(externalName), port };
    if (clusterIP === 'None') throw new Error('cannot route to service with ClusterIP "None"');
    checkPort(service, port);
    if (isIP(clusterIP) === 0) throw new Error(`service ${JSON.stringify(name)} has no address yet`);
    return { host: clusterIP, port };
  };

function checkPort({ spec, metadata }: Service, port: number): void {
  if ((spec?.ports ?? []).some((one) => one.port === port)) return;
  throw new Error(`no service port ${port} found for service ${JSON.stringify(metadata.name)}`);
}

const maxHostLength = 253;

/** The name of an ExternalName service, where it can be one at all. */
export function checkedName(host: string): string {
  if (host.length <= maxHostLength && /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?$/i.test(host)) return host;
  throw new Error(`lookup ${JSON.stringify(host)}: no such host`);
}
