// TokenReview: asks the API server to check a bearer token.

import { checkPathSegment } from '../../../meta/names.ts';
import { defineKind } from '../../../schema/define-kind.ts';
import { bool, field, listOf, string, struct } from '../../../schema/types.ts';
import { objectMeta } from '../../meta/v1/types.ts';
import { reviewToken } from './identity-review.ts';
import { userInfo } from './user-info.ts';

const home = 'authentication/v1';

const tokenReviewSpec = struct(home, 'TokenReviewSpec', 'What is to be checked.', () => ({
  token: field(1, string, { required: true, about: 'The bearer token, as sent by the client.' }),
  audiences: field(2, listOf(string), {
    listType: 'atomic',
    about: 'Recipients the token should be valid for; unset means the API server itself.',
  }),
}));

const tokenReviewStatus = struct(home, 'TokenReviewStatus', 'Outcome of a token check.', () => ({
  authenticated: field(1, bool, { about: 'True if the token belongs to a known user.' }),
  user: field(2, userInfo, { always: true, about: 'The user that the token stands for.' }),
  audiences: field(4, listOf(string), {
    listType: 'atomic',
    about: 'Requested audiences that the token is valid for.',
  }),
  error: field(3, string, { about: 'Why the token could not be checked, if that happened.' }),
}));

const tokenReviewType = struct(home, 'TokenReview', 'Asks the API server to check a bearer token.', () => ({
  metadata: field(1, objectMeta, { always: true, about: 'Standard object metadata.' }),
  spec: field(2, tokenReviewSpec, { always: true, required: true, about: 'The token to be checked.' }),
  status: field(3, tokenReviewStatus, { always: true, about: 'Outcome of the check, filled in by the server.' }),
}));

export const tokenReview = defineKind(tokenReviewType, {
  kind: 'TokenReview',
  plural: 'tokenreviews',
  namespaced: false,
  verbs: ['create'],
  checkName: checkPathSegment,
  confidential: true,
  action: reviewToken,
});
