// The authentication group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { selfSubjectReview } from './self-subject-review.ts';
import { tokenReview } from './token-review.ts';

export const authenticationV1: GroupVersionSpec = {
  group: 'authentication',
  version: 'v1',
  priority: { group: 17700, version: 15 },
  kinds: [selfSubjectReview, tokenReview],
};
