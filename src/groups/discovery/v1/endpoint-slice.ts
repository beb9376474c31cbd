// EndpointSlice: a part of the list of backends that serve a Service.

import { checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { bool, field, type Infer, int32, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { objectReference } from '../../core/v1/references.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'discovery/v1';

export const endpointConditions = struct(home, 'EndpointConditions', 'Current state of a backend.', {
  ready: field(1, bool, {
    pointer: true,
    about: 'True if new traffic may be sent; normally false while terminating. Unset counts as true.',
  }),
  serving: field(2, bool, {
    pointer: true,
    about: 'Like ready, but also true for a terminating backend that still answers.',
  }),
  terminating: field(3, bool, {
    pointer: true,
    about: 'True once the backend is shutting down; unset counts as false.',
  }),
});

export const forZone = struct(home, 'ForZone', 'A zone that a backend is suggested for.', {
  name: field(1, string, { always: true, required: true, about: 'Name of the suggested zone.' }),
});

export const forNode = struct(home, 'ForNode', 'A node that a backend is suggested for.', {
  name: field(1, string, { always: true, required: true, about: 'Name of the suggested node.' }),
});

export const endpointHints = struct(home, 'EndpointHints', 'Suggests which clients should use a backend.', {
  forZones: field(1, listOf(forZone), {
    listType: 'atomic',
    about: 'Zones whose clients should use this backend; at most 8.',
  }),
  forNodes: field(2, listOf(forNode), {
    listType: 'atomic',
    about: 'Nodes whose clients should use this backend; at most 8.',
  }),
});

export const endpoint = struct(home, 'Endpoint', 'One backend, usually a pod, that serves a Service.', {
  addresses: field(1, listOf(string), {
    always: true,
    required: true,
    listType: 'set',
    about: "Addresses of this backend, all of the slice's addressType; consumers use the first one.",
  }),
  conditions: field(2, endpointConditions, {
    always: true,
    about: 'Whether the backend is ready, serving or terminating.',
  }),
  hostname: field(3, string, { pointer: true, about: 'Host name for DNS, as a lowercase DNS label.' }),
  targetRef: field(4, objectReference, { pointer: true, about: 'The object behind this address, normally a pod.' }),
  deprecatedTopology: field(5, mapOf(string), {
    about: 'Left over from an older version; carries old topology labels and cannot be written.',
  }),
  nodeName: field(6, string, { pointer: true, about: 'Node on which the backend runs.' }),
  zone: field(7, string, { pointer: true, about: 'Zone in which the backend runs.' }),
  hints: field(8, endpointHints, { pointer: true, about: 'Where traffic to this backend should best come from.' }),
});

export const endpointPort = struct(
  home,
  'EndpointPort',
  'A port offered by all backends of a slice.',
  {
    name: field(1, string, {
      pointer: true,
      about: 'Port name as in the Service; unique in the slice, empty only for a single port.',
    }),
    protocol: field(2, string, {
      pointer: true,
      enum: ['SCTP', 'TCP', 'UDP'],
      about: 'TCP (the default), UDP or SCTP.',
    }),
    port: field(3, int32, { pointer: true, about: 'Port number on the backends; unset leaves it to the consumer.' }),
    appProtocol: field(4, string, {
      pointer: true,
      about: 'Hint at the application protocol, such as http or a prefixed custom name.',
    }),
  },
  { mapType: 'atomic' },
);

export const endpointSliceType = struct(home, 'EndpointSlice', 'A part of the list of backends that serve a Service.', {
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  addressType: field(4, string, {
    always: true,
    required: true,
    enum: ['FQDN', 'IPv4', 'IPv6'],
    about: 'Kind of the addresses: IPv4, IPv6 or FQDN (deprecated); immutable.',
  }),
  endpoints: field(2, listOf(endpoint), {
    always: true,
    listType: 'atomic',
    about: 'The backends in this slice; at most 1000.',
  }),
  ports: field(3, listOf(endpointPort), {
    always: true,
    listType: 'atomic',
    about: 'Ports that every backend here offers; at most 100.',
  }),
});

export type EndpointSlice = ApiObject & Infer<typeof endpointSliceType>;

export const endpointSlice: KindDefinition = {
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  verbs: allVerbs,
  type: endpointSliceType,
  checkName: checkSubdomain,
  generationIgnores: [],
};
