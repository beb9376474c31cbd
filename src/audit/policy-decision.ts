// What a policy says about one request.

import type { AccessAttributes } from '../meta/access.ts';
import type { Level, Policy, PolicyRule, Stage } from './policy.ts';

export interface AuditDecision {
  readonly level: Level;
  readonly omitStages: ReadonlySet<Stage>;
  readonly omitManagedFields: boolean;
}

/** A request as rules see it; without a user where none could be recognised. */
export type AuditedRequest = Omit<AccessAttributes, 'user'> & Partial<Pick<AccessAttributes, 'user'>>;

interface CompiledRule {
  readonly matches: (asked: AuditedRequest) => boolean;
  readonly decision: AuditDecision;
}

/** Prepares a policy for being asked on every request; the first rule that matches decides. */
export function policyDecision(policy: Policy): (asked: AuditedRequest) => AuditDecision {
  const rules = (policy.rules ?? []).map((rule) => compile(rule, policy));
  const unmatched: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false };
  return (asked) => rules.find(({ matches }) => matches(asked))?.decision ?? unmatched;
}

function compile(rule: PolicyRule, policy: Policy): CompiledRule {
  return {
    matches: matcher(rule),
    decision: {
      level: rule.level as Level,
      omitStages: new Set([...(policy.omitStages ?? []), ...(rule.omitStages ?? [])] as Stage[]),
      omitManagedFields: rule.omitManagedFields ?? policy.omitManagedFields ?? false,
    },
  };
}

type Check = (asked: AuditedRequest) => boolean;

function matcher(rule: PolicyRule): Check {
  const { resources = [], nonResourceURLs: paths = [] } = rule;
  const users = oneOf(rule.users);
  const groups = oneOf(rule.userGroups);
  const verbs = oneOf(rule.verbs);
  const namespaces = oneOf(rule.namespaces);
  const isAboutResources = resources.length > 0 || namespaces !== undefined;
  return (asked) => {
    const { user } = asked;
    if (users !== undefined && (user === undefined || !users.has(user.name))) return false;
    if (groups !== undefined && !user?.groups.some((group) => groups.has(group))) return false;
    if (verbs !== undefined && !verbs.has(asked.verb)) return false;
    if (isAboutResources) {
      if (!asked.isResource || namespaces?.has(asked.namespace) === false) return false;
      return resources.length === 0 || resources.some((one) => coversResource(one, asked));
    }
    return paths.length === 0 || (!asked.isResource && paths.some((path) => coversPath(path, asked.path)));
  };
}

/** Undefined where a rule does not care. */
function oneOf(values: readonly string[] | undefined): ReadonlySet<string> | undefined {
  return values === undefined || values.length === 0 ? undefined : new Set(values);
}

function coversPath(pattern: string, path: string): boolean {
  return pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}

type GroupResources = NonNullable<PolicyRule['resources']>[number];

function coversResource({ group = '', resources = [], resourceNames = [] }: GroupResources, asked: AuditedRequest) {
  if (group !== asked.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(asked.name)) return false;
  const { resource, subresource } = asked;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (pattern) =>
      pattern === '*' ||
      pattern === full ||
      pattern === `${resource}/*` ||
      (subresource !== '' && pattern === `*/${subresource}`),
  );
}
