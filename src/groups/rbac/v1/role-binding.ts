// RoleBinding: grants the permissions of a Role or ClusterRole to subjects within one namespace.

import { checkRoleName } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, listOf, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { bindingColumns, bindingStrategy, grantOf } from './binding-rules.ts';
import { roleRef, subject } from './subjects-and-rules.ts';

const home = 'rbac/v1';

const roleBindingType = struct(
  home,
  'RoleBinding',
  'Grants the permissions of a Role or ClusterRole to subjects within one namespace.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    subjects: field(2, listOf(subject), {
      listType: 'atomic',
      about: 'Users, groups and service accounts that get the permissions.',
    }),
    roleRef: field(3, roleRef, {
      always: true,
      required: true,
      about: 'The Role of this namespace, or ClusterRole, being granted; it cannot be changed after creation.',
    }),
  }),
);

export const roleBinding = defineKind(roleBindingType, {
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkRoleName,
  quirks: { createOnUpdate: true },
  columns: bindingColumns,
  strategy: bindingStrategy('namespaced'),
  grants: grantOf,
});
