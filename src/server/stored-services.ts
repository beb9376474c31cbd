// Services and the endpoints behind them, as this server stores them.

import type { StoredServices } from '../controllers/api-availability/checks.ts';
import type { Service } from '../groups/core/v1/service/service-type.ts';
import type { EndpointSlice } from '../groups/discovery/v1/endpoint-slice.ts';
import { apiGroup, type Dialect, labelKey } from '../meta/dialect.ts';
import type { ObjectAccess } from '../schema/object-access.ts';

export function storedServices(objects: Pick<ObjectAccess, 'get' | 'list'>, dialect: Dialect): StoredServices {
  const services = { group: '', version: 'v1', resource: 'services' };
  const slices = { group: apiGroup(dialect, 'discovery'), version: 'v1', resource: 'endpointslices' };
  const label = labelKey(dialect, 'service-name');
  return {
    service: (namespace, name) => objects.get<Service>(services, { namespace, name }),
    async slices(namespace, name) {
      const all = await objects.list<EndpointSlice>(slices, namespace);
      return all.filter(({ metadata }) => metadata.labels?.[label] === name);
    },
  };
}
