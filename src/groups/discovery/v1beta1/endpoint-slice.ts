// EndpointSlice before discovery v1: node and zone of an endpoint were entries of a topology map.

import { topologyLabels } from '../../../meta/dialect.ts';
import type { ApiObject, Labels } from '../../../meta/object.ts';
import type { KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { convertedKind } from '../../converted-kind.ts';
import { objectReference } from '../../core/v1/references.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import {
  type EndpointSlice,
  endpointConditions,
  endpointHints,
  endpointPort,
  endpointSlice,
} from '../v1/endpoint-slice.ts';

const home = 'discovery/v1beta1';

const endpoint = struct(home, 'Endpoint', 'One backend, usually a pod, that serves a Service.', () => ({
  addresses: field(1, listOf(string), { always: true, required: true, listType: 'set', about: 'Its addresses.' }),
  conditions: field(2, endpointConditions, { always: true, about: 'Its current state.' }),
  hostname: field(3, string, { pointer: true, about: 'Its host name.' }),
  targetRef: field(4, objectReference, { pointer: true, about: 'The object behind it.' }),
  topology: field(5, mapOf(string), { about: 'Where it runs, by topology key.' }),
  nodeName: field(6, string, { pointer: true, about: 'The node it runs on.' }),
  hints: field(7, endpointHints, { pointer: true, about: 'Which clients should use it.' }),
}));

const type = struct(home, 'EndpointSlice', 'A part of the list of backends that serve a Service.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  addressType: field(4, string, {
    always: true,
    required: true,
    enum: ['FQDN', 'IPv4', 'IPv6'],
    about: 'Form of all addresses in the slice.',
  }),
  endpoints: field(2, listOf(endpoint), { always: true, required: true, listType: 'atomic', about: 'The backends.' }),
  ports: field(3, listOf(endpointPort), { always: true, listType: 'atomic', about: 'Ports of every backend.' }),
}));

type OldSlice = ApiObject & Infer<typeof type>;
type OldEndpoint = NonNullable<OldSlice['endpoints']>[number];
type Endpoint = NonNullable<EndpointSlice['endpoints']>[number];

function newEndpoint({ topology, ...rest }: OldEndpoint): Endpoint {
  if (topology === undefined) return rest;
  const { [topologyLabels.hostname]: hostname, [topologyLabels.zone]: zone, ...others } = topology;
  const nodeName = rest.nodeName ?? hostname;
  return {
    ...rest,
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    ...(Object.keys(others).length === 0 ? {} : { deprecatedTopology: others }),
  };
}

function oldEndpoint({ zone, deprecatedTopology, ...rest }: Endpoint): OldEndpoint {
  const topology: Labels = {
    ...deprecatedTopology,
    ...(rest.nodeName === undefined ? {} : { [topologyLabels.hostname]: rest.nodeName }),
    ...(zone === undefined ? {} : { [topologyLabels.zone]: zone }),
  };
  return Object.keys(topology).length === 0 ? rest : { ...rest, topology };
}

export const endpointSliceV1beta1: KindDefinition = convertedKind(endpointSlice, {
  type,
  conversion: {
    toStorage: (object: OldSlice) => ({ ...object, endpoints: object.endpoints?.map(newEndpoint) ?? null }),
    fromStorage: (object: EndpointSlice) => ({ ...object, endpoints: object.endpoints?.map(oldEndpoint) ?? null }),
  },
  defaults: (object, context) => endpointSlice.strategy?.defaults?.(object, context) ?? object,
  deprecated: {
    since: 21,
    removed: 25,
    replacement: { group: 'discovery', version: 'v1', kind: 'EndpointSlice' },
  },
});
