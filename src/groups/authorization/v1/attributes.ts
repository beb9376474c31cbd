// Types of attributes: SubjectAccessReviewSpec, ResourceAttributes, FieldSelectorAttributes and others.

import { bool, field, listOf, mapOf, string, struct, wrappedListOf } from '../../../schema/types.ts';
import { fieldSelectorRequirement, labelSelectorRequirement } from '../../meta/v1/label-selector.ts';

const home = 'authorization/v1';

const fieldSelectorAttributes = struct(
  home,
  'FieldSelectorAttributes',
  'Field selector that limits the access being asked about; use one of its two forms.',
  () => ({
    rawSelector: field(1, string, {
      about: 'Selector as written in a query string; not for new callers of the review API.',
    }),
    requirements: field(2, listOf(fieldSelectorRequirement), {
      listType: 'atomic',
      about: 'Parsed terms of the selector; all of them must hold.',
    }),
  }),
);

const labelSelectorAttributes = struct(
  home,
  'LabelSelectorAttributes',
  'Label selector that limits the access being asked about; use one of its two forms.',
  () => ({
    rawSelector: field(1, string, {
      about: 'Selector as written in a query string; not for new callers of the review API.',
    }),
    requirements: field(2, listOf(labelSelectorRequirement), {
      listType: 'atomic',
      about: 'Parsed terms of the selector; all of them must hold.',
    }),
  }),
);

export const resourceAttributes = struct(home, 'ResourceAttributes', 'An action on a resource of the API.', () => ({
  namespace: field(1, string, { about: 'Namespace of the action; empty means cluster scope or all namespaces.' }),
  verb: field(2, string, { about: 'Action such as get, list, create or delete; "*" means all.' }),
  group: field(3, string, { about: 'API group of the resource; "" is core and "*" means all.' }),
  version: field(4, string, { about: 'API version of the resource; "*" means all.' }),
  resource: field(5, string, { about: 'Plural resource name such as "pods"; "*" means all.' }),
  subresource: field(6, string, { about: 'Subresource such as "log"; empty means none.' }),
  name: field(7, string, { about: 'Name of the object; empty means all objects.' }),
  fieldSelector: field(8, fieldSelectorAttributes, {
    pointer: true,
    about: 'Field selector that narrows the action; only list, watch and deletecollection use it.',
  }),
  labelSelector: field(9, labelSelectorAttributes, {
    pointer: true,
    about: 'Label selector that narrows the action; only list, watch and deletecollection use it.',
  }),
}));

export const nonResourceAttributes = struct(
  home,
  'NonResourceAttributes',
  'An action on a URL path outside the resource API.',
  () => ({
    path: field(1, string, { about: 'URL path of the request, such as "/healthz".' }),
    verb: field(2, string, { about: 'HTTP method in lowercase, such as get.' }),
  }),
);

export const subjectAccessReviewSpec = struct(
  home,
  'SubjectAccessReviewSpec',
  'The user and action in question; set exactly one attributes field.',
  () => ({
    resourceAttributes: field(1, resourceAttributes, { pointer: true, about: 'An action on an API resource.' }),
    nonResourceAttributes: field(2, nonResourceAttributes, {
      pointer: true,
      about: 'An action on a URL path outside the resource API.',
    }),
    user: field(3, string, { about: 'Name of the user to test; user or groups must be given.' }),
    groups: field(4, listOf(string), {
      listType: 'atomic',
      about: 'Groups to test; without user, the question is about members of these groups.',
    }),
    extra: field(5, mapOf(wrappedListOf(string)), {
      goType: 'map[string]ExtraValue',
      about: "Extra information from the user's authenticator, by lowercase key.",
    }),
    uid: field(6, string, { about: 'UID of the user, where known.' }),
  }),
);

export const subjectAccessReviewStatus = struct(
  home,
  'SubjectAccessReviewStatus',
  'Decision on an access question.',
  () => ({
    allowed: field(1, bool, { always: true, required: true, about: 'True if the action would be permitted.' }),
    denied: field(4, bool, {
      about: 'True if the action is expressly refused; if neither is true, no authorizer had an opinion.',
    }),
    reason: field(2, string, { about: 'Readable explanation of the decision, where there is one.' }),
    evaluationError: field(3, string, { about: 'Problem met while deciding; the decision may still be valid.' }),
  }),
);
