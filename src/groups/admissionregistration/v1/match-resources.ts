// Types of match resources: ParamKind, MatchResources, NamedRuleWithOperations and others.

import { field, listOf, string, struct, within } from '../../../schema/types.ts';
import { labelSelector } from '../../meta/v1/label-selector.ts';

const home = 'admissionregistration/v1';

export const paramKind = struct(
  home,
  'ParamKind',
  "The kind of object that carries a policy's parameters.",
  () => ({
    apiVersion: field(1, string, { about: 'Group and version of the parameter kind, such as "rules.example.com/v1".' }),
    kind: field(2, string, { about: 'Kind name of the parameter objects.' }),
  }),
  { mapType: 'atomic' },
);

const ruleFields = {
  apiGroups: field(1, listOf(string), {
    listType: 'atomic',
    about: 'Groups covered; "" is the core group and "*" alone means all.',
  }),
  apiVersions: field(2, listOf(string), {
    listType: 'atomic',
    about: 'Versions covered, such as "v1"; "*" alone means all.',
  }),
  resources: field(3, listOf(string), {
    listType: 'atomic',
    about: 'Resources covered, such as "pods", "pods/status", "*/scale", "*" or "*/*" for everything.',
  }),
  scope: field(4, string, {
    goType: 'v1.ScopeType',
    pointer: true,
    enum: ['*', 'Cluster', 'Namespaced'],
    about: 'Limits to Cluster or Namespaced resources; "*" (the default) means both.',
  }),
};

const ruleWithOperationsFields = {
  operations: field(1, listOf(string), {
    goType: '[]v1.OperationType',
    enum: ['*', 'CONNECT', 'CREATE', 'DELETE', 'UPDATE'],
    listType: 'atomic',
    about: 'CREATE, UPDATE, DELETE, CONNECT, or "*" alone for all.',
  }),
  ...within(2, 'Rule', ruleFields),
};

export const ruleWithOperations = struct(
  home,
  'RuleWithOperations',
  'Operations together with the resources they concern.',
  ruleWithOperationsFields,
);

export const namedRuleWithOperations = struct(
  home,
  'NamedRuleWithOperations',
  'A rule on operations and resources that can be limited to object names.',
  () => ({
    resourceNames: field(1, listOf(string), {
      listType: 'atomic',
      about: 'Object names the rule is limited to; empty allows every name.',
    }),
    ...within(2, 'RuleWithOperations', ruleWithOperationsFields),
  }),
  { mapType: 'atomic' },
);

export const matchResources = struct(
  home,
  'MatchResources',
  'Chooses requests by resource, operation and labels.',
  () => ({
    namespaceSelector: field(1, labelSelector, {
      pointer: true,
      about: "Matches by labels of the object's namespace; empty matches everything.",
    }),
    objectSelector: field(2, labelSelector, {
      pointer: true,
      about: 'Matches when the old or new object carries these labels; empty matches everything.',
    }),
    resourceRules: field(3, listOf(namedRuleWithOperations), {
      listType: 'atomic',
      about: 'Operations and resources that are covered; any one match is enough.',
    }),
    excludeResourceRules: field(4, listOf(namedRuleWithOperations), {
      listType: 'atomic',
      about: 'Operations and resources left out, even if resourceRules covers them.',
    }),
    matchPolicy: field(7, string, {
      goType: 'MatchPolicyType',
      pointer: true,
      enum: ['Equivalent', 'Exact'],
      about: 'Exact takes rules literally; Equivalent (default) also matches other versions of the same resource.',
    }),
  }),
  { mapType: 'atomic' },
);

export const variable = struct(
  home,
  'Variable',
  'A named expression for reuse in other expressions.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Identifier of the variable, used as variables.<name>; must be unique.',
    }),
    expression: field(2, string, {
      always: true,
      required: true,
      about: "CEL expression that yields the variable's value, computed when first used.",
    }),
  }),
  { mapType: 'atomic' },
);

export const matchCondition = struct(
  home,
  'MatchCondition',
  'A CEL filter that a request must pass to be handled further.',
  () => ({
    name: field(1, string, {
      always: true,
      required: true,
      about: 'Label for the condition, unique in its list, used in logs and errors.',
    }),
    expression: field(2, string, {
      always: true,
      required: true,
      about: 'CEL expression returning a bool; it can use object, oldObject, request and authorizer.',
    }),
  }),
);

export const paramRef = struct(
  home,
  'ParamRef',
  'Finds the parameter objects for a policy binding; set either name or selector.',
  () => ({
    name: field(1, string, { about: 'Name of one parameter object; cannot be combined with selector.' }),
    namespace: field(2, string, {
      about: "Namespace to search; unset uses the request's namespace. Leave unset for cluster-scoped kinds.",
    }),
    selector: field(3, labelSelector, {
      pointer: true,
      about: 'Labels of the parameter objects; every match is evaluated. Cannot be combined with name.',
    }),
    parameterNotFoundAction: field(4, string, {
      goType: 'ParameterNotFoundActionType',
      pointer: true,
      about: 'What to do when nothing is found: Allow skips the binding, Deny follows failurePolicy.',
    }),
  }),
  { mapType: 'atomic' },
);
