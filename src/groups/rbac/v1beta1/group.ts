// The rbac group, v1beta1: no longer served unless an option asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { clusterRole } from '../v1/cluster-role.ts';
import { clusterRoleBinding } from '../v1/cluster-role-binding.ts';
import { role } from '../v1/role.ts';
import { roleBinding } from '../v1/role-binding.ts';

const home = 'rbac/v1beta1';

export const rbacV1beta1: GroupVersionSpec = {
  group: 'rbac.authorization',
  version: 'v1beta1',
  priority: { group: 17000, version: 1 },
  offByDefault: true,
  kinds: [
    sameShape(clusterRole, home, {
      since: 17,
      removed: 22,
      replacement: { group: 'rbac.authorization', version: 'v1', kind: 'ClusterRole' },
    }),
    sameShape(clusterRoleBinding, home, {
      since: 17,
      removed: 22,
      replacement: { group: 'rbac.authorization', version: 'v1', kind: 'ClusterRoleBinding' },
    }),
    sameShape(role, home, {
      since: 17,
      removed: 22,
      replacement: { group: 'rbac.authorization', version: 'v1', kind: 'Role' },
    }),
    sameShape(roleBinding, home, {
      since: 17,
      removed: 22,
      replacement: { group: 'rbac.authorization', version: 'v1', kind: 'RoleBinding' },
    }),
  ],
};
