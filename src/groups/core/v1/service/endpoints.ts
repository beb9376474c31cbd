// Endpoints: addresses behind a service. Deprecated; use EndpointSlice.

import type { Dialect } from '../../../../meta/dialect.ts';
import { invalidValue, notSupported, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkQualifiedName, checkSubdomain } from '../../../../meta/names.ts';
import { validateIp, validatePort } from '../../../../meta/network-names.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { type Warnings, warnEach } from '../../../../meta/warn-each.ts';
import { nameColumn } from '../../../../schema/columns.ts';
import { defineKind } from '../../../../schema/define-kind.ts';
import type { StrategyContext } from '../../../../schema/strategy.ts';
import { field, type Infer, int32, listOf, string, struct } from '../../../../schema/types.ts';
import { allVerbs } from '../../../../schema/verbs.ts';
import { addressWarnings } from '../../../address-warnings.ts';
import { ageColumn, textColumn } from '../../../columns.ts';
import { objectMeta } from '../../../meta/v1/types.ts';
import { objectReference } from '../references.ts';
import { addressCheck, type CheckAddress } from './own-endpoints.ts';

const home = 'core/v1';

const endpointAddress = struct(
  home,
  'EndpointAddress',
  'One address of an endpoint.',
  () => ({
    ip: field(1, string, {
      always: true,
      required: true,
      about: 'IP address; loopback and link-local addresses are not allowed.',
    }),
    hostname: field(3, string, { about: 'Host name of this endpoint, used in DNS.' }),
    nodeName: field(4, string, { pointer: true, about: 'Node on which the endpoint runs, if known.' }),
    targetRef: field(2, objectReference, { pointer: true, about: 'Object behind the address, usually a pod.' }),
  }),
  { mapType: 'atomic' },
);

export const endpointPort = struct(
  home,
  'EndpointPort',
  'One port of an endpoint.',
  () => ({
    name: field(1, string, { about: 'Name of the port, matching the service port; optional for a single port.' }),
    port: field(2, int32, { always: true, required: true, about: 'Port number at the address, 1 to 65535.' }),
    protocol: field(3, string, {
      goType: 'Protocol',
      enum: ['SCTP', 'TCP', 'UDP'],
      about: 'Transport protocol: TCP (default), UDP or SCTP.',
    }),
    appProtocol: field(4, string, {
      pointer: true,
      about: 'Hint about the application protocol, such as http or a prefixed custom name.',
    }),
  }),
  { mapType: 'atomic' },
);

export const endpointSubset = struct(home, 'EndpointSubset', 'Addresses that all offer the same ports.', () => ({
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
}));

const endpointsType = struct(home, 'Endpoints', 'Addresses behind a service. Deprecated; use EndpointSlice.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  subsets: field(2, listOf(endpointSubset), {
    listType: 'atomic',
    about: 'Groups of addresses that share the same ports; together they form the endpoints.',
  }),
}));

export type Endpoints = ApiObject & Infer<typeof endpointsType>;

type Subset = Infer<typeof endpointSubset>;
type Address = Infer<typeof endpointAddress>;
type Port = Infer<typeof endpointPort>;

function defaults(object: Endpoints): ApiObject {
  const { subsets } = object;
  if (subsets === undefined) return object;
  const withProtocol = (port: Port): Port => ({ ...port, protocol: port.protocol || 'TCP' });
  const withPorts = (subset: Subset): Subset =>
    subset.ports === undefined ? subset : { ...subset, ports: subset.ports.map(withProtocol) };
  return { ...object, subsets: subsets.map(withPorts) };
}

function validate(object: Endpoints, { dialect }: StrategyContext): readonly FieldError[] {
  const check = addressCheck(object, dialect);
  return findEach(object.subsets ?? [], (subset, index) => validateSubset(subset, `subsets[${index}]`, check));
}

function validateSubset(
  { addresses = [], notReadyAddresses = [], ports = [] }: Subset,
  at: string,
  check: CheckAddress,
) {
  const none = addresses.length === 0 && notReadyAddresses.length === 0;
  return [
    ...(none ? [required(at, 'must specify `addresses` or `notReadyAddresses`')] : []),
    ...findEach(addresses, (one, index) => validateAddress(one, `${at}.addresses[${index}]`, check)),
    ...findEach(notReadyAddresses, (one, index) => validateAddress(one, `${at}.notReadyAddresses[${index}]`, check)),
    ...findEach(ports, (one, index) => validateEndpointPort(one, ports.length > 1, `${at}.ports[${index}]`)),
  ];
}

function validateAddress(
  { ip = '', hostname = '', nodeName }: Address,
  at: string,
  check: CheckAddress,
): readonly FieldError[] {
  return [
    // compat: what is no address is found twice, once as none and once as one of no known purpose
    ...validateIp(ip, `${at}.ip`),
    ...check(ip, `${at}.ip`),
    ...(hostname === '' ? [] : checkLabelName(hostname).map((e) => invalidValue(`${at}.hostname`, hostname, e))),
    ...(nodeName === undefined ? [] : checkSubdomain(nodeName).map((e) => invalidValue(`${at}.nodeName`, nodeName, e))),
  ];
}

const protocols = ['SCTP', 'TCP', 'UDP'];

function validateEndpointPort({ name = '', port = 0, protocol = '', appProtocol }: Port, named: boolean, at: string) {
  return [
    ...(name === '' && named ? [required(`${at}.name`)] : []),
    ...(name === '' ? [] : checkLabelName(name).map((e) => invalidValue(`${at}.name`, name, e))),
    ...validatePort(port, `${at}.port`),
    ...(protocol === '' ? [required(`${at}.protocol`)] : []),
    ...(protocol === '' || protocols.includes(protocol) ? [] : [notSupported(`${at}.protocol`, protocol, protocols)]),
    ...(appProtocol === undefined
      ? []
      : checkQualifiedName(appProtocol).map((e) => invalidValue(`${at}.appProtocol`, appProtocol, e))),
  ];
}

/** Addresses with their ports; three are shown. */
function summary({ subsets = [] }: Endpoints): string {
  if (subsets.length === 0) return '<none>';
  const all = subsets.flatMap(({ addresses = [], ports = [] }) => {
    const ips = addresses.map(({ ip = '' }) => ip);
    return ports.length === 0 ? ips : ports.flatMap(({ port }) => ips.map((ip) => `${bracketed(ip)}:${port}`));
  });
  const shown = all.slice(0, 3).join(',');
  return all.length > 3 ? `${shown} + ${all.length - 3} more...` : shown;
}

const bracketed = (ip: string) => (ip.includes(':') ? `[${ip}]` : ip);

/** What the controller wrote only repeats what others said. */
function warnings(object: Endpoints, { labelDomain }: Dialect): Warnings {
  if (object.metadata.labels?.[`endpoints.${labelDomain}/managed-by`] === 'endpoint-controller') return [];
  return warnEach(object.subsets ?? [], (subset, index) =>
    warnEach(['addresses', 'notReadyAddresses'] as const, (list) =>
      warnEach(subset[list] ?? [], ({ ip = '' }, i) => addressWarnings(ip, `subsets[${index}].${list}[${i}].ip`)),
    ),
  );
}

export const endpoints = defineKind(endpointsType, {
  kind: 'Endpoints',
  plural: 'endpoints',
  namespaced: true,
  shortNames: ['ep'],
  verbs: allVerbs,
  storagePrefix: 'services/endpoints',
  deprecated: { since: 33, replacement: { group: 'discovery', version: 'v1', kind: 'EndpointSlice' } },
  checkName: checkSubdomain,
  quirks: { createOnUpdate: true },
  columns: [nameColumn, textColumn<Endpoints>('Endpoints', 'Addresses and ports.', summary), ageColumn],
  strategy: { defaults, validate, warnings: (next, _, { dialect }) => warnings(next, dialect) },
});
