// Role: a set of permissions that apply inside one namespace.

import { checkRoleName } from '../../../meta/names.ts';
import { nameAndCreation } from '../../../schema/columns.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, listOf, struct } from '../../../schema/types.ts';
import { allVerbs } from '../../../schema/verbs.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { validateRules } from './role-rules.ts';
import { policyRule } from './subjects-and-rules.ts';

const home = 'rbac/v1';

const roleType = struct(home, 'Role', 'A set of permissions that apply inside one namespace.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  rules: field(2, listOf(policyRule), {
    always: true,
    listType: 'atomic',
    about: 'The permissions this Role carries.',
  }),
}));

export const role = defineKind(roleType, {
  kind: 'Role',
  plural: 'roles',
  namespaced: true,
  verbs: allVerbs,
  checkName: checkRoleName,
  quirks: { createOnUpdate: true },
  columns: nameAndCreation,
  rows: { noneIsNull: true },
  strategy: { updateChecks: { newFirst: true }, validate: (object) => validateRules(object.rules, 'namespaced') },
  grants: (object) => ({ is: 'rules', rules: object.rules ?? [], aggregates: false }),
});
