// What the two kinds of bindings share: defaults, validation, columns.

import { isSameJson } from '../../../base/json/json.ts';
import type { Grant, RoleReference, RoleSubject } from '../../../meta/access.ts';
import { type Dialect, groupName } from '../../../meta/dialect.ts';
import { invalidValue, notSupported, required } from '../../../meta/field-errors.ts';
import { findEach } from '../../../meta/find-each.ts';
import { checkPathSegment, checkSubdomain } from '../../../meta/names.ts';
import type { ApiObject } from '../../../meta/object.ts';
import type { FieldError } from '../../../meta/status.ts';
import type { Column } from '../../../schema/column.ts';
import { nameColumn } from '../../../schema/columns.ts';
import type { Strategy } from '../../../schema/strategy.ts';
import { ageColumn } from '../../columns.ts';
import type { RoleScope } from './role-rules.ts';

interface Binding extends ApiObject {
  readonly roleRef?: RoleReference;
  readonly subjects?: readonly RoleSubject[];
}

const rbacGroup = (dialect: Dialect) => groupName(dialect, 'rbac.authorization');

export function bindingStrategy(scope: RoleScope): Strategy<Binding> {
  return {
    updateChecks: { newFirst: true },
    defaults: (object, { dialect }) => withGroups(object, rbacGroup(dialect)),
    validate: (object, { dialect }) => [
      ...validateRoleRef(object.roleRef ?? {}, scope, rbacGroup(dialect)),
      ...findEach(object.subjects ?? [], (subject, index) =>
        validateSubject(subject, scope, rbacGroup(dialect), `subjects[${index}]`),
      ),
    ],
    validateUpdate(next, old) {
      const { roleRef } = next;
      if (isSameJson(roleRef, old.roleRef)) return [];
      const { apiGroup = '', kind = '', name = '' } = roleRef ?? {};
      // compat: the role is shown with the names that its fields have inside the reference implementation
      return [invalidValue('roleRef', { APIGroup: apiGroup, Kind: kind, Name: name }, 'cannot change roleRef')];
    },
  };
}

/** Roles, users and groups belong to this API group when nothing else is said. */
function withGroups(object: Binding, group: string): ApiObject {
  const { roleRef = {}, subjects } = object;
  const named = subjects?.map((subject) => {
    const isOurs = subject.kind === 'User' || subject.kind === 'Group';
    return isOurs && !subject.apiGroup ? { ...subject, apiGroup: group } : subject;
  });
  return {
    ...object,
    ...(named === undefined ? {} : { subjects: named }),
    roleRef: roleRef.apiGroup ? roleRef : { ...roleRef, apiGroup: group },
  };
}

function validateRoleRef({ apiGroup = '', kind = '', name = '' }: RoleReference, scope: RoleScope, group: string) {
  const kinds = scope === 'cluster' ? ['ClusterRole'] : ['Role', 'ClusterRole'];
  const errors: FieldError[] = [];
  if (apiGroup !== group) errors.push(notSupported('roleRef.apiGroup', apiGroup, [group]));
  if (!kinds.includes(kind)) errors.push(notSupported('roleRef.kind', kind, kinds));
  if (name === '') errors.push(required('roleRef.name'));
  else errors.push(...checkPathSegment(name).map((e) => invalidValue('roleRef.name', name, e)));
  return errors;
}

function validateSubject(subject: RoleSubject, scope: RoleScope, group: string, at: string): FieldError[] {
  const { kind = '', apiGroup = '', name = '', namespace = '' } = subject;
  const errors: FieldError[] = name === '' ? [required(`${at}.name`)] : [];
  if (kind === 'ServiceAccount') {
    if (name !== '') errors.push(...checkSubdomain(name).map((e) => invalidValue(`${at}.name`, name, e)));
    if (apiGroup !== '') errors.push(notSupported(`${at}.apiGroup`, apiGroup, ['']));
    if (scope === 'cluster' && namespace === '') errors.push(required(`${at}.namespace`));
  } else if (kind === 'User' || kind === 'Group') {
    if (apiGroup !== group) errors.push(notSupported(`${at}.apiGroup`, apiGroup, [group]));
  } else errors.push(notSupported(`${at}.kind`, kind, ['ServiceAccount', 'User', 'Group']));
  return errors;
}

export function grantOf(object: Binding): Grant {
  return { is: 'role', role: object.roleRef ?? {} };
}

const subjectsOf = (object: Binding, kind: string) =>
  (object.subjects ?? []).filter((subject) => subject.kind === kind);

function subjectColumn(name: string, kind: string, about: string): Column<Binding> {
  const show = ({ name = '', namespace = '' }: RoleSubject) =>
    kind === 'ServiceAccount' ? `${namespace}/${name}` : name;
  return {
    name,
    type: 'string',
    about,
    priority: 1,
    cell: (object) => subjectsOf(object, kind).map(show).join(', '),
  };
}

export const bindingColumns: readonly Column<Binding>[] = [
  nameColumn,
  {
    name: 'Role',
    type: 'string',
    about: 'The role being granted.',
    priority: 0,
    cell(object) {
      const { kind = '', name = '' } = object.roleRef ?? {};
      return `${kind}/${name}`;
    },
  },
  ageColumn,
  subjectColumn('Users', 'User', 'Users who get the role.'),
  subjectColumn('Groups', 'Group', 'Groups whose members get the role.'),
  subjectColumn('ServiceAccounts', 'ServiceAccount', 'Service accounts that get the role.'),
];
