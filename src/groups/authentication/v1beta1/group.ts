// The authentication group, v1beta1: served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { selfSubjectReview } from '../v1/self-subject-review.ts';
import { tokenReview } from '../v1/token-review.ts';

const home = 'authentication/v1beta1';

export const authenticationV1beta1: GroupVersionSpec = {
  group: 'authentication',
  version: 'v1beta1',
  priority: { group: 17700, version: 9 },
  offByDefault: true,
  kinds: [
    sameShape(selfSubjectReview, home, { since: 30, removed: 33 }),
    sameShape(tokenReview, home, {
      since: 19,
      removed: 22,
      replacement: { group: 'authentication', version: 'v1', kind: 'TokenReview' },
    }),
  ],
};
