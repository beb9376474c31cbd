// Cluster addresses and IP families of a service: what goes together, and what may change.

import { duplicate, invalidValue, notSupported, required } from '../../../../meta/field-errors.ts';
import { findEach } from '../../../../meta/find-each.ts';
import { type IpFamily, parseIp } from '../../../../meta/ip.ts';
import { validateIp } from '../../../../meta/network-names.ts';
import type { FieldError } from '../../../../meta/status.ts';
import { repeatsIn } from '../../../rules.ts';
import { headlessAddress, isHeadless, type ServiceSpec } from './service-fields.ts';

const families: readonly string[] = ['IPv4', 'IPv6'];
const familyPolicies = ['PreferDualStack', 'RequireDualStack', 'SingleStack'];
const addressesAt = 'spec.clusterIPs';
const familiesAt = 'spec.ipFamilies';
const policyAt = 'spec.ipFamilyPolicy';

/**
 * Validation errors about what the fields say together; services without an address have their own rules. Addresses that
 * the service had before are not looked at again.
 */
export function validateAddresses(spec: ServiceSpec, had: readonly string[] = []): readonly FieldError[] {
  if (spec.type === 'ExternalName') return [];
  const { clusterIPs = [], ipFamilyPolicy: policy } = spec;
  const standing = [
    ...validateFirstAddress(spec),
    ...validateFamilies(spec),
    ...(policy === undefined || familyPolicies.includes(policy)
      ? []
      : [notSupported(policyAt, policy, familyPolicies)]),
  ];
  const malformed = validateEachAddress(clusterIPs, had);
  return [
    ...standing,
    ...malformed,
    ...(clusterIPs.length > 2 ? [invalidValue(addressesAt, clusterIPs, 'may only hold up to 2 values')] : []),
    ...(malformed.length > 0 ? [] : validatePairs(spec)),
  ];
}

function validateFirstAddress({ clusterIP = '', clusterIPs = [] }: ServiceSpec): readonly FieldError[] {
  if (clusterIP === '') {
    const detail = 'must be empty when `clusterIP` is not specified';
    return clusterIPs.length === 0 ? [] : [invalidValue(addressesAt, clusterIPs, detail)];
  }
  if (clusterIPs.length === 0) return [required(addressesAt)];
  return clusterIPs[0] === clusterIP
    ? []
    : [invalidValue(addressesAt, clusterIPs, 'first value must match `clusterIP`')];
}

function validateFamilies({ ipFamilies = [] }: ServiceSpec): readonly FieldError[] {
  const isRepeated = repeatsIn(ipFamilies);
  return findEach(ipFamilies, (family, index) => [
    ...(families.includes(family) ? [] : [notSupported(`${familiesAt}[${index}]`, family, families)]),
    ...(isRepeated(index) ? [duplicate(`${familiesAt}[${index}]`, family)] : []),
  ]);
}

function validateEachAddress(clusterIPs: readonly string[], had: readonly string[]): readonly FieldError[] {
  return findEach(clusterIPs, (ip, index) => {
    if (index !== 0 || ip !== headlessAddress)
      return had.includes(ip) ? [] : validateIp(ip, `${addressesAt}[${index}]`);
    const alone = clusterIPs.length === 1;
    return alone ? [] : [invalidValue(addressesAt, clusterIPs, "'None' must be the first and only value")];
  });
}

/** Addresses and their families, one by one. */
function validatePairs(spec: ServiceSpec): readonly FieldError[] {
  const { clusterIPs = [], ipFamilies = [] } = spec;
  if (isHeadless(spec)) return [];
  const errors: FieldError[] = [];
  // compat: a third address is not told to repeat a family where both families are there
  if (clusterIPs.length > 1 && new Set(clusterIPs.map(familyOf)).size < 2)
    errors.push(invalidValue(addressesAt, clusterIPs, 'may specify no more than one IP for each IP family'));
  clusterIPs.forEach((ip, index) => {
    const family = ipFamilies[index];
    if (family === undefined || family === familyOf(ip) || !families.includes(family)) return;
    const detail = `expected an ${family} value as indicated by \`ipFamilies[${index}]\``;
    errors.push(invalidValue(`${addressesAt}[${index}]`, ip, detail));
  });
  return errors;
}

export const familyOf = (ip: string): IpFamily | undefined => parseIp(ip)?.family;

/** The first address and family stay; a second one comes and goes with the policy. */
export function validateAddressUpdate(spec: ServiceSpec, was: ServiceSpec): readonly FieldError[] {
  if (spec.type === 'ExternalName' || was.type === 'ExternalName') return [];
  const headless = isHeadless(spec);
  const wasHeadless = isHeadless(was);
  return [
    ...(headless && wasHeadless ? [] : changed(addresses(spec), addresses(was), spec)),
    ...(headless || wasHeadless ? [] : changed(familyList(spec), familyList(was), spec)),
  ];
}

interface Listed {
  readonly at: string;
  readonly one: string;
  readonly values: readonly string[];
}

const addresses = ({ clusterIPs = [] }: ServiceSpec): Listed => ({
  at: addressesAt,
  one: 'clusterIP',
  values: clusterIPs,
});
const familyList = ({ ipFamilies = [] }: ServiceSpec): Listed => ({
  at: familiesAt,
  one: 'ipFamily',
  values: ipFamilies,
});

function changed({ at, one, values }: Listed, { values: were }: Listed, spec: ServiceSpec): readonly FieldError[] {
  const moved = (index: number) => invalidValue(`${at}[${index}]`, values, 'may not change once set');
  if (values.length === were.length)
    return findEach(were, (value, index) => (value === values[index] ? [] : [moved(index)]));
  const errors: FieldError[] = [];
  if (values.length === 0) errors.push(invalidValue(`${at}[0]`, values, `primary ${one} can not be unset`));
  else if (were.length > 0 && values[0] !== were[0]) errors.push(moved(0));
  const released = were.length > values.length && values.length === 1;
  if (released && spec.ipFamilyPolicy !== 'SingleStack') {
    const detail = `must be set to 'SingleStack' when releasing the secondary ${one}`;
    errors.push(invalidValue(policyAt, spec.ipFamilyPolicy ?? null, detail));
  }
  return errors;
}
