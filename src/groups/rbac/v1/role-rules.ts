// What is wrong with the rules of a role, and with what a role is aggregated from.

import type { PolicyRule } from '../../../meta/access.ts';
import { invalidValue, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import type { FieldError } from '../../../meta/status.ts';
import { type LabelSelector, validateLabelSelector } from '../../meta/v1/label-selector.ts';

export type RoleScope = 'namespaced' | 'cluster';

export function validateRules(
  rules: readonly PolicyRule[] | null | undefined,
  scope: RoleScope,
): readonly FieldError[] {
  return findEach(rules ?? [], (rule, index) => validateRule(rule, scope, `rules[${index}]`));
}

function validateRule(rule: PolicyRule, scope: RoleScope, at: string): FieldError[] {
  const { apiGroups = [], resources = [], resourceNames = [], nonResourceURLs = [] } = rule;
  // a list that every rule has is null where the client left it out
  const verbs = rule.verbs ?? [];
  const errors: FieldError[] = [];
  if (verbs.length === 0) errors.push(required(`${at}.verbs`, 'verbs must contain at least one value'));
  if (nonResourceURLs.length > 0) {
    const refuse = (why: string) => errors.push(invalidValue(`${at}.nonResourceURLs`, nonResourceURLs, why));
    if (scope === 'namespaced') refuse('namespaced rules cannot apply to non-resource URLs');
    if (apiGroups.length + resources.length + resourceNames.length > 0)
      refuse('rules cannot apply to both regular resources and non-resource URLs');
    return errors;
  }
  if (apiGroups.length === 0)
    errors.push(required(`${at}.apiGroups`, 'resource rules must supply at least one api group'));
  if (resources.length === 0)
    errors.push(required(`${at}.resources`, 'resource rules must supply at least one resource'));
  return errors;
}

export function validateAggregation(
  aggregation: { readonly clusterRoleSelectors?: readonly LabelSelector[] } | null | undefined,
): readonly FieldError[] {
  if (aggregation == null) return [];
  const at = 'aggregationRule.clusterRoleSelectors';
  const { clusterRoleSelectors = [] } = aggregation;
  if (clusterRoleSelectors.length === 0)
    return [required(at, 'at least one clusterRoleSelector required if aggregationRule is non-nil')];
  return findEach(clusterRoleSelectors, (selector, index) => validateSelector(selector, `${at}[${index}]`));
}

/** A selector that cannot be used is reported in its parts and as a whole. */
function validateSelector(selector: LabelSelector, at: string): readonly FieldError[] {
  const errors = validateLabelSelector(selector, at);
  return errors.length === 0 ? [] : [...errors, invalidValue(at, null, 'invalid label selector.')];
}
