// The rbac group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { clusterRole } from './cluster-role.ts';
import { clusterRoleBinding } from './cluster-role-binding.ts';
import { role } from './role.ts';
import { roleBinding } from './role-binding.ts';

export const rbacV1: GroupVersionSpec = {
  group: 'rbac.authorization',
  version: 'v1',
  priority: { group: 17000, version: 15 },
  kinds: [clusterRoleBinding, clusterRole, roleBinding, role],
};
