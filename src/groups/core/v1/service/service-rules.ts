// What may stand in a service, and what may change.

import { getOwn } from '../../../../base/json/json.ts';
import { type Dialect, labelKey } from '../../../../meta/dialect.ts';
import { duplicate, forbiddenField, invalidValue, notSupported, required } from '../../../../meta/field-errors.ts';
import { findEach, findEachEntry } from '../../../../meta/find-each.ts';
import { checkLabelName, checkLabelValue, checkQualifiedName, checkSubdomain } from '../../../../meta/names.ts';
import {
  validateNotSpecial,
  validatePort,
  validatePortOrName,
  validatePublicIp,
  validateRange,
} from '../../../../meta/network-names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { inReferenceForm } from '../../../../wording/types/reference-form.ts';
import { givenOneOf, repeatsIn } from '../../../rules.ts';
import { validateLoadBalancerIngress } from './load-balancer.ts';
import { validateAddresses, validateAddressUpdate } from './service-address-rules.ts';
import {
  isHeadless,
  isReachedFromOutside,
  needsHealthCheckPort,
  type ServiceSpec,
  specOf,
  trafficPolicies,
} from './service-fields.ts';
import type { Service } from './service-type.ts';

type Port = NonNullable<ServiceSpec['ports']>[number];

const types = ['ClusterIP', 'ExternalName', 'LoadBalancer', 'NodePort'];
const protocols = ['SCTP', 'TCP', 'UDP'];
const distributions = ['PreferClose', 'PreferSameZone', 'PreferSameNode'];
const onlyLoadBalancer = "may only be used when `type` is 'LoadBalancer'";

/** `old` is undefined for a new service. */
export function validateService(service: Service, old: Service | undefined, dialect: Dialect): readonly FieldError[] {
  const spec = specOf(service);
  return [
    ...validateTopology(service, dialect),
    ...validateType(spec),
    ...validatePorts(spec),
    ...validateSelector(spec),
    ...validateAffinity(spec),
    ...validateAddresses(spec, old?.spec?.clusterIPs),
    ...validateExternalIps(spec, old?.spec),
    ...oneOf(spec.type, types, 'spec.type'),
    ...validateNodePorts(spec),
    ...validateSourceRanges(service, old, dialect),
    ...validateLoadBalancerFields(spec),
    ...validateTraffic(spec),
  ];
}

/** Addresses that the service had are written as older rules had it. */
function validateExternalIps({ externalIPs = [] }: ServiceSpec, old: ServiceSpec = {}): readonly FieldError[] {
  const had = new Set(old.externalIPs);
  return findEach(externalIPs, (ip, index) => {
    const at = `spec.externalIPs[${index}]`;
    return had.has(ip) ? validateNotSpecial(ip, at) : validatePublicIp(ip, at);
  });
}

/** Where traffic goes is said by an annotation that had another name before; both must say the same. */
function validateTopology(
  { metadata: { annotations = {} } }: Service,
  { labelDomain }: Dialect,
): readonly FieldError[] {
  const older = `service.${labelDomain}/topology-aware-hints`;
  const newer = `service.${labelDomain}/topology-mode`;
  const [hints, mode] = [getOwn(annotations, older), getOwn(annotations, newer)];
  if (hints === undefined || mode === undefined || hints === mode) return [];
  const detail = `must match annotations[${older}] when both are specified`;
  return [invalidValue(`metadata.annotations[${newer}]`, mode, detail)];
}

/** A value that must be there and be one of a few. */
function oneOf(value: string | undefined, supported: readonly string[], at: string): readonly FieldError[] {
  if (!value) return [required(at)];
  return supported.includes(value) ? [] : [notSupported(at, value, supported)];
}

function validateType(spec: ServiceSpec): readonly FieldError[] {
  const headless = isHeadless(spec);
  const errors: FieldError[] = [];
  if ((spec.ports ?? []).length === 0 && !headless && spec.type !== 'ExternalName') errors.push(required('spec.ports'));
  if (spec.type === 'LoadBalancer' || spec.type === 'NodePort') {
    const detail = `may not be set to 'None' for ${spec.type} services`;
    if (headless) errors.push(invalidValue('spec.clusterIPs[0]', 'None', detail));
  }
  return spec.type === 'ExternalName' ? [...errors, ...validateExternalName(spec)] : errors;
}

function validateExternalName(spec: ServiceSpec): readonly FieldError[] {
  const set = { clusterIPs: spec.clusterIPs?.length, ipFamilies: spec.ipFamilies?.length, ipFamilyPolicy: 0 };
  if (spec.ipFamilyPolicy !== undefined) set.ipFamilyPolicy = 1;
  const unwanted = Object.entries(set).filter(([, count]) => (count ?? 0) > 0);
  const name = (spec.externalName ?? '').replace(/\.$/, '');
  return [
    ...unwanted.map(([field]) => forbiddenField(`spec.${field}`, 'may not be set for ExternalName services')),
    ...(name === '' ? [required('spec.externalName')] : []),
    ...(name === '' ? [] : checkSubdomain(name).map((e) => invalidValue('spec.externalName', name, e))),
  ];
}

function validatePorts({ ports = [] }: ServiceSpec): readonly FieldError[] {
  const names = new Set<string>();
  return findEach(ports, (port, index) => {
    const at = `spec.ports[${index}]`;
    const found = [...validatePortName(port, ports.length > 1, names, `${at}.name`), ...validateServicePort(port, at)];
    if (port.name) names.add(port.name);
    return found;
  });
}

function validatePortName(port: Port, needed: boolean, names: ReadonlySet<string>, at: string): readonly FieldError[] {
  const { name = '' } = port;
  if (name === '') return needed ? [required(at)] : [];
  return [
    ...checkLabelName(name).map((e) => invalidValue(at, name, e)),
    ...(names.has(name) ? [duplicate(at, name)] : []),
  ];
}

function validateServicePort({ port = 0, protocol, targetPort = 0, appProtocol }: Port, at: string) {
  return [
    ...validatePort(port, `${at}.port`),
    ...oneOf(protocol, protocols, `${at}.protocol`),
    ...validatePortOrName(targetPort, `${at}.targetPort`),
    ...(appProtocol === undefined
      ? []
      : checkQualifiedName(appProtocol).map((e) => invalidValue(`${at}.appProtocol`, appProtocol, e))),
  ];
}

function validateSelector({ selector = {} }: ServiceSpec): readonly FieldError[] {
  return findEachEntry(selector, (key, value) => [
    ...checkQualifiedName(key).map((e) => invalidValue('spec.selector', key, e)),
    ...checkLabelValue(value).map((e) => invalidValue('spec.selector', value, e)),
  ]);
}

const oneDay = 86400;

function validateAffinity({ sessionAffinity, sessionAffinityConfig: config }: ServiceSpec): readonly FieldError[] {
  const at = 'spec.sessionAffinityConfig';
  const errors = oneOf(sessionAffinity, ['ClientIP', 'None'], 'spec.sessionAffinity');
  if (sessionAffinity === 'None' && config !== undefined)
    return [...errors, forbiddenField(at, 'must not be set when session affinity is None')];
  if (sessionAffinity !== 'ClientIP') return errors;
  const seconds = config?.clientIP?.timeoutSeconds;
  if (seconds === undefined)
    return [...errors, required(`${at}.clientIP.timeoutSeconds`, 'when session affinity type is ClientIP')];
  if (seconds > 0 && seconds <= oneDay) return errors;
  const detail = `must be greater than 0 and less than ${oneDay}`;
  return [...errors, invalidValue(`${at}.clientIP.timeoutSeconds`, seconds, detail)];
}

/** Node ports only where the type has them, and no pair of protocol and number twice. */
function validateNodePorts({ type, ports = [] }: ServiceSpec): readonly FieldError[] {
  const unused = "may not be used when `type` is 'ClusterIP'";
  const isSameNodePort = repeatsIn(ports.map(({ protocol, nodePort = 0 }) => `${protocol}/${nodePort}`));
  const isSamePort = repeatsIn(ports.map(({ protocol, port }) => `${protocol}/${port}`));
  return [
    ...findEach(ports, ({ nodePort = 0 }, index) =>
      type === 'ClusterIP' && nodePort !== 0 ? [forbiddenField(`spec.ports[${index}].nodePort`, unused)] : [],
    ),
    ...findEach(ports, ({ nodePort = 0 }, index) =>
      nodePort !== 0 && isSameNodePort(index) ? [duplicate(`spec.ports[${index}].nodePort`, nodePort)] : [],
    ),
    ...findEach(ports, ({ protocol, port }, index) =>
      isSamePort(index) ? [duplicate(`spec.ports[${index}]`, inReferenceForm('ServicePort', { protocol, port }))] : [],
    ),
  ];
}

/** compat: the field of source ranges is named with a capital letter in validation errors */
const sourceRanges = 'spec.LoadBalancerSourceRanges';

function validateSourceRanges(service: Service, old: Service | undefined, dialect: Dialect): readonly FieldError[] {
  const { type, loadBalancerSourceRanges: ranges = [] } = specOf(service);
  if (ranges.length === 0) return validateRangeAnnotation(service, old, dialect);
  const had = new Set(old?.spec?.loadBalancerSourceRanges?.map((range) => range.trim()));
  return [
    ...(type === 'LoadBalancer' ? [] : [forbiddenField(sourceRanges, onlyLoadBalancer)]),
    ...findEach(ranges, (range, index) =>
      had.has(range.trim()) ? [] : validateRange(range.trim(), `${sourceRanges}[${index}]`),
    ),
  ];
}

/** The older way to say which ranges may reach the load balancer. */
function validateRangeAnnotation(service: Service, old: Service | undefined, dialect: Dialect): readonly FieldError[] {
  const key = `service.beta.${labelKey(dialect, 'load-balancer-source-ranges')}`;
  const annotation = service.metadata.annotations?.[key];
  if (annotation === undefined) return [];
  const at = `metadata.annotations[${key}]`;
  const isNew = old?.metadata.annotations?.[key] !== annotation;
  const listed = isNew && annotation.trim() !== '' ? annotation.split(',') : [];
  return [
    ...(specOf(service).type === 'LoadBalancer' ? [] : [forbiddenField(at, onlyLoadBalancer)]),
    ...findEach(listed, (range) => validateRange(range.trim(), at)),
  ];
}

function validateLoadBalancerFields(spec: ServiceSpec): readonly FieldError[] {
  const { type, allocateLoadBalancerNodePorts: allocate } = spec;
  const at = 'allocateLoadBalancerNodePorts';
  const balanced = type === 'LoadBalancer';
  const misplaced = allocate !== undefined && !balanced ? [forbiddenField(`spec.${at}`, onlyLoadBalancer)] : [];
  const missing = allocate === undefined && balanced ? [required(at)] : [];
  return [...misplaced, ...missing, ...validateClass(spec)];
}

function validateClass({ type, loadBalancerClass: name }: ServiceSpec): readonly FieldError[] {
  const at = 'spec.loadBalancerClass';
  if (name === undefined) return [];
  if (type !== 'LoadBalancer') return [forbiddenField(at, onlyLoadBalancer)];
  return checkQualifiedName(name).map((e) => invalidValue(at, name, e));
}

function validateTraffic(spec: ServiceSpec): readonly FieldError[] {
  const { type, internalTrafficPolicy: inside, trafficDistribution } = spec;
  const hasInside = type === 'ClusterIP' || type === 'NodePort' || type === 'LoadBalancer';
  const unknown = trafficDistribution !== undefined && !distributions.includes(trafficDistribution);
  return [
    ...validateExternalTraffic(spec),
    ...validateHealthCheckPort(spec),
    ...(inside === undefined && !hasInside ? [] : givenOneOf('spec.internalTrafficPolicy', inside, trafficPolicies)),
    ...(unknown ? [notSupported('spec.trafficDistribution', trafficDistribution, distributions)] : []),
  ];
}

function validateExternalTraffic(spec: ServiceSpec): readonly FieldError[] {
  const at = 'spec.externalTrafficPolicy';
  const policy = spec.externalTrafficPolicy ?? '';
  if (isReachedFromOutside(spec)) return oneOf(policy, trafficPolicies, at);
  return policy === '' ? [] : [invalidValue(at, policy, 'may only be set for externally-accessible services')];
}

function validateHealthCheckPort(spec: ServiceSpec): readonly FieldError[] {
  const at = 'spec.healthCheckNodePort';
  const port = spec.healthCheckNodePort ?? 0;
  if (needsHealthCheckPort(spec)) return port === 0 ? [required(at)] : validatePort(port, at);
  const detail = "may only be set when `type` is 'LoadBalancer' and `externalTrafficPolicy` is 'Local'";
  return port === 0 ? [] : [invalidValue(at, port, detail)];
}

export function validateServiceUpdate(next: Service, old: Service, dialect: Dialect): readonly FieldError[] {
  const spec = specOf(next);
  const was = specOf(old);
  const errors = [...validateAddressUpdate(spec, was)];
  const balanced = spec.type === 'LoadBalancer' && was.type === 'LoadBalancer';
  if (balanced && spec.loadBalancerClass !== was.loadBalancerClass)
    errors.push(invalidValue('spec.loadBalancerClass', spec.loadBalancerClass ?? null, 'may not change once set'));
  // compat: what is wrong with the class of a load balancer is listed twice on update
  errors.push(...validateClass(spec));
  const checked = needsHealthCheckPort(spec) && needsHealthCheckPort(was);
  if (checked && spec.healthCheckNodePort !== was.healthCheckNodePort)
    errors.push(forbiddenField('spec.healthCheckNodePort', 'field is immutable'));
  return [...errors, ...validateService(next, old, dialect)];
}

export function validateServiceStatus(service: Service): readonly FieldError[] {
  const ingress = service.status?.loadBalancer?.ingress ?? [];
  const at = 'status.loadBalancer.ingress';
  if (ingress.length > 0 && specOf(service).type !== 'LoadBalancer')
    return [forbiddenField(at, "may only be used when `spec.type` is 'LoadBalancer'")];
  return findEach(ingress, (one, index) => validateLoadBalancerIngress(one, `${at}[${index}]`));
}
