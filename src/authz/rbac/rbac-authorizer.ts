// Role-based access control: a binding gives the rights of a role to users.

import type { AccessAttributes, AccessNotes, Decision, RoleReference, RoleSubject } from '../../meta/access.ts';
import { notFound } from '../../meta/status.ts';
import type { UserInfo } from '../../meta/user.ts';
import type { Authorizer } from '../authorizer.ts';
import type { Binding, Grant, RoleIndex } from './role-index.ts';
import type { RuleSet } from './rule-set.ts';
import { allows } from './rules.ts';

/** More missing roles than this are counted. */
const maxNamed = 20;

const noOpinion: Decision = { kind: 'noOpinion' };

export function rbacAuthorizer(index: RoleIndex, group: string): Authorizer {
  const allowedBy = remembered(allowed);
  return (attributes) => {
    let missing: MissingRoles | undefined;
    const grant = findGrant(index, attributes, ({ binding }) => {
      const role = roleOf(index, binding);
      if (role !== undefined) return role.allows(attributes);
      missing ??= new MissingRoles(group);
      missing.add(binding.roleRef);
      return false;
    });
    if (grant !== undefined) {
      if (attributes.notes !== undefined) noteRule(attributes, attributes.notes, roleOf(index, grant.binding));
      return allowedBy(grant);
    }
    return missing === undefined ? noOpinion : { kind: 'noOpinion', reason: `RBAC: ${listed(missing.messages)}` };
  };
}

function noteRule(attributes: AccessAttributes, notes: AccessNotes, role: RuleSet | undefined): void {
  const rule = role?.rules.find((one) => allows(one, attributes));
  if (rule !== undefined) notes.allowedBy(rule);
}

/** Most questions are answered by the same few grants. */
function remembered(decide: (grant: Grant) => Decision): (grant: Grant) => Decision {
  const decisions = new WeakMap<Grant, Decision>();
  return (grant) => {
    const before = decisions.get(grant);
    if (before !== undefined) return before;
    const decision = decide(grant);
    decisions.set(grant, decision);
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

/** Bound roles that do not exist, as messages name them: a namespace's admin can make any number of such bindings. */
class MissingRoles {
  readonly #group: string;
  readonly #first: string[] = [];
  #others = 0;

  constructor(group: string) {
    this.#group = group;
  }

  add({ kind = '', name = '' }: RoleReference = {}): void {
    if (this.#first.length === maxNamed) this.#others++;
    else this.#first.push(notFound({ group: this.#group, resource: kind.toLowerCase(), name }).message);
  }

  get messages(): readonly string[] {
    return this.#others === 0 ? this.#first : [...this.#first, `and ${this.#others} more`];
  }
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

export interface ResolvedRoles {
  /** Each once, however many bindings there are to it. */
  readonly roles: ReadonlySet<RuleSet>;
  /** Roles that are bound and do not exist. */
  readonly missing: readonly string[];
}

/** Every role that applies to a user in a namespace, or in the cluster when it is empty. */
export function rolesFor(index: RoleIndex, user: UserInfo, namespace: string, group: string): ResolvedRoles {
  const roles = new Set<RuleSet>();
  const missing = new MissingRoles(group);
  findGrant(index, { user, namespace }, ({ binding }) => {
    const role = roleOf(index, binding);
    if (role === undefined) missing.add(binding.roleRef);
    else roles.add(role);
    // all of them count
    return false;
  });
  return { roles, missing: missing.messages };
}
