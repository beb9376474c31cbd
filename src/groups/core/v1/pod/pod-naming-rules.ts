// What is wrong with how a pod names things: its host, its servers, what it refers to.

import { forbiddenField, invalidValue, required, tooLong } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { checkLabelName, checkSearchDomain, checkSubdomain } from '../../../../meta/names.ts';
import { validateIp } from '../../../../meta/network-names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { checked, requiredOneOf, type ValidationErrors } from '../../../rules.ts';
import type { PodSpec } from './pod-spec.ts';

const maxNameservers = 3;
const maxSearches = 32;
const maxSearchLength = 2048;

export function validateDns({ dnsPolicy = '', dnsConfig }: PodSpec, at: string): ValidationErrors {
  const here = `${at}.dnsConfig`;
  const policies = ['ClusterFirstWithHostNet', 'ClusterFirst', 'Default', 'None'];
  const errors: FieldError[] = [...requiredOneOf(`${at}.dnsPolicy`, dnsPolicy, policies)];
  const { nameservers = [], searches = [], options = [] } = dnsConfig ?? {};
  if (dnsPolicy === 'None' && dnsConfig === undefined)
    return [...errors, required(here, 'must provide `dnsConfig` when `dnsPolicy` is None')];
  if (dnsPolicy === 'None' && nameservers.length === 0) {
    const detail = 'must provide at least one DNS nameserver when `dnsPolicy` is None';
    return [...errors, required(`${here}.nameservers`, detail)];
  }
  if (nameservers.length > maxNameservers)
    errors.push(
      invalidValue(`${here}.nameservers`, nameservers, `must not have more than ${maxNameservers} nameservers`),
    );
  return [
    ...errors,
    ...findEach(nameservers, (ip, i) => validateIp(ip, `${here}.nameservers[${i}]`)),
    ...validateSearches(searches, `${here}.searches`),
    ...findEach(options, ({ name }, i) => (name ? [] : [required(`${here}.options[${i}]`, 'must not be empty')])),
  ];
}

function validateSearches(searches: readonly string[], at: string): ValidationErrors {
  const errors: FieldError[] = [];
  if (searches.length > maxSearches)
    errors.push(invalidValue(at, searches, `must not have more than ${maxSearches} search paths`));
  if (searches.join(' ').length > maxSearchLength) {
    const detail = `must not have more than ${maxSearchLength} characters (including spaces) in the search list`;
    errors.push(invalidValue(at, searches, detail));
  }
  return [
    ...errors,
    ...findEach(searches, (domain, i) =>
      domain === '.' ? [] : checked(`${at}[${i}]`, domain.replace(/\.$/, ''), checkSearchDomain),
    ),
  ];
}

export function validateNames(spec: PodSpec, at: string): ValidationErrors {
  const subdomains = ['serviceAccountName', 'nodeName', 'priorityClassName'] as const;
  const { runtimeClassName } = spec;
  return [
    ...subdomains.flatMap((name) => (spec[name] ? checked(`${at}.${name}`, spec[name], checkSubdomain) : [])),
    ...(runtimeClassName === undefined ? [] : checked(`${at}.runtimeClassName`, runtimeClassName, checkSubdomain)),
    ...(['hostname', 'subdomain'] as const).flatMap((name) =>
      spec[name] ? checked(`${at}.${name}`, spec[name], checkLabelName) : [],
    ),
    ...validateHostnameOverride(spec, `${at}.hostnameOverride`),
    ...findEach(spec.hostAliases ?? [], ({ ip = '', hostnames = [] }, i) => [
      ...validateIp(ip, `${at}.hostAliases[${i}].ip`),
      ...findEach(hostnames, (name, j) => checked(`${at}.hostAliases[${i}].hostnames[${j}]`, name, checkSubdomain)),
    ]),
  ];
}

const maxHostnameLength = 64;

function validateHostnameOverride(
  { hostnameOverride: name, setHostnameAsFQDN, hostNetwork }: PodSpec,
  at: string,
): ValidationErrors {
  if (name === undefined) return [];
  return [
    ...(setHostnameAsFQDN ? [forbiddenField(at, 'may not be specified when setHostnameAsFQDN is true')] : []),
    ...(hostNetwork ? [forbiddenField(at, 'may not be specified when hostNetwork is true')] : []),
    ...(Buffer.byteLength(name) > maxHostnameLength ? [tooLong(at, maxHostnameLength)] : []),
    ...checked(at, name, checkSubdomain),
  ];
}
