// The coordination group, v1beta1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { lease } from '../v1/lease.ts';
import { leaseCandidate } from './lease-candidate.ts';

const home = 'coordination/v1beta1';

export const coordinationV1beta1: GroupVersionSpec = {
  group: 'coordination',
  version: 'v1beta1',
  priority: { group: 16500, version: 13 },
  offByDefault: true,
  kinds: [
    sameShape(lease, home, {
      since: 19,
      removed: 22,
      replacement: { group: 'coordination', version: 'v1', kind: 'Lease' },
    }),
    leaseCandidate,
  ],
};
