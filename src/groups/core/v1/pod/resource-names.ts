// Names of resources that are counted and measured: which there are, and which are whole numbers.

import { type Dialect, labelKey } from '../../../../meta/dialect.ts';
import { invalidValue, tooMany } from '../../../../meta/field-errors.ts';
import { checkQualifiedName } from '../../../../meta/names.ts';
import { isWhole, parseQuantity, type Quantity } from '../../../../meta/quantity.ts';
import type { FieldError } from '../../../../meta/status.ts';

const compute = ['cpu', 'memory', 'ephemeral-storage'];
const counted = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
]);
const measured = new Set([
  ...compute,
  ...compute.flatMap((name) => [`requests.${name}`, `limits.${name}`]),
  'requests.storage',
]);
const containers = new Set(compute);

const isHugePages = (name: string) => name.startsWith('hugepages-');

/** Resources that a quota can limit under a name without a domain. */
export const isQuotaResource = (name: string): boolean =>
  counted.has(name) || measured.has(name) || isHugePages(name) || name.startsWith('requests.hugepages-');

/** Names that Kubernetes itself gives a meaning. */
function isNative(name: string, dialect: Dialect): boolean {
  return !name.includes('/') || name.includes(labelKey(dialect, ''));
}

/** Resources of other domains, counted in whole numbers. */
export function isExtended(name: string, dialect: Dialect): boolean {
  if (isNative(name, dialect) || name.startsWith('requests.')) return false;
  return checkQualifiedName(`requests.${name}`).length === 0;
}

/** Resources of which more may be promised than there is. */
export const mayOvercommit = (name: string, dialect: Dialect): boolean => isNative(name, dialect) && !isHugePages(name);

export function validateResourceName(name: string, at: string): readonly FieldError[] {
  const malformed = checkQualifiedName(name).map((e) => invalidValue(at, name, e));
  if (malformed.length > 0 || name.includes('/') || isQuotaResource(name) || name === 'storage') return malformed;
  return [invalidValue(at, name, 'must be a standard resource type or fully qualified')];
}

export function validateContainerResourceName(name: string, dialect: Dialect, at: string): readonly FieldError[] {
  const errors = validateResourceName(name, at);
  if (!name.includes('/') && !containers.has(name) && !isHugePages(name))
    return [...errors, invalidValue(at, name, 'must be a standard resource for containers')];
  const foreign = !isNative(name, dialect) && !isExtended(name, dialect);
  return foreign ? [...errors, invalidValue(at, name, "doesn't follow extended resource name standard")] : errors;
}

export function validateQuotaResourceName(name: string, at: string): readonly FieldError[] {
  const errors = validateResourceName(name, at);
  if (name.includes('/') || isQuotaResource(name)) return errors;
  return [...errors, invalidValue(at, name, 'must be a standard resource for quota')];
}

/** More than any cluster has: amounts are looked at again with every object that they are compared with. */
export const maxResources = 1000;

/** A validation error where amounts of too many resources are given; nothing else is said of these then. */
export function tooManyResources(amounts: object | undefined, at: string): readonly FieldError[] {
  const count = Object.keys(amounts ?? {}).length;
  return count > maxResources ? [tooMany(at, count, maxResources)] : [];
}

const zero = parseQuantity('0') as Quantity;

/** Not negative, and whole where the resource is counted. */
export function validateAmount(name: string, amount: string, dialect: Dialect, at: string): readonly FieldError[] {
  const quantity = parseQuantity(amount) ?? zero;
  const isBroken = !isWhole(quantity) && (counted.has(name) || isExtended(name, dialect));
  if (quantity.digits >= 0n && !isBroken) return [];
  return [
    ...(quantity.digits < 0n ? [invalidValue(at, amount, 'must be greater than or equal to 0')] : []),
    ...(isBroken ? [invalidValue(at, amount, 'must be an integer')] : []),
  ];
}
