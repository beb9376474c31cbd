// ResourceQuota: what is created is charged to the quotas of its namespace first, and refused where they have not enough.

import { andThen, type MaybePromise } from '../../../base/maybe-promise.ts';
import type { Pod } from '../../../groups/core/v1/pod/pod-type.ts';
import {
  isInScopes,
  limitedAmounts,
  type Measure,
  measureOf,
  usageOf,
} from '../../../groups/core/v1/quota/quota-measures.ts';
import type { Usage } from '../../../groups/core/v1/quota/quota-usage.ts';
import type { ResourceQuota } from '../../../groups/core/v1/quota/resource-quota-type.ts';
import type { GroupResource } from '../../../meta/group-version.ts';
import type { ApiObject } from '../../../meta/object.ts';
import {
  addQuantities,
  compareQuantities,
  formatQuantity,
  negateQuantity,
  parseQuantity,
  type Quantity,
} from '../../../meta/quantity.ts';
import { ApiError } from '../../../meta/status.ts';
import type { PartSubresource } from '../../../schema/part-subresource.ts';
import type { AdmissionEngines, PluginSettings } from '../../engines.ts';
import { type AdmissionPlugin, type AdmissionRequest, refusal, writes } from '../../plugin.ts';
import { unstated } from './quota-constraints.ts';

type Engines = Pick<AdmissionEngines, 'dialect' | 'clock' | 'objects' | 'update'> & {
  readonly settings: Pick<PluginSettings, 'limitedResources'>;
};

const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };

/** What is used is all that a charge changes. */
const usedPart: PartSubresource = {
  is: 'part',
  name: 'status',
  verbs: [],
  merge: (next, old) => ({ ...old, status: next['status'] }),
};

export function resourceQuota(engines: Engines): AdmissionPlugin {
  return {
    name: 'ResourceQuota',
    operations: writes,
    // most objects count when they are made; some count for more or less later, each in its own way
    covers: ({ namespaced, group, plural }, subresource, operation) =>
      namespaced &&
      (operation === 'CREATE' ? subresource === '' : mayChange(measureOf({ group, resource: plural }), subresource)),
    validate(request) {
      if (!changesUse(request)) return;
      return andThen(engines.objects.list(quotas, request.namespace), (found) =>
        found.length === 0 && engines.settings.limitedResources.length === 0
          ? undefined
          : charge(engines, request, found as readonly ResourceQuota[]),
      );
    },
  };
}

const mayChange = (measure: Measure | undefined, subresource: string): boolean =>
  measure !== undefined &&
  (subresource === measure.changesBy || (subresource === '' && measure.changesScope !== undefined));

/** A plain update of a kind that changes by a subresource counts only where it comes into other scopes. */
function changesUse(request: AdmissionRequest): boolean {
  const { subresource, object, oldObject } = request;
  const measure = measureOf(resourceOf(request));
  if (object === undefined || oldObject === undefined || subresource === measure?.changesBy) return true;
  return measure?.changesScope?.(object, oldObject) ?? true;
}

const resourceOf = ({ definition: { group, plural } }: AdmissionRequest): GroupResource => ({
  group,
  resource: plural,
});

function charge(engines: Engines, request: AdmissionRequest, all: readonly ResourceQuota[]): MaybePromise<void> {
  const object = request.object as ApiObject;
  const resource = resourceOf(request);
  const concerned = all.filter(
    (quota) => limitedAmounts(quota, resource).length > 0 && isInScopes(quota, resource, object),
  );
  for (const quota of concerned) checkStated(request, quota);
  const whole = usedBy(engines, request, undefined);
  const added = request.oldObject === undefined ? whole : usedBy(engines, request, request.oldObject);
  const costs = concerned.map((quota) => ({ quota, delta: wasCounted(quota, request) ? added : whole }));
  if (concerned.length > 0 ? costs.every(({ delta }) => delta.size === 0) : added.size === 0) return;
  checkLimited(engines, request, concerned, whole);
  // no quota is charged before all have agreed
  const charged = costs.filter(({ quota, delta }) => chargedUse(request, quota, delta) !== undefined);
  if (request.dryRun || charged.length === 0) return;
  return chargeAll(engines, request, charged);
}

/** An object that comes into the scopes of a quota by an update counts in full. */
const wasCounted = (quota: ResourceQuota, request: AdmissionRequest): boolean =>
  request.oldObject !== undefined && isInScopes(quota, resourceOf(request), request.oldObject);

interface Cost {
  readonly quota: ResourceQuota;
  readonly delta: Usage;
}

function checkStated(request: AdmissionRequest, quota: ResourceQuota): void {
  const limited = limitedAmounts(quota, resourceOf(request));
  const { name } = quota.metadata;
  const isPod = request.definition.plural === 'pods';
  const missing = isPod ? unstated((request.object as Pod).spec ?? {}, limited) : undefined;
  if (missing !== undefined) throw refusal(request, `failed quota: ${name}: ${missing}`);
  const unknown = limited.filter((one) => quota.status?.used?.[one] === undefined).sort();
  if (unknown.length > 0) throw refusal(request, `status unknown for quota: ${name}, resources: ${unknown.join(',')}`);
}

/** Some things a namespace does not get where no quota speaks of them. */
function checkLimited(engines: Engines, request: AdmissionRequest, all: readonly ResourceQuota[], delta: Usage): void {
  const { group, resource } = resourceOf(request);
  const rules = engines.settings.limitedResources.filter((one) => one.apiGroup === group && one.resource === resource);
  if (rules.length === 0) return;
  const spoken = new Set(all.flatMap((quota) => limitedAmounts(quota, resourceOf(request))));
  const needed = [...delta].filter(([name]) =>
    rules.some(({ matchContains }) => matchContains.some((part) => name.includes(part))),
  );
  const missing = needed.map(([name]) => name).filter((name) => !spoken.has(name));
  if (missing.length > 0) throw refusal(request, `insufficient quota to consume: ${missing.sort().join(',')}`);
}

/** What the write adds to what is used. What it gives back counts when the controller counts again, not before it is gone. */
function usedBy(engines: Engines, request: AdmissionRequest, oldObject: ApiObject | undefined): Usage {
  const { object } = request;
  const resource = resourceOf(request);
  const delta = new Map(usageOf(resource, object as ApiObject, engines));
  const negative = [...delta].filter(([, { digits }]) => digits < 0n).map(([name]) => name);
  if (negative.length > 0)
    throw refusal(request, `quota usage is negative for resource(s): ${negative.sort().join(',')}`);
  for (const [name, amount] of oldObject === undefined ? [] : usageOf(resource, oldObject, engines))
    delta.set(name, addQuantities(delta.get(name) ?? zero, negateQuantity(amount)));
  return new Map([...delta].filter(([, { digits }]) => digits > 0n));
}

const zero = parseQuantity('0') as Quantity;
const amountOf = (text: string | undefined): Quantity => parseQuantity(text ?? '0') ?? zero;

/** What is used of a quota after a charge; undefined when it is not about any of it. Refuses what is too much. */
function chargedUse(
  request: AdmissionRequest,
  quota: ResourceQuota,
  delta: Usage,
): Readonly<Record<string, string>> | undefined {
  const { hard = {}, used = {} } = quota.status ?? {};
  const limited = new Set(limitedAmounts(quota, resourceOf(request)));
  const requested = [...delta].filter(([name]) => limited.has(name)).sort(([a], [b]) => (a < b ? -1 : 1));
  if (requested.length === 0) return undefined;
  const next = new Map(requested.map(([name, amount]) => [name, addQuantities(amountOf(used[name]), amount)]));
  const exceeded = requested.filter(([name]) => compareQuantities(next.get(name) ?? zero, amountOf(hard[name])) > 0);
  if (exceeded.length > 0) {
    const show = (amount: (name: string) => string) => exceeded.map(([name]) => `${name}=${amount(name)}`).join(',');
    const asked = show((name) => formatQuantity(delta.get(name) ?? zero));
    const limits = `used: ${show((name) => used[name] ?? '0')}, limited: ${show((name) => hard[name] ?? '0')}`;
    throw refusal(request, `exceeded quota: ${quota.metadata.name}, requested: ${asked}, ${limits}`);
  }
  const changed = [...next].map(([name, amount]) => [name, formatQuantity(amount)] as const);
  return { ...used, ...Object.fromEntries(changed) };
}

/** Each charge is made on the quota as it is then, so that two at once cannot both have the last of it. */
async function chargeAll({ update }: Engines, request: AdmissionRequest, all: readonly Cost[]): Promise<void> {
  for (const { quota, delta } of all) {
    const ref = { namespace: request.namespace, name: quota.metadata.name ?? '' };
    try {
      await update(quotas, ref, (current) => charged(request, current as ResourceQuota, delta), { part: usedPart });
    } catch (error) {
      // a quota that is gone limits nothing
      if (!(error instanceof ApiError && error.code === 404)) throw error;
    }
  }
}

function charged(request: AdmissionRequest, quota: ResourceQuota, delta: Usage): ApiObject {
  const used = chargedUse(request, quota, delta);
  return used === undefined ? quota : { ...quota, status: { ...quota.status, used } };
}
