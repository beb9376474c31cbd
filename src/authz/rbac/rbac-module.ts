// Role-based access control as one of the modules.

import type { PolicyRule, SubjectRules } from '../../meta/access.ts';
import type { AuthorizationModule } from '../authorizer.ts';
import { type ResolvedRoles, rbacAuthorizer, rolesFor } from './rbac-authorizer.ts';
import type { RoleIndex } from './role-index.ts';
import { wordsOf } from './rules.ts';

export function rbacModule(index: RoleIndex, group: string): AuthorizationModule {
  return {
    authorize: rbacAuthorizer(index, group),
    rules: (user, namespace) => listRules(rolesFor(index, user, namespace, group)),
  };
}

/** Verbs, resources and names in all; a list beyond that is cut, since it is written without a pause. */
const maxListed = 50_000;

function listRules({ roles, missing }: ResolvedRoles): SubjectRules {
  const rules: PolicyRule[] = [];
  let left = maxListed;
  for (const role of roles)
    for (const rule of role.rules) {
      left -= wordsOf(rule);
      if (left < 0)
        return { rules, incomplete: true, errors: [...missing, 'there are too many rules to list them all'] };
      rules.push(rule);
    }
  return { rules, incomplete: missing.length > 0, errors: missing };
}
