// A user can grant only what the user may do, unless the user holds the right to `escalate` or `bind`.

import { andThen, type MaybePromise } from '../../base/maybe-promise.ts';
import {
  type AccessControl,
  type Grant,
  type PolicyRule,
  type RoleReference,
  resourceAccess,
} from '../../meta/access.ts';
import { badRequest, type ErrorSubject, forbidden, notFound, plainError } from '../../meta/status.ts';
import { isMaster, type UserInfo } from '../../meta/user.ts';
import { goQuoted } from '../../wording/go-format.ts';
import { type Comparison, compareRules } from './compare-rules.ts';
import { rolesFor } from './rbac-authorizer.ts';
import type { RoleIndex } from './role-index.ts';
import { quoteAll } from './rules.ts';

/** A user is about to write an object that grants something. */
interface GrantRequest {
  readonly user: UserInfo;
  /** Where the object is; empty for the cluster. */
  readonly namespace: string;
  /** The name in the URL; a create has none, so a right to `escalate` a role by name does not allow creating it. */
  readonly urlName: string;
  /** The object, as errors speak of it. */
  readonly subject: ErrorSubject;
  readonly grant: Grant;
  /** What the object granted before, if it existed. */
  readonly previous: Grant | undefined;
  /** Called once the check takes long; may throw. */
  readonly onLong?: () => void;
}

export type GrantCheck = (request: GrantRequest) => MaybePromise<void>;

const everything: readonly PolicyRule[] = [
  { verbs: ['*'], apiGroups: ['*'], resources: ['*'] },
  { verbs: ['*'], nonResourceURLs: ['*'] },
];

/** Throws a 403 that lists what the user would have to hold. */
export function grantCheck(index: RoleIndex, access: Pick<AccessControl, 'decide'>, group: string): GrantCheck {
  const compare = ({ user, namespace, onLong }: GrantRequest, rules: readonly PolicyRule[]) =>
    compareRules(rolesFor(index, user, namespace, group).roles, rules, onLong);
  const confirm = (request: GrantRequest, rules: readonly PolicyRule[]) => {
    const comparison = compare(request, rules);
    if (!isHeld(comparison)) throw forbidden(request.subject, notHeld(request.user, comparison));
  };
  const confirmAggregation = (request: GrantRequest) => {
    if (!isHeld(compare(request, everything)))
      throw forbidden(request.subject, 'must have cluster-admin privileges to use the aggregationRule');
  };
  return (request) => {
    if (isMaster(request.user)) return;
    const { grant, previous } = request;
    return andThen(access.decide(mayAnyway(request)), ({ kind }) => {
      if (kind === 'allow') return;
      if (grant.is === 'role') return confirm(request, rulesOf(index, grant.role, request));
      const aggregates = grant.aggregates || (previous?.is === 'rules' && previous.aggregates);
      confirm(request, grant.rules);
      if (aggregates) confirmAggregation(request);
    });
  };
}

/** The right that makes up for missing ones: `escalate` on the role written, `bind` on the role bound. */
function mayAnyway({ user, namespace, urlName: name, subject, grant }: GrantRequest) {
  if (grant.is === 'rules') {
    const { group, resource } = subject;
    return resourceAccess({ user, verb: 'escalate', group, version: '*', resource, namespace, name });
  }
  const { apiGroup = '', kind = '', name: bound = '' } = grant.role;
  const resource = kind === 'ClusterRole' ? 'clusterroles' : 'roles';
  return resourceAccess({ user, verb: 'bind', group: apiGroup, version: '*', resource, namespace, name: bound });
}

/** Runs before validation, so that the reference may be no reference to a role. */
function rulesOf(index: RoleIndex, role: RoleReference, { namespace, subject }: GrantRequest): readonly PolicyRule[] {
  const { kind = '', name = '' } = role;
  if (kind !== 'Role' && kind !== 'ClusterRole') throw plainError(`unsupported role reference kind: ${goQuoted(kind)}`);
  if (kind === 'Role' && namespace === '') throw badRequest('Namespace parameter required.');
  const heldRole = index.role(role, namespace);
  if (heldRole !== undefined) return heldRole.rules;
  // compat: the binding stands where the role is meant
  throw notFound({ ...subject, name });
}

const isHeld = ({ missing, isGivenUp }: Comparison) => missing.isEmpty && !isGivenUp;

function notHeld({ name, groups }: UserInfo, { missing, isGivenUp }: Comparison): string {
  const what = `user ${goQuoted(name)} (groups=${quoteAll(groups)}) is attempting to grant RBAC permissions`;
  if (missing.isEmpty)
    return `${what} that take too long to compare with those currently held: grant them in smaller roles`;
  const more = isGivenUp ? '\n... and possibly more: the comparison took too long' : '';
  return `${what} not currently held:\n${missing.describe()}${more}`;
}
