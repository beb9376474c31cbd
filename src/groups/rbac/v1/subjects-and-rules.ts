// Types of subjects and rules: Subject, RoleRef, PolicyRule.

import { field, listOf, string, struct } from '../../../schema/types.ts';

const home = 'rbac/v1';

export const subject = struct(
  home,
  'Subject',
  'A user, group or service account that a binding gives permissions to.',
  () => ({
    kind: field(1, string, { always: true, required: true, about: 'One of User, Group or ServiceAccount.' }),
    apiGroup: field(2, string, {
      about: 'Defaults to the core group for ServiceAccount and to this API group for User and Group.',
    }),
    name: field(3, string, { always: true, required: true, about: 'Name of the user, group or service account.' }),
    namespace: field(4, string, { about: 'Namespace of the service account; must stay empty for User and Group.' }),
  }),
  { mapType: 'atomic' },
);

export const roleRef = struct(
  home,
  'RoleRef',
  'Names the role that a binding grants.',
  () => ({
    apiGroup: field(1, string, {
      always: true,
      about: 'Always this API group, which is filled in when left out.',
    }),
    kind: field(2, string, {
      always: true,
      required: true,
      about: 'Either Role or ClusterRole; a ClusterRoleBinding accepts ClusterRole only.',
    }),
    name: field(3, string, { always: true, required: true, about: 'Name of the role being granted.' }),
  }),
  { mapType: 'atomic' },
);

export const policyRule = struct(home, 'PolicyRule', 'Allows certain verbs on certain resources or URL paths.', () => ({
  verbs: field(1, listOf(string), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'Allowed actions, such as get, list, watch, create, update, patch, delete; "*" means all.',
  }),
  apiGroups: field(2, listOf(string), {
    listType: 'atomic',
    about: 'API groups of the resources; "" is the core group and "*" means all.',
  }),
  resources: field(3, listOf(string), {
    listType: 'atomic',
    about: 'Plural resource names, with subresources like "pods/log"; "*" means all.',
  }),
  resourceNames: field(4, listOf(string), {
    listType: 'atomic',
    about: 'Object names the rule is limited to; empty allows every name.',
  }),
  nonResourceURLs: field(5, listOf(string), {
    listType: 'atomic',
    about: 'URL paths such as "/healthz" or "/logs/*"; only effective in ClusterRoles bound cluster-wide.',
  }),
}));
