// Rules of what requests are matched by: operations, groups, versions, resources, and conditions in CEL.

import { duplicate, invalidValue, notSupported, required, tooMany } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkPathSegment, checkQualifiedName } from '../../../meta/names.ts';
import type { Infer } from '../../../schema/types.ts';
import { checked, oneOf, repeatsIn, requiredChecked, type ValidationErrors } from '../../rules.ts';
import type { matchCondition, namedRuleWithOperations, ruleWithOperations } from './match-resources.ts';

type OperationRule = Infer<typeof ruleWithOperations>;
type NamedRule = Infer<typeof namedRuleWithOperations>;
type Condition = Infer<typeof matchCondition>;

const operations = ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'];
const scopes = ['*', 'Cluster', 'Namespaced'];
const mostConditions = 64;

export const withScope = <T extends { readonly scope?: string }>(rule: T): T =>
  rule.scope === undefined ? { ...rule, scope: '*' } : rule;

export function validateOperationRule(rule: OperationRule, at: string): ValidationErrors {
  const { apiVersions = [], resources = [], scope } = rule;
  return [
    ...validateWildcards(rule.operations ?? [], `${at}.operations`, 'operations'),
    ...findEach(rule.operations ?? [], (one, index) => oneOf(`${at}.operations[${index}]`, one, operations)),
    ...validateWildcards(rule.apiGroups ?? [], `${at}.apiGroups`, 'API groups'),
    ...validateWildcards(apiVersions, `${at}.apiVersions`, 'API versions'),
    ...findEach(apiVersions, (version, index) => (version === '' ? [required(`${at}.apiVersions[${index}]`)] : [])),
    ...validateResources(resources, `${at}.resources`),
    ...(scope === undefined ? [] : oneOf(`${at}.scope`, scope, scopes)),
  ];
}

/** There is something, and an asterisk stands alone. */
function validateWildcards(values: readonly string[], at: string, what: string): ValidationErrors {
  if (values.length === 0) return [required(at)];
  if (values.length === 1 || !values.includes('*')) return [];
  return [invalidValue(at, values, `if '*' is present, must not specify other ${what}`)];
}

function validateResources(resources: readonly string[], at: string): ValidationErrors {
  if (resources.length === 0) return [required(at)];
  // compat: of resources without subresources, only the last one counts next to an asterisk
  const whole = resources.findLast((one) => one !== '' && !one.includes('/')) ?? '*';
  const wider = new Set<string>();
  return [
    ...findEach(resources, (one, index) => {
      if (one === '') return [required(`${at}[${index}]`)];
      const found = wider.size === 0 ? [] : coveredBefore(one, wider, `${at}[${index}]`);
      if (one.startsWith('*/') || one.endsWith('/*')) wider.add(one);
      return found;
    }),
    ...(resources.length > 1 && resources.includes('*/*')
      ? [invalidValue(at, resources, "if '*/*' is present, must not specify other resources")]
      : []),
    ...(resources.includes('*') && whole !== '*'
      ? [invalidValue(at, resources, "if '*' is present, must not specify other resources without subresources")]
      : []),
  ];
}

/** What an earlier `pods/*` or one of all `status` covers is not named again. */
function coveredBefore(one: string, earlier: ReadonlySet<string>, at: string): ValidationErrors {
  const slash = one.indexOf('/');
  if (slash < 0) return [];
  const covering = [`${one.slice(0, slash)}/*`, `*/${one.slice(slash + 1)}`].filter((wider) => earlier.has(wider));
  return covering.map((wider) => invalidValue(at, one, `if '${wider}' is present, must not specify ${one}`));
}

export function validateNamedRule(rule: NamedRule, at: string): ValidationErrors {
  const { resourceNames: names = [] } = rule;
  const isRepeated = repeatsIn(names);
  return [
    ...findEach(names, (name, index) => [
      ...checked(`${at}.resourceNames[${index}]`, name, checkPathSegment),
      ...(isRepeated(index) ? [duplicate(`${at}.resourceNames[${index}]`, name)] : []),
    ]),
    ...validateOperationRule(rule, at),
  ];
}

/** What mutating policies may match: there is nothing to change about a delete. */
const changing = operations.filter((one) => one !== 'DELETE');

/** The path does not say in which rule the operation stands: clients know it that way. */
export function validateChangingOperations(rules: readonly NamedRule[], at: string): ValidationErrors {
  return findEach(rules, (rule) =>
    findEach(rule.operations ?? [], (one) =>
      changing.includes(one) ? [] : [notSupported(`${at}.operations`, one, changing)],
    ),
  );
}

export function validateConditions(conditions: readonly Condition[] = [], at: string): ValidationErrors {
  const isRepeated = repeatsIn(conditions.map(({ name = '' }) => name));
  return [
    ...(conditions.length > mostConditions ? [tooMany(at, conditions.length, mostConditions)] : []),
    ...findEach(conditions, ({ expression = '', name = '' }, index) => [
      ...(expression.trim() === '' ? [required(`${at}[${index}].expression`)] : []),
      ...requiredChecked(`${at}[${index}].name`, name, checkQualifiedName),
      ...(name !== '' && isRepeated(index) ? [duplicate(`${at}[${index}].name`, name)] : []),
    ]),
  ];
}
