// The authorization group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { localSubjectAccessReview } from './local-subject-access-review.ts';
import { selfSubjectAccessReview } from './self-subject-access-review.ts';
import { selfSubjectRulesReview } from './self-subject-rules-review.ts';
import { subjectAccessReview } from './subject-access-review.ts';

export const authorizationV1: GroupVersionSpec = {
  group: 'authorization',
  version: 'v1',
  priority: { group: 17600, version: 15 },
  kinds: [localSubjectAccessReview, selfSubjectAccessReview, selfSubjectRulesReview, subjectAccessReview],
};
