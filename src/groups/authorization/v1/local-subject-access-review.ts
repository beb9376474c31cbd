// LocalSubjectAccessReview: asks whether a user may do something in the namespace of this request.

import { checkPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { reviewLocally } from './access-review.ts';
import { subjectAccessReviewSpec, subjectAccessReviewStatus } from './attributes.ts';

const home = 'authorization/v1';

const localSubjectAccessReviewType = struct(
  home,
  'LocalSubjectAccessReview',
  'Asks whether a user may do something in the namespace of this request.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    spec: field(2, subjectAccessReviewSpec, {
      always: true,
      required: true,
      about: 'The user and the action; its namespace must equal that of the request.',
    }),
    status: field(3, subjectAccessReviewStatus, { always: true, about: 'The decision, filled in by the server.' }),
  }),
);

export const localSubjectAccessReview = defineKind(localSubjectAccessReviewType, {
  kind: 'LocalSubjectAccessReview',
  plural: 'localsubjectaccessreviews',
  namespaced: true,
  verbs: ['create'],
  checkName: checkPathSegment,
  action: reviewLocally,
});
