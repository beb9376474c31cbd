// How much of a quota is used, counted from what is in its namespace.

import { isDeepStrictEqual } from 'node:util';
import { type Measure, measures, plainCounts, scopesOf } from '../../groups/core/v1/quota/quota-measures.ts';
import type { ScopeRequirement } from '../../groups/core/v1/quota/quota-scopes.ts';
import { addUsage, type Usage } from '../../groups/core/v1/quota/quota-usage.ts';
import type { ResourceQuota } from '../../groups/core/v1/quota/resource-quota-type.ts';
import { groupName } from '../../meta/dialect.ts';
import { compareQuantities, formatQuantity, parseQuantity, type Quantity } from '../../meta/quantity.ts';
import type { ControllerContext } from '../controller.ts';
import { pathOf } from '../object-feed.ts';

const zero = parseQuantity('0') as Quantity;

interface CountOptions {
  /** Whether a charge without an object stays: the object may be on its way to the store. Called once the quota was read. */
  readonly keepsCharges: () => boolean;
}

interface Counted {
  /** Objects that were made while it was counted are not charged to it. */
  readonly isFirst: boolean;
  /** Something that is charged was not found. */
  readonly keptCharges: boolean;
}

const nothing: Counted = { isFirst: false, keptCharges: false };

export async function reconcileQuota(
  context: ControllerContext,
  namespace: string,
  name: string,
  { keepsCharges }: CountOptions,
): Promise<Counted> {
  const { client } = context;
  const path = `/api/v1/namespaces/${namespace}/resourcequotas/${name}`;
  const quota = await client.find<ResourceQuota>(path);
  if (quota === undefined || quota.metadata.deletionTimestamp !== undefined) return nothing;
  const keeps = keepsCharges();
  const hard: Readonly<Record<string, string>> = quota.spec?.hard ?? {};
  const counter = new Counter(context, namespace, scopesOf(quota));
  const used: Record<string, string> = {};
  let keptCharges = false;
  for (const resource of Object.keys(hard).sort()) {
    const amount = await counter.used(resource);
    if (amount === undefined) continue;
    const before = parseQuantity(quota.status?.used?.[resource] ?? '') ?? zero;
    const isCharged = keeps && compareQuantities(before, amount) > 0;
    keptCharges ||= isCharged;
    used[resource] = formatQuantity(isCharged ? before : amount);
  }
  const isFirst = !isDeepStrictEqual(quota.status?.hard, hard);
  if (!isDeepStrictEqual(quota.status, { hard, used }))
    await client.replace(`${path}/status`, { ...quota, status: { hard, used } });
  return { isFirst, keptCharges };
}

/** Counts each kind once, when it is first asked for. */
class Counter {
  readonly #context: ControllerContext;
  readonly #namespace: string;
  readonly #scopes: readonly ScopeRequirement[];
  readonly #totals = new Map<Measure, Promise<Usage>>();

  constructor(context: ControllerContext, namespace: string, scopes: readonly ScopeRequirement[]) {
    this.#context = context;
    this.#namespace = namespace;
    this.#scopes = scopes;
  }

  /** Undefined for what is not counted. */
  async used(resource: string): Promise<Quantity | undefined> {
    const isNumber = resource.startsWith('count/');
    const measure = measures.find((one) => one.has(resource));
    if (measure !== undefined && (!isNumber || this.#scopes.length > 0)) return this.#amount(measure, resource);
    if (isNumber) return this.#count(resource.slice('count/'.length));
    return plainCounts.includes(resource) ? this.#count(resource) : undefined;
  }

  async #amount(measure: Measure, resource: string): Promise<Quantity> {
    let total = this.#totals.get(measure);
    if (total === undefined) {
      total = this.#total(measure);
      this.#totals.set(measure, total);
    }
    return (await total).get(resource) ?? zero;
  }

  async #total({ group, plural, usageOf, isInScope }: Measure): Promise<Usage> {
    const total: Usage = new Map();
    if (isInScope === undefined && this.#scopes.length > 0) return total;
    const found = this.#context.kinds.byPlural(groupName(this.#context.dialect, group), plural);
    if (found === undefined) return total;
    const path = pathOf(found, { namespace: this.#namespace, name: '' });
    for await (const { items } of this.#context.client.pages(path)) {
      for (const item of items) {
        if (!this.#scopes.every((scope) => isInScope?.(item, scope))) continue;
        for (const [name, amount] of usageOf(item, this.#context)) addUsage(total, name, amount);
      }
    }
    return total;
  }

  /** `deployments.apps`, or a plural name of the core group. */
  async #count(resource: string): Promise<Quantity | undefined> {
    const [plural = '', ...rest] = resource.split('.');
    const found = this.#context.kinds.byPlural(rest.join('.'), plural);
    if (found === undefined || !found.namespaced) return undefined;
    if (this.#scopes.length > 0) return zero;
    const path = pathOf(found, { namespace: this.#namespace, name: '' });
    const { items, metadata } = await this.#context.client.list(`${path}?limit=1`);
    return parseQuantity(String(items.length + (metadata.remainingItemCount ?? 0))) as Quantity;
  }
}
