// SubjectAccessReview: asks whether a given user or group may do something.

import { checkPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { reviewSubject } from './access-review.ts';
import { subjectAccessReviewSpec, subjectAccessReviewStatus } from './attributes.ts';

const home = 'authorization/v1';

const subjectAccessReviewType = struct(
  home,
  'SubjectAccessReview',
  'Asks whether a given user or group may do something.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, subjectAccessReviewSpec, {
      always: true,
      required: true,
      about: 'The user and the action in question.',
    }),
    status: field(3, subjectAccessReviewStatus, { always: true, about: 'The decision, filled in by the server.' }),
  }),
);

export const subjectAccessReview = defineKind(subjectAccessReviewType, {
  kind: 'SubjectAccessReview',
  plural: 'subjectaccessreviews',
  namespaced: false,
  verbs: ['create'],
  checkName: checkPathSegment,
  action: reviewSubject,
});
