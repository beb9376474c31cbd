// Nobody can grant what they may not do themselves, unless they hold the right to `escalate` or `bind`.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import {
  type AccessControl,
  type Grant,
  type PolicyRule,
  type RoleReference,
  resourceAccess,
} from '../../meta/access.ts';
import { type ErrorSubject, forbidden, notFound } from '../../meta/status.ts';
import { isMaster, type UserInfo } from '../../meta/user.ts';
import { rulesFor } from './rbac-authorizer.ts';
import type { RoleIndex } from './role-index.ts';
import { compact, describeRule, missingRules, quoteAll } from './rules.ts';

/** Somebody is about to write an object that grants something. */
export interface GrantRequest {
  readonly user: UserInfo;
  /** Where the object is; empty for the cluster. */
  readonly namespace: string;
  /** The object, as errors speak of it. */
  readonly subject: ErrorSubject;
  readonly grant: Grant;
  /** What the object granted before, if it existed. */
  readonly previous: Grant | undefined;
}

export type GrantCheck = (request: GrantRequest) => MaybePromise<void>;

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Throws a 403 that lists what the user would have to hold. */
export function grantCheck(index: RoleIndex, access: Pick<AccessControl, 'decide'>, group: string): GrantCheck {
  const holds = (request: GrantRequest, rules: readonly PolicyRule[]) =>
    missingRules(rulesFor(index, request.user, request.namespace, group).rules, rules);
  const confirm = (request: GrantRequest, rules: readonly PolicyRule[]) => {
    const missing = holds(request, rules);
    if (missing.length > 0) throw forbidden(request.subject, notHeld(request.user, missing));
  };
  return (request) => {
    if (isMaster(request.user)) return;
    const { grant, previous } = request;
    return andThen(access.decide(mayAnyway(request)), ({ kind }) => {
      if (kind === 'allow') return;
      if (grant.is === 'role') return confirm(request, rulesOf(index, grant.role, request.namespace, group));
      confirm(request, grant.rules);
      const aggregates = grant.aggregates || (previous?.is === 'rules' && previous.aggregates);
      if (aggregates && holds(request, everything).length > 0)
        throw forbidden(request.subject, 'must have cluster-admin privileges to use the aggregationRule');
    });
  };
}

/** The right that makes up for missing ones: `escalate` on the role written, `bind` on the role bound. */
function mayAnyway({ user, namespace, subject, grant }: GrantRequest) {
  if (grant.is === 'rules') {
    const { group, resource, name } = subject;
    return resourceAccess({ user, verb: 'escalate', group, version: '*', resource, namespace, name });
  }
  const { apiGroup = '', kind = '', name = '' } = grant.role;
  const resource = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  return resourceAccess({ user, verb: 'bind', group: apiGroup, version: '*', resource, namespace, name });
}

function rulesOf(index: RoleIndex, role: RoleReference, namespace: string, group: string): readonly PolicyRule[] {
  const found = index.role(role, namespace);
  if (found !== undefined) return found.rules;
  throw notFound({ group, resource: (role.kind ?? '').toLowerCase(), name: role.name ?? '' });
}

function notHeld({ name, groups }: UserInfo, missing: readonly PolicyRule[]): string {
  const rules = [...new Set(compact(missing).map(describeRule))].sort();
  const who = `user ${JSON.stringify(name)} (groups=${quoteAll(groups)})`;
  return `${who} is attempting to grant RBAC permissions not currently held:\n${rules.join('\n')}`;
}
