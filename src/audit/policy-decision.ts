// The decision of a policy about one request.

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
  readonly matches: (request: AuditedRequest) => boolean;
  readonly decision: AuditDecision;
}

/** Compiles a policy, since every request is matched with it; the first rule that matches decides. */
export function policyDecision(policy: Policy): (request: AuditedRequest) => AuditDecision {
  const rules = (policy.rules ?? []).map((rule) => compile(rule, policy));
  const noMatch: AuditDecision = { level: 'None', omitStages: new Set(), omitManagedFields: false };
  return (request) => rules.find(({ matches }) => matches(request))?.decision ?? noMatch;
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

type Check = (request: AuditedRequest) => boolean;

function matcher(rule: PolicyRule): Check {
  const { resources = [], nonResourceURLs: paths = [] } = rule;
  const users = oneOf(rule.users);
  const groups = oneOf(rule.userGroups);
  const verbs = oneOf(rule.verbs);
  const namespaces = oneOf(rule.namespaces);
  const isAboutResources = resources.length > 0 || namespaces !== undefined;
  return (request) => {
    const { user } = request;
    if (users !== undefined && (user === undefined || !users.has(user.name))) return false;
    if (groups !== undefined && !user?.groups.some((group) => groups.has(group))) return false;
    if (verbs !== undefined && !verbs.has(request.verb)) return false;
    if (isAboutResources) {
      if (!request.isResource || namespaces?.has(request.namespace) === false) return false;
      return resources.length === 0 || resources.some((one) => coversResource(one, request));
    }
    return paths.length === 0 || (!request.isResource && paths.some((path) => coversPath(path, request.path)));
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

function coversResource({ group = '', resources = [], resourceNames = [] }: GroupResources, request: AuditedRequest) {
  if (group !== request.group) return false;
  if (resources.length === 0) return true;
  if (resourceNames.length > 0 && !resourceNames.includes(request.name)) return false;
  const { resource, subresource } = request;
  const full = subresource === '' ? resource : `${resource}/${subresource}`;
  return resources.some(
    (pattern) =>
      pattern === '*' ||
      pattern === full ||
      pattern === `${resource}/*` ||
      (subresource !== '' && pattern === `*/${subresource}`),
  );
}
