// Type of FlowSchema: its fields, and what its rules need to know of it.

import type { ApiObject } from '../../../meta/object.ts';
import { bool, field, type Infer, int32, listOf, string, struct } from '../../../schema/types.ts';
import { transitionFields } from '../../condition-fields.ts';
import { objectMeta } from '../../meta/v1/types.ts';

const home = 'flowcontrol/v1';

const priorityLevelConfigurationReference = struct(
  home,
  'PriorityLevelConfigurationReference',
  'Names the priority level to be used.',
  () => ({
    name: field(1, string, { always: true, required: true, about: 'Name of the PriorityLevelConfiguration to use.' }),
  }),
);

const flowDistinguisherMethod = struct(
  home,
  'FlowDistinguisherMethod',
  'How requests of one schema are split into separate flows.',
  () => ({
    type: field(1, string, {
      goType: 'FlowDistinguisherMethodType',
      always: true,
      required: true,
      about: 'ByUser splits by requesting user; ByNamespace splits by the namespace concerned.',
    }),
  }),
);

const userSubject = struct(home, 'UserSubject', 'A user whose requests match.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the user; "*" matches every user.' }),
}));

const groupSubject = struct(home, 'GroupSubject', 'A user group whose requests match.', () => ({
  name: field(1, string, { always: true, required: true, about: 'Name of the group; "*" matches every group.' }),
}));

const serviceAccountSubject = struct(home, 'ServiceAccountSubject', 'A service account whose requests match.', () => ({
  namespace: field(1, string, { always: true, required: true, about: 'Namespace of the service account.' }),
  name: field(2, string, {
    always: true,
    required: true,
    about: 'Name of the service account; "*" matches all in the namespace.',
  }),
}));

export const subject = struct(home, 'Subject', 'A requester to match; fill the field that fits kind.', () => ({
  kind: field(1, string, {
    goType: 'SubjectKind',
    always: true,
    required: true,
    about: 'One of User, Group or ServiceAccount.',
  }),
  user: field(2, userSubject, { pointer: true, about: 'The user to match, for kind User.' }),
  group: field(3, groupSubject, { pointer: true, about: 'The group to match, for kind Group.' }),
  serviceAccount: field(4, serviceAccountSubject, {
    pointer: true,
    about: 'The service account to match, for kind ServiceAccount.',
  }),
}));

export const resourcePolicyRule = struct(home, 'ResourcePolicyRule', 'Matches requests to API resources.', () => ({
  verbs: field(1, listOf(string), {
    always: true,
    required: true,
    listType: 'set',
    about: 'Actions covered, such as get or list; "*" alone means all.',
  }),
  apiGroups: field(2, listOf(string), {
    always: true,
    required: true,
    listType: 'set',
    about: 'API groups covered; "" is the core group, "*" alone means all.',
  }),
  resources: field(3, listOf(string), {
    always: true,
    required: true,
    listType: 'set',
    about: 'Plural resource names, such as "pods" or "nodes/status"; "*" alone means all.',
  }),
  clusterScope: field(4, bool, { about: 'Whether requests without a namespace match; default false.' }),
  namespaces: field(5, listOf(string), {
    always: true,
    listType: 'set',
    about: 'Namespaces covered; "*" means all. May be empty only if clusterScope is true.',
  }),
}));

export const nonResourcePolicyRule = struct(
  home,
  'NonResourcePolicyRule',
  'Matches requests to URL paths outside the resource API.',
  () => ({
    verbs: field(1, listOf(string), {
      always: true,
      required: true,
      listType: 'set',
      about: 'HTTP methods in lowercase; "*" alone means all.',
    }),
    nonResourceURLs: field(6, listOf(string), {
      always: true,
      required: true,
      listType: 'set',
      about: 'URL paths such as "/healthz" or "/healthz/*"; "*" alone means all.',
    }),
  }),
);

export const policyRulesWithSubjects = struct(
  home,
  'PolicyRulesWithSubjects',
  'Matches a request if a subject and at least one rule match.',
  () => ({
    subjects: field(1, listOf(subject), {
      always: true,
      required: true,
      listType: 'atomic',
      about: 'Requesters covered; at least one entry is needed.',
    }),
    resourceRules: field(2, listOf(resourcePolicyRule), {
      listType: 'atomic',
      about: 'Resource requests covered; this or nonResourceRules needs an entry.',
    }),
    nonResourceRules: field(3, listOf(nonResourcePolicyRule), {
      listType: 'atomic',
      about: 'Other URL requests covered; this or resourceRules needs an entry.',
    }),
  }),
);

const flowSchemaSpec = struct(home, 'FlowSchemaSpec', 'Desired configuration of a FlowSchema.', () => ({
  priorityLevelConfiguration: field(1, priorityLevelConfigurationReference, {
    always: true,
    required: true,
    about: 'The priority level that handles the matching requests.',
  }),
  matchingPrecedence: field(2, int32, {
    always: true,
    about: 'Lowest number wins when several schemas match; 1 to 10000, default 1000.',
  }),
  distinguisherMethod: field(3, flowDistinguisherMethod, {
    pointer: true,
    about: 'How matching requests are split into flows; unset puts them all into one.',
  }),
  rules: field(4, listOf(policyRulesWithSubjects), {
    listType: 'atomic',
    about: 'Requests that match, any one rule being enough; empty matches nothing.',
  }),
}));

const flowSchemaCondition = struct(home, 'FlowSchemaCondition', 'One named observation about a FlowSchema.', () => ({
  type: field(1, string, {
    goType: 'FlowSchemaConditionType',
    about: 'Kind of observation, unique within the FlowSchema.',
  }),
  status: field(2, string, { goType: 'ConditionStatus', about: 'Whether it holds now: True, False or Unknown.' }),
  ...transitionFields(3),
}));

const flowSchemaStatus = struct(home, 'FlowSchemaStatus', 'Observed state of a FlowSchema.', () => ({
  conditions: field(1, listOf(flowSchemaCondition), {
    listType: 'map',
    mapKeys: ['type'],
    patchStrategy: 'merge',
    patchMergeKey: 'type',
    about: 'Current observations, at most one entry per type.',
  }),
}));

export const flowSchemaType = struct(home, 'FlowSchema', 'Assigns matching API requests to a priority level.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, flowSchemaSpec, { always: true, about: 'Which requests match and where they go.' }),
  status: field(3, flowSchemaStatus, { always: true, about: 'State reported by the server; read-only for users.' }),
}));

export type FlowSchema = ApiObject & Infer<typeof flowSchemaType>;
