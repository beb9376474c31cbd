// SelfSubjectReview: tells you which user the API server takes you for.

import { checkPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { field, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { reviewOneself } from './identity-review.ts';
import { userInfo } from './user-info.ts';

const home = 'authentication/v1';

const selfSubjectReviewStatus = struct(home, 'SelfSubjectReviewStatus', 'Result of a self review.', () => ({
  userInfo: field(1, userInfo, { always: true, about: 'Name, UID, groups and extras of the requesting user.' }),
}));

const selfSubjectReviewType = struct(
  home,
  'SelfSubjectReview',
  'Tells you which user the API server takes you for.',
  () => ({
    metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
    status: field(2, selfSubjectReviewStatus, { always: true, about: 'Your user details, filled in by the server.' }),
  }),
);

export const selfSubjectReview = defineKind(selfSubjectReviewType, {
  kind: 'SelfSubjectReview',
  plural: 'selfsubjectreviews',
  namespaced: false,
  verbs: ['create'],
  checkName: checkPathSegment,
  action: reviewOneself,
});
