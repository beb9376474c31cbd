// Which address and port a service target means right now.

import { isIP } from 'node:net';
import type { MaybePromise } from '../base/maybe-promise.ts';
import type { Endpoints } from '../groups/core/v1/endpoints.ts';
import type { Service } from '../groups/core/v1/service.ts';
import type { ObjectAccess } from '../schema/resource.ts';
import type { ServiceTarget, WebhookPlace } from './webhook-target.ts';

export type ServiceLookup = Pick<ObjectAccess, 'get'>;

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
const endpoints = { ...services, resource: 'endpoints' };

export async function destinationOf(
  { host, port, service }: WebhookPlace,
  objects: ServiceLookup,
): Promise<Destination> {
  if (service === undefined) return { host, port };
  const { namespace, name } = service;
  const found = (await objects.get(services, { namespace, name })) as Service | undefined;
  if (found === undefined) throw new Error(`service ${JSON.stringify(name)} not found`);
  const { type = 'ClusterIP', clusterIP = '', externalName = '' } = found.spec ?? {};
  if (type === 'ExternalName') return { host: checkedName(externalName), port };
  const portName = portNameOf(found, port);
  if (isIP(clusterIP) !== 0) return { host: clusterIP, port };
  return endpointOf(service, portName, objects);
}

function portNameOf({ spec, metadata }: Service, port: number): string {
  const found = (spec?.ports ?? []).find((one) => one.port === port);
  if (found !== undefined) return found.name ?? '';
  throw new Error(`no service port ${port} found for service ${JSON.stringify(metadata.name)}`);
}

/** Services without an address of their own are reached at one of their endpoints. */
async function endpointOf(service: ServiceTarget, portName: string, objects: ServiceLookup): Promise<Destination> {
  const { namespace, name } = service;
  const found = (await objects.get(endpoints, { namespace, name })) as Endpoints | undefined;
  const choices = (found?.subsets ?? []).flatMap(({ addresses = [], ports = [] }) =>
    ports
      .filter((port) => (port.name ?? '') === portName)
      .flatMap(({ port = 0 }) => addresses.map(({ ip = '' }) => ({ host: ip, port }))),
  );
  const chosen = choices[Math.floor(Math.random() * choices.length)];
  if (chosen === undefined || isIP(chosen.host) === 0)
    throw new Error(`no endpoints available for service ${JSON.stringify(name)}`);
  return chosen;
}

const maxHostLength = 253;

/** The name of an ExternalName service, where it can be one at all. */
export function checkedName(host: string): string {
  if (host.length <= maxHostLength && /^[a-z0-9_]([a-z0-9._-]*[a-z0-9_.])?$/i.test(host)) return host;
  throw new Error(`lookup ${JSON.stringify(host)}: no such host`);
}
