// SelfSubjectRulesReview: lists what you yourself may do in one namespace.

import { checkPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { bool, field, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { reviewRules } from './rules-review.ts';

const home = 'authorization/v1';

const selfSubjectRulesReviewSpec = struct(
  home,
  'SelfSubjectRulesReviewSpec',
  'What the list of permissions is made for.',
  () => ({
    namespace: field(1, string, { about: 'Namespace to list permissions for; required.' }),
  }),
);

const resourceRule = struct(home, 'ResourceRule', 'Allowed verbs on resources of the API.', () => ({
  verbs: field(1, listOf(string), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'Allowed actions such as get or list; "*" means all.',
  }),
  apiGroups: field(2, listOf(string), {
    listType: 'atomic',
    about: 'API groups covered; "" is the core group and "*" means all.',
  }),
  resources: field(3, listOf(string), {
    listType: 'atomic',
    about: 'Resources covered, such as "pods" or "pods/log"; "*" means all.',
  }),
  resourceNames: field(4, listOf(string), {
    listType: 'atomic',
    about: 'Object names covered; empty means every name.',
  }),
}));

const nonResourceRule = struct(home, 'NonResourceRule', 'Allowed verbs on URL paths outside the resource API.', () => ({
  verbs: field(1, listOf(string), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'Allowed HTTP methods in lowercase; "*" means all.',
  }),
  nonResourceURLs: field(2, listOf(string), {
    listType: 'atomic',
    about: 'URL paths covered; "*" is only allowed as a whole final step.',
  }),
}));

const subjectRulesReviewStatus = struct(home, 'SubjectRulesReviewStatus', 'Permissions found for a user.', () => ({
  resourceRules: field(1, listOf(resourceRule), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'What may be done with API resources; order means nothing.',
  }),
  nonResourceRules: field(2, listOf(nonResourceRule), {
    always: true,
    required: true,
    listType: 'atomic',
    about: 'What may be done with other URL paths; order means nothing.',
  }),
  incomplete: field(3, bool, {
    always: true,
    required: true,
    about: 'True if the list may lack entries, for example since an authorizer cannot list rules.',
  }),
  evaluationError: field(4, string, { about: 'Problem met while collecting the rules, if any.' }),
}));

const selfSubjectRulesReviewType = struct(
  home,
  'SelfSubjectRulesReview',
  'Lists what you yourself may do in one namespace.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, selfSubjectRulesReviewSpec, { always: true, required: true, about: 'The namespace you ask about.' }),
    status: field(3, subjectRulesReviewStatus, {
      always: true,
      about: 'The list of your permissions, filled in by the server.',
    }),
  }),
);

export const selfSubjectRulesReview = defineKind(selfSubjectRulesReviewType, {
  kind: 'SelfSubjectRulesReview',
  plural: 'selfsubjectrulesreviews',
  namespaced: false,
  verbs: ['create'],
  checkName: checkPathSegment,
  action: reviewRules,
});
