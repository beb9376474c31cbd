// The rules of a role that is put together from others.

import { isDeepStrictEqual } from 'node:util';
import type { PolicyRule } from '../../../meta/access.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { type LabelSelector, selects } from '../../meta/v1/label-selector.ts';

interface AggregatedRole extends ApiObject {
  readonly rules?: readonly PolicyRule[] | null;
  readonly aggregationRule?: { readonly clusterRoleSelectors?: readonly LabelSelector[] };
}

export const isAggregated = (role: ApiObject) => (role as AggregatedRole).aggregationRule !== undefined;

/** The role with the rules of every other role that it selects, by name and each rule once; itself when nothing changes. */
export function aggregate<T extends ApiObject>(role: T, all: Iterable<ApiObject>): T {
  const { aggregationRule, rules = null } = role as AggregatedRole;
  const others = [...all].filter((other) => other.metadata.name !== role.metadata.name);
  const gathered: PolicyRule[] = [];
  const seen = new Set<string>();
  for (const selector of aggregationRule?.clusterRoleSelectors ?? []) {
    const selected = others.filter((other) => selects(selector, other.metadata.labels)).sort(byName);
    for (const other of selected) take((other as AggregatedRole).rules ?? [], gathered, seen);
  }
  return isDeepStrictEqual(rules ?? [], gathered) ? role : { ...role, rules: gathered };
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
