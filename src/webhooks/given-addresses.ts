// Addresses of services that the operator gave: webhooks of these services are called there, whatever the cluster's network is.

import type { Destination, LocateService } from './service-destination.ts';

/** By `namespace/name:port`, or by `namespace/name` for all ports. */
export type GivenAddresses = ReadonlyMap<string, Destination>;

export function atGivenAddresses(given: GivenAddresses, otherwise: LocateService): LocateService {
  if (given.size === 0) return otherwise;
  return (service) => {
    const name = `${service.namespace}/${service.name}`;
    return given.get(`${name}:${service.port}`) ?? given.get(name) ?? otherwise(service);
  };
}
