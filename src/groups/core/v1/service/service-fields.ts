// Fields of a service that depend on each other: which a type needs, which follow from the object it replaces.

import { isSameJson } from '../../../../base/json/json.ts';
import type { Service } from './service-type.ts';

export type ServiceSpec = NonNullable<Service['spec']>;
type Port = NonNullable<ServiceSpec['ports']>[number];

export const headlessAddress = 'None';

export const trafficPolicies: readonly string[] = ['Cluster', 'Local'];

export const specOf = (service: Service): ServiceSpec => service.spec ?? {};

export const isHeadless = ({ clusterIPs = [] }: ServiceSpec): boolean =>
  clusterIPs.length === 1 && clusterIPs[0] === headlessAddress;

export const needsAddress = ({ type }: ServiceSpec): boolean => type !== 'ExternalName';

/** Addresses that are reserved for a service. */
export const heldAddresses = (spec: ServiceSpec): readonly string[] =>
  needsAddress(spec) && !isHeadless(spec) ? (spec.clusterIPs ?? []) : [];

/** Whether node ports are handed out without being asked for. */
export const needsNodePorts = ({ type, allocateLoadBalancerNodePorts }: ServiceSpec): boolean =>
  type === 'NodePort' || (type === 'LoadBalancer' && allocateLoadBalancerNodePorts !== false);

export const mayHaveNodePorts = ({ type }: ServiceSpec): boolean => type === 'NodePort' || type === 'LoadBalancer';

export const needsHealthCheckPort = ({ type, externalTrafficPolicy }: ServiceSpec): boolean =>
  type === 'LoadBalancer' && externalTrafficPolicy === 'Local';

/** Whether traffic from outside the cluster is meant to reach the service. */
export const isReachedFromOutside = ({ type, externalIPs = [] }: ServiceSpec): boolean =>
  type === 'LoadBalancer' || type === 'NodePort' || (type === 'ClusterIP' && externalIPs.length > 0);

/** Node ports of a service, each once. */
export function nodePortsOf({ ports = [] }: ServiceSpec): readonly number[] {
  return [...new Set(ports.map(({ nodePort = 0 }) => nodePort).filter((port) => port !== 0))];
}

/** The object without some fields of its spec. */
function without(spec: ServiceSpec, fields: readonly (keyof ServiceSpec)[]): ServiceSpec {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !fields.includes(name as keyof ServiceSpec)));
}

/** Groups of fields that go when the type no longer has a use for them and the client has not touched them. */
const dependent: readonly {
  readonly fields: readonly (keyof ServiceSpec)[];
  readonly applies: (spec: ServiceSpec) => boolean;
}[] = [
  { fields: ['clusterIP', 'clusterIPs'], applies: needsAddress },
  { fields: ['ipFamilies'], applies: needsAddress },
  { fields: ['ipFamilyPolicy'], applies: needsAddress },
  { fields: ['healthCheckNodePort'], applies: needsHealthCheckPort },
  { fields: ['allocateLoadBalancerNodePorts'], applies: ({ type }) => type === 'LoadBalancer' },
  { fields: ['loadBalancerClass'], applies: ({ type }) => type === 'LoadBalancer' },
  { fields: ['externalTrafficPolicy'], applies: isReachedFromOutside },
];

/** After a change of type, what was set for the old one goes with it. */
export function dropTypeDependentFields(next: Service, old: Service): Service {
  const was = specOf(old);
  let spec = specOf(next);
  for (const { fields, applies } of dependent) {
    const untouched = fields.every((field) => isSameJson(spec[field], was[field]));
    if (applies(was) && !applies(spec) && untouched) spec = without(spec, fields);
  }
  const had = new Set(nodePortsOf(was));
  if (mayHaveNodePorts(was) && !mayHaveNodePorts(spec) && nodePortsOf(spec).every((port) => had.has(port)))
    spec = withPorts(spec, ({ nodePort: _, ...port }) => port);
  return { ...next, spec };
}

/** Values that were assigned before and that the client left out: it means to keep them. */
export function keepAssigned(next: Service, old: Service): Service {
  const was = specOf(old);
  let spec = specOf(next);
  if (needsAddress(was) && needsAddress(spec)) spec = keepAddresses(spec, was);
  if (needsNodePorts(was) && needsNodePorts(spec)) spec = keepNodePorts(spec, was);
  if (needsHealthCheckPort(was) && needsHealthCheckPort(spec) && !spec.healthCheckNodePort)
    spec = { ...spec, ...(was.healthCheckNodePort ? { healthCheckNodePort: was.healthCheckNodePort } : {}) };
  return { ...next, spec };
}

function keepAddresses(spec: ServiceSpec, was: ServiceSpec): ServiceSpec {
  const clusterIP = spec.clusterIP || was.clusterIP;
  const clusterIPs = (spec.clusterIPs ?? []).length === 0 ? was.clusterIPs : spec.clusterIPs;
  return { ...spec, ...(clusterIP ? { clusterIP } : {}), ...(clusterIPs ? { clusterIPs } : {}) };
}

/** Ports are recognised by name; a number that another port took meanwhile is not kept. */
function keepNodePorts(spec: ServiceSpec, was: ServiceSpec): ServiceSpec {
  const now = new Set(nodePortsOf(spec));
  const byName = new Map((was.ports ?? []).map(({ name = '', nodePort = 0 }) => [name, nodePort]));
  return withPorts(spec, (port) => {
    const before = byName.get(port.name ?? '') ?? 0;
    return port.nodePort || before === 0 || now.has(before) ? port : { ...port, nodePort: before };
  });
}

/** A service without ports keeps no empty list of them. */
function withPorts(spec: ServiceSpec, change: (port: Port) => Port): ServiceSpec {
  return spec.ports?.length ? { ...spec, ports: spec.ports.map(change) } : spec;
}

/** clusterIP and clusterIPs say the same; a client that knows the first of them only changes both. */
export function alignAddresses(next: Service, old: Service | undefined): Service {
  const spec = specOf(next);
  const { clusterIP = '', clusterIPs = [] } = spec;
  if (old === undefined)
    return clusterIP !== '' && clusterIPs.length === 0 ? { ...next, spec: { ...spec, clusterIPs: [clusterIP] } } : next;
  const was = specOf(old);
  const sameOne = clusterIP === (was.clusterIP ?? '');
  const sameAll = isSameJson(clusterIPs, was.clusterIPs ?? []);
  if (sameOne || !sameAll) return next;
  const rest = without(spec, ['clusterIPs']);
  return { ...next, spec: clusterIP === '' ? rest : { ...rest, clusterIPs: [clusterIP] } };
}
