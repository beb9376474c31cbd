// What quotas measure: the kinds of which more is counted than their number, and which quota is about which object.

import type { Clock } from '../../../../base/time/clock.ts';
import type { Dialect } from '../../../../meta/dialect.ts';
import { formatGroupResource, type GroupResource } from '../../../../meta/group-version.ts';
import type { ApiObject } from '../../../../meta/object.ts';
import { parseQuantity, type Quantity } from '../../../../meta/quantity.ts';
import { deviceClaimUsage } from './quota-devices.ts';
import { changesPodScope, isClaimInScope, isPodInScope, type ScopeRequirement } from './quota-scopes.ts';
import { claimUsage, podUsage, serviceUsage, type Usage } from './quota-usage.ts';
import type { ResourceQuota } from './resource-quota-type.ts';

interface MeasureContext {
  readonly dialect: Dialect;
  readonly clock: Clock;
}

/** A kind of which more is counted than its number. */
export interface Measure {
  /** The group without its domain. */
  readonly group: string;
  readonly plural: string;
  /** Whether an amount of this name is about the kind. */
  has(resource: string): boolean;
  usageOf(object: ApiObject, context: MeasureContext): Usage;
  /** The subresource by which amounts of an object change; empty for plain updates. */
  readonly changesBy: string;
  /** Whether a plain update brings an object into other scopes, where amounts change by a subresource. */
  changesScope?(next: ApiObject, old: ApiObject): boolean;
  /** Kinds that are in no scope count only where a quota has none. */
  isInScope?(object: ApiObject, scope: ScopeRequirement): boolean;
}

const podAmounts =
  /^(pods|cpu|memory|ephemeral-storage|hugepages-.+|requests\..+|limits\.(cpu|memory|ephemeral-storage))$/;
const claimAmounts = /^(.+\.storageclass\.storage\..+\/)?(requests\.storage|persistentvolumeclaims)$/;

const deviceAmounts = /^(.+\.deviceclass\.resource\..+\/devices|requests\.deviceclass\.resource\..+\/.+)$/;
const deviceCount = /^count\/resourceclaims\.resource\./;

/** The first that has an amount counts it. */
export const measures: readonly Measure[] = [
  {
    group: 'resource',
    plural: 'resourceclaims',
    has: (resource) => deviceAmounts.test(resource) || deviceCount.test(resource),
    usageOf: (object, { dialect }) => deviceClaimUsage(object, dialect),
    changesBy: '',
  },
  {
    group: '',
    plural: 'persistentvolumeclaims',
    has: (resource) => claimAmounts.test(resource) || resource === 'count/persistentvolumeclaims',
    usageOf: (object, { dialect }) => claimUsage(object, dialect.apiDomain),
    changesBy: '',
    isInScope: isClaimInScope,
  },
  {
    group: '',
    plural: 'services',
    has: (resource) => resource === 'services' || resource.startsWith('services.'),
    usageOf: serviceUsage,
    changesBy: '',
  },
  {
    group: '',
    plural: 'pods',
    has: (resource) => podAmounts.test(resource) || resource === 'count/pods',
    usageOf: (object, { clock }) => podUsage(object, clock.now()),
    changesBy: 'resize',
    changesScope: changesPodScope,
    isInScope: isPodInScope,
  },
];

/** Kinds that quotas count under a plain name. */
export const plainCounts: readonly string[] = ['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas'];

export const measureOf = (resource: GroupResource): Measure | undefined =>
  measures.find((measure) => measure.plural === resource.resource && isOfGroup(measure, resource));

const isOfGroup = (measure: Measure, { group }: GroupResource): boolean =>
  measure.group === '' ? group === '' : group.startsWith(`${measure.group}.`);

/** Names under which objects of a resource are counted by their number. */
function countNames(resource: GroupResource): readonly string[] {
  const name = formatGroupResource(resource);
  return plainCounts.includes(name) ? [`count/${name}`, name] : [`count/${name}`];
}

const one = parseQuantity('1') as Quantity;

/** All that an object counts for. */
export function usageOf(resource: GroupResource, object: ApiObject, context: MeasureContext): Usage {
  const usage: Usage = new Map(countNames(resource).map((name) => [name, one]));
  for (const [name, amount] of measureOf(resource)?.usageOf(object, context) ?? []) usage.set(name, amount);
  return usage;
}

export function scopesOf({ spec = {} }: ResourceQuota): readonly ScopeRequirement[] {
  const plain = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...((spec.scopeSelector?.matchExpressions ?? []) as readonly ScopeRequirement[])];
}

/** Amounts that a quota limits and that objects of a resource are measured by. */
export function limitedAmounts({ status = {} }: ResourceQuota, resource: GroupResource): readonly string[] {
  const measure = measureOf(resource);
  const counts = countNames(resource);
  const isMeasured = (name: string) => measure !== undefined && measures.find((other) => other.has(name)) === measure;
  return Object.keys(status.hard ?? {}).filter((name) => counts.includes(name) || isMeasured(name));
}

/** Whether an object is within all scopes of a quota. */
export function isInScopes(quota: ResourceQuota, resource: GroupResource, object: ApiObject): boolean {
  const scopes = scopesOf(quota);
  const measure = measureOf(resource);
  return scopes.every((scope) => measure?.isInScope?.(object, scope) ?? false);
}
