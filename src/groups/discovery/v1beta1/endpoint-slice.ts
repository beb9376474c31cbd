// EndpointSlice before discovery v1: node and zone of an endpoint were entries of a topology map.

import { type Dialect, hostnameLabel, topologyLabel } from '../../../meta/dialect.ts';
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
    goType: 'AddressType',
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

/** A host stays in the map unless nodeName says the same, so that a map that says something else comes back as it was. */
function newEndpoint({ topology, ...rest }: OldEndpoint, dialect: Dialect): Endpoint {
  if (topology === undefined) return rest;
  const host = hostnameLabel(dialect);
  const { [topologyLabel(dialect, 'zone')]: zone, ...places } = topology;
  const { [host]: hostname, ...elsewhere } = places;
  const nodeName = rest.nodeName ?? (dialect.rules.endpointHost === 'nodeName' ? hostname : undefined);
  const others = hostname === nodeName ? elsewhere : places;
  return {
    ...rest,
    ...(nodeName === undefined ? {} : { nodeName }),
    ...(zone === undefined ? {} : { zone }),
    ...(Object.keys(others).length === 0 ? {} : { deprecatedTopology: others }),
  };
}

function oldEndpoint({ zone, deprecatedTopology, ...rest }: Endpoint, dialect: Dialect): OldEndpoint {
  const topology: Labels = {
    ...(rest.nodeName === undefined ? {} : { [hostnameLabel(dialect)]: rest.nodeName }),
    ...deprecatedTopology,
    ...(zone === undefined ? {} : { [topologyLabel(dialect, 'zone')]: zone }),
  };
  return Object.keys(topology).length === 0 ? rest : { ...rest, topology };
}

const changedEndpoints = <T>(
  object: ApiObject & { readonly endpoints?: readonly T[] },
  change: (one: T) => object,
) => ({
  ...object,
  endpoints: object.endpoints?.map(change) ?? null,
});

/** What v1 does not let its clients write, this version may: the topology of its endpoints. */
const { prepareForCreate: _, prepareForUpdate: __, ...rules } = endpointSlice.strategy ?? {};

export const endpointSliceV1beta1: KindDefinition = convertedKind(
  { ...endpointSlice, strategy: rules },
  {
    type,
    conversion: {
      toStorage: (object: OldSlice, dialect) => changedEndpoints(object, (one) => newEndpoint(one, dialect)),
      fromStorage: (object: EndpointSlice, dialect) => changedEndpoints(object, (one) => oldEndpoint(one, dialect)),
    },
    defaults: (object, context) => endpointSlice.strategy?.defaults?.(object, context) ?? object,
    deprecated: {
      since: 21,
      removed: 25,
      replacement: { group: 'discovery', version: 'v1', kind: 'EndpointSlice' },
    },
  },
);
