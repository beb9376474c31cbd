// The authorization group, v1beta1: served only to who asks for it.

import type { Deprecation, KindDefinition } from '../../../schema/resource.ts';
import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { localSubjectAccessReview } from '../v1/local-subject-access-review.ts';
import { selfSubjectAccessReview } from '../v1/self-subject-access-review.ts';
import { selfSubjectRulesReview } from '../v1/self-subject-rules-review.ts';
import { subjectAccessReview } from '../v1/subject-access-review.ts';
import { withGroupField } from './subject-review.ts';

const replacedBy = ({ kind }: KindDefinition): Deprecation => ({
  since: 19,
  removed: 22,
  replacement: { group: 'authorization', version: 'v1', kind },
});

const older = (kind: KindDefinition) => sameShape(kind, 'authorization/v1beta1', replacedBy(kind));

export const authorizationV1beta1: GroupVersionSpec = {
  group: 'authorization',
  version: 'v1beta1',
  priority: { group: 17600, version: 9 },
  offByDefault: true,
  kinds: [
    withGroupField(older(localSubjectAccessReview)),
    older(selfSubjectAccessReview),
    older(selfSubjectRulesReview),
    withGroupField(older(subjectAccessReview)),
  ],
};
