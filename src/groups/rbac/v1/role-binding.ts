// RoleBinding: grants the permissions of a Role or ClusterRole to subjects within one namespace.

import { checkPathSegment } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import { allVerbs, type KindDefinition } from '../../../schema/resource.ts';
import { field, type Infer, listOf, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { bindingColumns, bindingStrategy, grantOf } from './binding-rules.ts';
import { roleRef, subject } from './subjects-and-rules.ts';

const home = 'rbac/v1';

export const roleBindingType = struct(
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

export type RoleBinding = ApiObject & Infer<typeof roleBindingType>;

export const roleBinding: KindDefinition = {
  kind: 'RoleBinding',
  plural: 'rolebindings',
  namespaced: true,
  verbs: allVerbs,
  type: roleBindingType,
  checkName: checkPathSegment,
  createOnUpdate: true,
  columns: bindingColumns,
  strategy: bindingStrategy('namespaced'),
  grants: grantOf,
};
