// The rules of a role that is put together from others.

import { isSameJson } from '../../../base/json/json.ts';
import type { PolicyRule } from '../../../meta/access.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { type LabelSelector, selecting } from '../../meta/v1/label-selector.ts';

interface AggregatedRole extends ApiObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

/** Who owns the rules that are collected from other roles. */
export const aggregationManager = 'clusterrole-aggregation-controller';

export const isAggregated = (role: AggregatedRole) => role.aggregationRule !== undefined;

/** The role with the rules of every other role that it selects, by name and each rule once; itself when nothing changes. */
export function aggregate<T extends ApiObject>(role: T, all: Iterable<ApiObject>): T {
  const rules = new AggregatedRules(role, all);
  for (const selector of rules.selectors) rules.add(selector);
  return rules.result();
}

/** The rules that a role gets from others, selector by selector. */
export class AggregatedRules<T extends ApiObject> {
  readonly #role: T;
  /** Roles that no selector so far has selected: the others have nothing more to give. */
  #left: readonly ApiObject[];
  readonly #rules: PolicyRule[] = [];
  readonly #seen = new Set<string>();

  constructor(role: T, all: Iterable<ApiObject>) {
    this.#role = role;
    this.#left = [...all].filter((other) => other.metadata.name !== role.metadata.name).sort(byName);
  }

  add(selector: LabelSelector): void {
    const isSelected = selecting(selector);
    const selected: ApiObject[] = [];
    for (const other of this.#left) {
      if (isSelected(other.metadata.labels)) selected.push(other);
    }
    if (selected.length === 0) return;
    for (const other of selected) take((other as AggregatedRole).rules ?? [], this.#rules, this.#seen);
    const taken = new Set(selected);
    this.#left = this.#left.filter((other) => !taken.has(other));
  }

  get selectors(): readonly LabelSelector[] {
    return (this.#role as AggregatedRole).aggregationRule?.clusterRoleSelectors ?? [];
  }

  result(): T {
    const { rules = null } = this.#role as AggregatedRole;
    return isSameJson(rules ?? [], this.#rules) ? this.#role : { ...this.#role, rules: this.#rules };
  }
}

function take(rules: readonly PolicyRule[], into: PolicyRule[], seen: Set<string>): void {
  for (const rule of rules) {
    const key = JSON.stringify(rule);
    if (seen.has(key)) continue;
    seen.add(key);
    into.push(rule);
  }
}

const byName = (a: ApiObject, b: ApiObject) => ((a.metadata.name ?? '') < (b.metadata.name ?? '') ? -1 : 1);
