// The coordination group, v1alpha2.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { leaseCandidate } from '../v1beta1/lease-candidate.ts';

const home = 'coordination/v1alpha2';

export const coordinationV1alpha2: GroupVersionSpec = {
  group: 'coordination',
  version: 'v1alpha2',
  priority: { group: 16500, version: 12 },
  offByDefault: true,
  kinds: [sameShape(leaseCandidate, home, { since: 35, removed: 38 })],
};
