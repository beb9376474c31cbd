// Role-based access control: whoever a binding names may do what its role says.

import type { AccessAttributes, Decision, PolicyRule, RoleReference, RoleSubject } from '../../meta/access.ts';
import { notFound } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { Authorizer } from '../authorizer.ts';
import type { Binding, Grant, RoleIndex } from './role-index.ts';

const noOpinion: Decision = { kind: 'noOpinion' };

export function rbacAuthorizer(index: RoleIndex, group: string): Authorizer {
  const allowedBy = remembered(allowed);
  return (asked) => {
    const missing: string[] = [];
    const grant = findGrant(index, asked, ({ binding }) => {
      const role = roleOf(index, binding);
      if (role === undefined) missing.push(missingRole(binding.roleRef ?? {}, group));
      return role?.allows(asked) === true;
    });
    if (grant !== undefined) return allowedBy(grant);
    return missing.length === 0 ? noOpinion : { kind: 'noOpinion', reason: `RBAC: ${listed(missing)}` };
  };
}

/** Most questions are answered by the same few grants. */
function remembered(decide: (grant: Grant) => Decision): (grant: Grant) => Decision {
  const known = new WeakMap<Grant, Decision>();
  return (grant) => {
    const before = known.get(grant);
    if (before !== undefined) return before;
    const decision = decide(grant);
    known.set(grant, decision);
    return decision;
  };
}

/** Bindings of the cluster count everywhere, those of a namespace inside it. */
function findGrant(
  index: RoleIndex,
  { user, namespace }: Pick<AccessAttributes, 'user' | 'namespace'>,
  isWanted: (grant: Grant) => boolean,
): Grant | undefined {
  return index.find(user, '', isWanted) ?? (namespace === '' ? undefined : index.find(user, namespace, isWanted));
}

function roleOf(index: RoleIndex, { roleRef = {}, metadata }: Binding) {
  return index.role(roleRef, metadata.namespace ?? '');
}

function missingRole({ kind = '', name = '' }: RoleReference, group: string): string {
  return notFound({ group, resource: kind.toLowerCase(), name }).message;
}

const listed = (messages: readonly string[]) => (messages.length === 1 ? messages[0] : `[${messages.join(', ')}]`);

function allowed({ binding, subject }: Grant): Decision {
  const { roleRef: { kind = '', name = '' } = {}, metadata } = binding;
  const { namespace } = metadata;
  const of = namespace === undefined ? metadata.name : `${metadata.name}/${namespace}`;
  const what = namespace === undefined ? 'ClusterRoleBinding' : 'RoleBinding';
  const to = describeSubject(subject, namespace ?? '');
  return { kind: 'allow', reason: `RBAC: allowed by ${what} "${of}" of ${kind} ${JSON.stringify(name)} to ${to}` };
}

function describeSubject({ kind = '', name = '', namespace = '' }: RoleSubject, home: string): string {
  const full = kind === 'ServiceAccount' ? `${name}/${namespace === '' ? home : namespace}` : name;
  return `${kind} ${JSON.stringify(full)}`;
}

export interface ResolvedRules {
  readonly rules: readonly PolicyRule[];
  /** Roles that are bound and do not exist. */
  readonly missing: readonly string[];
}

/** Every rule that applies to a user in a namespace, or in the cluster when it is empty. */
export function rulesFor(index: RoleIndex, user: UserInfo, namespace: string, group: string): ResolvedRules {
  const rules: PolicyRule[] = [];
  const missing: string[] = [];
  findGrant(index, { user, namespace }, ({ binding }) => {
    const role = roleOf(index, binding);
    if (role === undefined) missing.push(missingRole(binding.roleRef ?? {}, group));
    else rules.push(...role.rules);
    // all of them count
    return false;
  });
  return { rules, missing };
}
