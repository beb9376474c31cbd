// EndpointSlice: a part of the list of backends that serve a Service.

import { isSameJson } from '../../../base/json/json.ts';
import type { Dialect } from '../../../meta/dialect.ts';
import { duplicate, invalidValue, notSupported, required, tooMany, unchanged } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { parseIp } from '../../../meta/ip.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../meta/names.ts';
import { checkFullDomain, validateIp } from '../../../meta/network-names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import { type Warnings, warnEach } from '../../../meta/warn-each.ts';
import { nameColumn } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import type { StrategyContext } from '../../../schema/strategy.ts';
import { bool, field, type Infer, int32, listOf, mapOf, string, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { addressListWarnings } from '../../address-warnings.ts';
import { ageColumn, firstFew, textColumn } from '../../columns.ts';
import { objectReference } from '../../core/v1/references.ts';
import { addressCheck, type CheckAddress } from '../../core/v1/service/own-endpoints.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { withoutWrittenTopology } from './endpoint-topology.ts';

const home = 'discovery/v1';

export const endpointConditions = struct(home, 'EndpointConditions', 'Current state of a backend.', () => ({
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
}));

const forZone = struct(home, 'ForZone', 'A zone that a backend is suggested for.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the suggested zone.' }),
}));

const forNode = struct(home, 'ForNode', 'A node that a backend is suggested for.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the suggested node.' }),
}));

export const endpointHints = struct(home, 'EndpointHints', 'Suggests which clients should use a backend.', () => ({
  forZones: field(1, listOf(forZone), {
    listType: 'atomic',
    about: 'Zones whose clients should use this backend; at most 8.',
  }),
  forNodes: field(2, listOf(forNode), {
    listType: 'atomic',
    about: 'Nodes whose clients should use this backend; at most 8.',
  }),
}));

const endpoint = struct(home, 'Endpoint', 'One backend, usually a pod, that serves a Service.', () => ({
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
}));

export const endpointPort = struct(
  home,
  'EndpointPort',
  'A port offered by all backends of a slice.',
  () => ({
    name: field(1, string, {
      pointer: true,
      about: 'Port name as in the Service; unique in the slice, empty only for a single port.',
    }),
    protocol: field(2, string, {
      goType: 'v1.Protocol',
      pointer: true,
      enum: ['SCTP', 'TCP', 'UDP'],
      about: 'TCP (the default), UDP or SCTP.',
    }),
    port: field(3, int32, { pointer: true, about: 'Port number on the backends; unset leaves it to the consumer.' }),
    appProtocol: field(4, string, {
      pointer: true,
      about: 'Hint at the application protocol, such as http or a prefixed custom name.',
    }),
  }),
  { mapType: 'atomic' },
);

const endpointSliceType = struct(home, 'EndpointSlice', 'A part of the list of backends that serve a Service.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  addressType: field(4, string, {
    goType: 'AddressType',
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
}));

export type EndpointSlice = ApiObject & Infer<typeof endpointSliceType>;

type Endpoint = Infer<typeof endpoint>;
type Port = Infer<typeof endpointPort>;

const addressTypes = ['FQDN', 'IPv4', 'IPv6'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const limits = { endpoints: 1000, addresses: 100, ports: 20000, hints: 8 };

function defaults(object: EndpointSlice): ApiObject {
  const { ports } = object;
  if (!ports) return object;
  return {
    ...object,
    ports: ports.map((port) => ({ ...port, name: port.name ?? '', protocol: port.protocol ?? 'TCP' })),
  };
}

/** Endpoints of which nothing changes keep their topology in every dialect. */
function withStoredTopology(
  next: EndpointSlice,
  old: EndpointSlice | undefined,
  { dialect }: StrategyContext,
): ApiObject {
  const { endpoints } = next;
  if (!endpoints || (old !== undefined && isSameJson(endpoints, old.endpoints))) return next;
  const stored = old?.endpoints ?? [];
  if (![...endpoints, ...stored].some(({ deprecatedTopology }) => deprecatedTopology !== undefined)) return next;
  return { ...next, endpoints: withoutWrittenTopology(endpoints, stored, dialect) };
}

function validate(object: EndpointSlice): readonly FieldError[] {
  const { addressType = '', ports } = object;
  return [
    ...(addressType === '' ? [required('addressType')] : []),
    ...(addressType === '' || addressTypes.includes(addressType)
      ? []
      : [notSupported('addressType', addressType, addressTypes)]),
    ...validatePorts(ports ?? []),
  ];
}

function validateEndpoints(object: EndpointSlice, { dialect }: StrategyContext): readonly FieldError[] {
  const { addressType = '', endpoints } = object;
  const check = addressCheck(object, dialect);
  return bounded(endpoints ?? [], limits.endpoints, 'endpoints', (one, at) =>
    validateEndpoint(one, addressType, at, check),
  );
}

/** Endpoints that do not change were in order once, whatever rules came later. */
function validateUpdate(next: EndpointSlice, old: EndpointSlice, context: StrategyContext): readonly FieldError[] {
  const isSame = isSameJson(next.endpoints, old.endpoints);
  return [
    ...(isSame ? [] : validateEndpoints(next, context)),
    ...unchanged('addressType', next.addressType, old.addressType),
  ];
}

/** Each element, unless there are too many to look at. */
function bounded<T>(
  list: readonly T[],
  limit: number,
  at: string,
  check: (one: T, at: string) => readonly FieldError[],
) {
  if (list.length > limit) return [tooMany(at, list.length, limit)];
  return findEach(list, (one, index) => check(one, `${at}[${index}]`));
}

function validateEndpoint(one: Endpoint, addressType: string, at: string, check: CheckAddress): readonly FieldError[] {
  const { hostname, nodeName, hints } = one;
  const addresses = one.addresses ?? [];
  const count = [
    ...(addresses.length === 0 ? [required(`${at}.addresses`, 'must contain at least 1 address')] : []),
    ...(addresses.length > limits.addresses ? [tooMany(`${at}.addresses`, addresses.length, limits.addresses)] : []),
  ];
  return [
    ...count,
    ...findEach(addresses, (text, index) => validateAddress(text, addressType, `${at}.addresses[${index}]`, check)),
    ...(nodeName === undefined ? [] : checkSubdomain(nodeName).map((e) => invalidValue(`${at}.nodeName`, nodeName, e))),
    ...(hostname === undefined ? [] : checkLabelName(hostname).map((e) => invalidValue(`${at}.hostname`, hostname, e))),
    ...validateHints(hints?.forZones ?? [], checkLabelValue, `${at}.hints.forZones`),
    ...((hints?.forZones ?? []).length > limits.hints
      ? []
      : validateHints(hints?.forNodes ?? [], checkSubdomain, `${at}.hints.forNodes`)),
  ];
}

function validateAddress(text: string, addressType: string, at: string, check: CheckAddress): readonly FieldError[] {
  if (addressType === 'FQDN') return checkFullDomain(text).map((e) => invalidValue(at, text, e));
  if (addressType !== 'IPv4' && addressType !== 'IPv6') return [];
  const malformed = validateIp(text, at);
  if (malformed.length > 0) return malformed;
  const other = parseIp(text)?.family !== addressType;
  // compat: an address of the other family is reported at the list of addresses
  const list = at.slice(0, at.lastIndexOf('['));
  return [...(other ? [invalidValue(list, text, `must be an ${addressType} address`)] : []), ...check(text, at)];
}

function validateHints(hints: readonly { name?: string }[], check: (name: string) => readonly string[], at: string) {
  const names = new Set<string>();
  return bounded(hints, limits.hints, at, ({ name = '' }, one) => {
    const again = names.has(name) ? [duplicate(`${one}.name`, name)] : [];
    names.add(name);
    return [...again, ...check(name).map((e) => invalidValue(`${one}.name`, name, e))];
  });
}

function validatePorts(ports: readonly Port[]): readonly FieldError[] {
  const names = new Set<string>();
  return bounded(ports, limits.ports, 'ports', (port, at) => {
    const { name = '', protocol = '', appProtocol } = port;
    const again = names.has(name) ? [duplicate(`${at}.name`, name)] : [];
    names.add(name);
    return [
      ...(name === '' ? [] : checkLabelName(name).map((e) => invalidValue(`${at}.name`, name, e))),
      ...again,
      ...(protocols.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, protocols)]),
      ...(appProtocol === undefined ? [] : checkQualifiedName(appProtocol)).map((e) =>
        invalidValue(`${at}.appProtocol`, appProtocol, e),
      ),
    ];
  });
}

const portText = ({ port, name }: Port) => (port === undefined ? (name ?? '*') : String(port));

const controllers = ['endpointslice-controller', 'endpointslicemirroring-controller'];

/** What controllers wrote only repeats what others said. */
function addressFormWarnings({ metadata, endpoints }: EndpointSlice, dialect: Dialect): Warnings {
  const managedBy = metadata.labels?.[`endpointslice.${dialect.labelDomain}/managed-by`];
  if (controllers.some((name) => managedBy === `${name}.${dialect.apiDomain}`)) return [];
  return warnEach(endpoints ?? [], ({ addresses }, index) =>
    addressListWarnings(addresses, `endpoints[${index}].addresses`),
  );
}

export const endpointSlice = defineKind(endpointSliceType, {
  kind: 'EndpointSlice',
  plural: 'endpointslices',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkSubdomain,
  generationIgnores: [],
  quirks: { generationFollows: 'labels', generationCountsOff: true },
  columns: [
    nameColumn,
    textColumn<EndpointSlice>('AddressType', 'Kind of the addresses.', (o) => o.addressType ?? ''),
    textColumn<EndpointSlice>('Ports', 'Ports of every endpoint.', (o) => firstFew((o.ports ?? []).map(portText))),
    textColumn<EndpointSlice>('Endpoints', 'Addresses.', (o) =>
      firstFew((o.endpoints ?? []).flatMap(({ addresses }) => addresses ?? [])),
    ),
    ageColumn,
  ],
  strategy: {
    updateChecks: { metaChange: 0 },
    defaults,
    prepareForCreate: (object, context) => withStoredTopology(object, undefined, context),
    prepareForUpdate: withStoredTopology,
    validate,
    validateCreate: validateEndpoints,
    validateUpdate,
    warnings: (next, old, { dialect }) => [
      ...(old === undefined && next['addressType'] === 'FQDN'
        ? ['spec.addressType: FQDN endpoints are deprecated']
        : []),
      ...addressFormWarnings(next, dialect),
    ],
  },
});
