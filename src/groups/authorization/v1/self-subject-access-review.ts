// SelfSubjectAccessReview: asks whether you yourself may do something.

import { checkPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { reviewSelf } from './access-review.ts';
import { nonResourceAttributes, resourceAttributes, subjectAccessReviewStatus } from './attributes.ts';

const home = 'authorization/v1';

const selfSubjectAccessReviewSpec = struct(
  home,
  'SelfSubjectAccessReviewSpec',
  'The action in question; set exactly one field.',
  () => ({
    resourceAttributes: field(1, resourceAttributes, { pointer: true, about: 'An action on an API resource.' }),
    nonResourceAttributes: field(2, nonResourceAttributes, {
      pointer: true,
      about: 'An action on a URL path outside the resource API.',
    }),
  }),
);

const selfSubjectAccessReviewType = struct(
  home,
  'SelfSubjectAccessReview',
  'Asks whether you yourself may do something.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, selfSubjectAccessReviewSpec, { always: true, required: true, about: 'The action you ask about.' }),
    status: field(3, subjectAccessReviewStatus, { always: true, about: 'The decision, filled in by the server.' }),
  }),
);

export const selfSubjectAccessReview = defineKind(selfSubjectAccessReviewType, {
  kind: 'SelfSubjectAccessReview',
  plural: 'selfsubjectaccessreviews',
  namespaced: false,
  verbs: ['create'],
  checkName: checkPathSegment,
  action: reviewSelf,
});
