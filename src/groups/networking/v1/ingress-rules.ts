// What may stand in an ingress: hosts, paths, backends, certificates.

import { type Dialect, labelKey } from '../../../meta/dialect.ts';
import { invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { parseIp } from '../../../meta/ip.ts';
import { checkLabelName, checkPathSegment, checkSubdomain } from '../../../meta/names.ts';
import { checkHost, checkPortName, validatePort } from '../../../meta/network-names.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Infer } from '../../../schema/types.ts';
import { validateReach } from '../../core/v1/service/load-balancer.ts';
import type { httpIngressPath, Ingress, ingressBackend, ingressRule, ingressTLS } from './ingress-type.ts';

type Backend = Infer<typeof ingressBackend>;
type Path = Infer<typeof httpIngressPath>;
type Rule = Infer<typeof ingressRule>;
type Certificate = Infer<typeof ingressTLS>;

export function validateIngress({ spec = {} }: Ingress): readonly FieldError[] {
  const { rules = [], defaultBackend, tls = [], ingressClassName: name } = spec;
  const nothing = rules.length === 0 && defaultBackend === undefined;
  return [
    ...(nothing ? [invalidValue('spec', null, 'either `defaultBackend` or `rules` must be specified')] : []),
    ...(defaultBackend === undefined ? [] : validateBackend(defaultBackend, 'spec.defaultBackend')),
    ...findEach(rules, (rule, index) => validateRule(rule, `spec.rules[${index}]`)),
    ...findEach(tls, (one, index) => validateCertificate(one, `spec.tls[${index}]`)),
    ...(name === undefined ? [] : checkSubdomain(name).map((e) => invalidValue('spec.ingressClassName', name, e))),
  ];
}

/** The annotation that named the class before there was a field must not say something else. */
export function validateIngressCreate({ metadata, spec }: Ingress, dialect: Dialect): readonly FieldError[] {
  const key = labelKey(dialect, 'ingress.class');
  const annotated = metadata.annotations?.[key];
  const name = spec?.ingressClassName;
  if (annotated === undefined || name === undefined || annotated === name) return [];
  return [invalidValue(`annotations.${key}`, annotated, 'must match `ingressClassName` when both are specified')];
}

function validateCertificate({ hosts = [], secretName = '' }: Certificate, at: string): readonly FieldError[] {
  return [
    ...findEach(hosts, (host, index) => checkHost(host).map((e) => invalidValue(`${at}.hosts[${index}]`, host, e))),
    ...(secretName === ''
      ? []
      : checkSubdomain(secretName).map((e) => invalidValue(`${at}.secretName`, secretName, e))),
  ];
}

function validateRule({ host = '', http }: Rule, at: string): readonly FieldError[] {
  const errors: FieldError[] = [];
  if (parseIp(host) !== undefined)
    errors.push(invalidValue(`${at}.host`, host, 'must be a DNS name, not an IP address'));
  if (host !== '') errors.push(...checkHost(host).map((e) => invalidValue(`${at}.host`, host, e)));
  if (http === undefined) return errors;
  const { paths } = http;
  if ((paths ?? []).length === 0) errors.push(required(`${at}.http.paths`));
  return [...errors, ...findEach(paths ?? [], (path, index) => validatePath(path, `${at}.http.paths[${index}]`))];
}

const pathTypes = ['Exact', 'ImplementationSpecific', 'Prefix'];
const forbiddenSequences = ['//', '/./', '/../', '%2f', '%2F'];
const forbiddenEnds = ['/..', '/.'];

function validatePath({ path = '', pathType, backend = {} }: Path, at: string): readonly FieldError[] {
  if (pathType == null) return [required(`${at}.pathType`, 'pathType must be specified')];
  const known = pathTypes.includes(pathType);
  const wrong = known ? pathErrors(path, pathType) : [];
  return [
    ...wrong.map((e) => invalidValue(`${at}.path`, path, e)),
    ...(known ? [] : [notSupported(`${at}.pathType`, pathType, pathTypes)]),
    ...validateBackend(backend, `${at}.backend`),
  ];
}

function pathErrors(path: string, type: string): readonly string[] {
  const relative = path.startsWith('/') ? [] : ['must be an absolute path'];
  if (type === 'ImplementationSpecific') return path === '' ? [] : relative;
  return [
    ...relative,
    ...forbiddenSequences.filter((part) => path.includes(part)).map((part) => `must not contain '${part}'`),
    ...forbiddenEnds.filter((end) => path.endsWith(end)).map((end) => `cannot end with '${end}'`),
  ];
}

function validateBackend({ service, resource }: Backend, at: string): readonly FieldError[] {
  if (service !== undefined && resource !== undefined)
    return [invalidValue(at, '', 'cannot set both resource and service backends')];
  if (resource !== undefined) return validateResource(resource, `${at}.resource`);
  if (service === undefined) return [invalidValue(at, '', 'resource or service backend is required')];
  const { name = '', port = {} } = service;
  const named = checkLabelName(name).map((e) => invalidValue(`${at}.service.name`, name, e));
  return [...(name === '' ? [required(`${at}.service.name`)] : named), ...validateBackendPort(port, at)];
}

function validateBackendPort({ name = '', number = 0 }: { name?: string; number?: number }, at: string) {
  if (name !== '' && number !== 0) return [invalidValue(at, '', 'cannot set both port name & port number')];
  if (name !== '') return checkPortName(name).map((e) => invalidValue(`${at}.service.port.name`, name, e));
  if (number !== 0) return validatePort(number, `${at}.service.port.number`);
  return [required(at, 'port name or number is required')];
}

function validateResource({ apiGroup, kind = '', name = '' }: NonNullable<Backend['resource']>, at: string) {
  const segment = (text: string, field: string) =>
    text === ''
      ? [required(`${at}.${field}`)]
      : checkPathSegment(text).map((e) => invalidValue(`${at}.${field}`, text, e));
  return [
    ...(apiGroup == null ? [] : checkSubdomain(apiGroup).map((e) => invalidValue(`${at}.apiGroup`, apiGroup, e))),
    ...segment(kind, 'kind'),
    ...segment(name, 'name'),
  ];
}

export function validateIngressStatus({ status }: Ingress): readonly FieldError[] {
  const ingress = status?.loadBalancer?.ingress ?? [];
  return findEach(ingress, (one, index) => validateReach(one, `status.loadBalancer.ingress[${index}]`));
}
