// The coordination group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { lease } from './lease.ts';

export const coordinationV1: GroupVersionSpec = {
  group: 'coordination',
  version: 'v1',
  priority: { group: 16500, version: 15 },
  kinds: [lease],
};
