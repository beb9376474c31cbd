// The coordination group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { leaseCandidate } from './lease-candidate.ts';

export const coordinationV1beta1: GroupVersionSpec = {
  group: 'coordination',
  version: 'v1beta1',
  priority: { group: 16500, version: 13 },
  offByDefault: true,
  kinds: [leaseCandidate],
};
