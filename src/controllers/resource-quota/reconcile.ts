// How much of a quota is used, counted from what is in its namespace.

import { isDeepStrictEqual } from 'node:util';
import {
  addUsage,
  type CountedPod,
  claimUsage,
  isCounted,
  matchesScope,
  podUsage,
  type ScopeRequirement,
  serviceUsage,
  type Usage,
} from '../../groups/core/v1/quota-usage.ts';
import type { ResourceQuota } from '../../groups/core/v1/resource-quota.ts';
import type { ApiObject } from '../../meta/object.ts';
import { formatQuantity, parseQuantity, type Quantity } from '../../meta/quantity.ts';
import type { ControllerContext } from '../controller.ts';

/** Kinds that quotas count under a plain name. */
const plainCounts: readonly string[] = ['configmaps', 'secrets', 'replicationcontrollers', 'resourcequotas'];
const zero = parseQuantity('0') as Quantity;

export async function reconcileQuota(context: ControllerContext, namespace: string, name: string): Promise<void> {
  const { client } = context;
  const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}`;
  const quota = await client.find<ResourceQuota>(path);
  if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return;
  const hard: Readonly<Record<string, string>> = quota.spec?.hard ?? {};
  const counter = new Counter(context, namespace, scopesOf(quota));
  const used: Record<string, string> = {};
  for (const resource of Object.keys(hard).sort()) used[resource] = formatQuantity(await counter.used(resource));
  if (isDeepStrictEqual(quota.status, { hard, used })) return;
  await client.replace(`${path}/status`, { ...quota, status: { hard, used } });
}

function scopesOf({ spec = {} }: ResourceQuota): readonly ScopeRequirement[] {
  const plain = (spec.scopes ?? []).map((scopeName) => ({ scopeName, operator: 'Exists' }));
  return [...plain, ...((spec.scopeSelector?.matchExpressions ?? []) as readonly ScopeRequirement[])];
}

/** Counts each kind once, when it is first asked for. */
class Counter {
  readonly #context: ControllerContext;
  readonly #namespace: string;
  readonly #scopes: readonly ScopeRequirement[];
  readonly #totals = new Map<string, Promise<Usage>>();

  constructor(context: ControllerContext, namespace: string, scopes: readonly ScopeRequirement[]) {
    this.#context = context;
    this.#namespace = namespace;
    this.#scopes = scopes;
  }

  async used(resource: string): Promise<Quantity> {
    if (resource.startsWith('count/')) return this.#count(resource.slice('count/'.length));
    // only pods are in scopes
    if (this.#scopes.length > 0) return this.#amount('pods', resource);
    if (plainCounts.includes(resource)) return this.#count(resource);
    if (resource === 'services' || resource.startsWith('services.')) return this.#amount('services', resource);
    const isStorage = resource.endsWith('requests.storage') || resource.endsWith('persistentvolumeclaims');
    return this.#amount(isStorage ? 'persistentvolumeclaims' : 'pods', resource);
  }

  async #amount(plural: 'pods' | 'services' | 'persistentvolumeclaims', resource: string): Promise<Quantity> {
    let total = this.#totals.get(plural);
    if (total === undefined) {
      total = this.#total(plural);
      this.#totals.set(plural, total);
    }
    return (await total).get(resource) ?? zero;
  }

  async #total(plural: 'pods' | 'services' | 'persistentvolumeclaims'): Promise<Usage> {
    const total: Usage = new Map();
    for await (const { items } of this.#context.client.pages(`/api/v1/namespaces/${this.#namespace}/${plural}`))
      for (const item of items) for (const [name, amount] of this.#usageOf(plural, item)) addUsage(total, name, amount);
    return total;
  }

  #usageOf(plural: string, object: ApiObject): Usage {
    if (plural === 'services') return serviceUsage(object);
    if (plural !== 'pods') return claimUsage(object, this.#context.dialect.apiDomain);
    const pod = object as CountedPod;
    const counts = isCounted(pod) && this.#scopes.every((scope) => matchesScope(pod, scope));
    return counts ? podUsage(pod) : new Map<string, Quantity>();
  }

  /** `deployments.apps`, or a plural name of the core group. */
  async #count(resource: string): Promise<Quantity> {
    const [plural = '', ...rest] = resource.split('.');
    const group = rest.join('.');
    const found = this.#context.kinds.byPlural(group, plural);
    if (found === undefined || !found.namespaced) return zero;
    const base = group === '' ? '/api/v1' : `/apis/${group}/${found.version}`;
    const path = `${base}/namespaces/${this.#namespace}/${plural}?limit=1`;
    const { items, metadata } = await this.#context.client.list(path);
    return parseQuantity(String(items.length + (metadata.remainingItemCount ?? 0))) as Quantity;
  }
}
