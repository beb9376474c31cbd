// Role-based access control as one of the modules.

import type { AuthorizationModule } from '../authorizer.ts';
import { rbacAuthorizer, rulesFor } from './rbac-authorizer.ts';
import type { RoleIndex } from './role-index.ts';

export function rbacModule(index: RoleIndex, group: string): AuthorizationModule {
  return {
    authorize: rbacAuthorizer(index, group),
    rules(user, namespace) {
      const { rules, missing } = rulesFor(index, user, namespace, group);
      return { rules, incomplete: missing.length > 0, errors: missing };
    },
  };
}
