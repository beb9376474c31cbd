// Endpoints: addresses behind a service. Deprecated; use EndpointSlice.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { objectReference } from './references.ts';

const home = 'core/v1';

export const endpointAddress = struct(
  home,
  'EndpointAddress',
  'One address of an endpoint.',
  {
    ip: field(1, string, {
      always: true,
      required: true,
      about: 'IP address; loopback and link-local addresses are not allowed.',
    }),
    hostname: field(3, string, { about: 'Host name of this endpoint, used in DNS.' }),
    nodeName: field(4, string, { pointer: true, about: 'Node on which the endpoint runs, if known.' }),
    targetRef: field(2, objectReference, { pointer: true, about: 'Object behind the address, usually a pod.' }),
  },
  { mapType: 'atomic' },
);

export const endpointPort = struct(
  home,
  'EndpointPort',
  'One port of an endpoint.',
  {
    name: field(1, string, { about: 'Name of the port, matching the service port; optional for a single port.' }),
    port: field(2, int32, { always: true, required: true, about: 'Port number at the address, 1 to 65535.' }),
    protocol: field(3, string, {
      enum: ['SCTP', 'TCP', 'UDP'],
      about: 'Transport protocol: TCP (default), UDP or SCTP.',
    }),
    appProtocol: field(4, string, {
      pointer: true,
      about: 'Hint about the application protocol, such as http or a prefixed custom name.',
    }),
  },
  { mapType: 'atomic' },
);

export const endpointSubset = struct(home, 'EndpointSubset', 'Addresses that all offer the same ports.', {
  addresses: field(1, listOf(endpointAddress), {
    listType: 'atomic',
    about: 'Addresses that are ready to take traffic.',
  }),
  notReadyAddresses: field(2, listOf(endpointAddress), {
    listType: 'atomic',
    about: 'Addresses that should not get traffic yet, as they are starting or failing checks.',
  }),
  ports: field(3, listOf(endpointPort), {
    listType: 'atomic',
    about: 'Ports available at every address of the group.',
  }),
});

export const endpointsType = struct(home, 'Endpoints', 'Addresses behind a service. Deprecated; use EndpointSlice.', {
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  subsets: field(2, listOf(endpointSubset), {
    listType: 'atomic',
    about: 'Groups of addresses that share the same ports; together they form the endpoints.',
  }),
});

export type Endpoints = ApiObject & Infer<typeof endpointsType>;

export const endpoints: KindDefinition = {
  kind: 'Endpoints',
  plural: 'endpoints',
  namespaced: true,
  shortNames: ['ep'],
  verbs: allVerbs,
  type: endpointsType,
  storagePrefix: 'services/endpoints',
  deprecated: { since: 33, replacement: { group: 'discovery', version: 'v1', kind: 'EndpointSlice' } },
  checkName: checkSubdomain,
  createOnUpdate: true,
};
