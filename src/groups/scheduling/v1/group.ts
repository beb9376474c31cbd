// The scheduling group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { priorityClass } from './priority-class.ts';

export const schedulingV1: GroupVersionSpec = {
  group: 'scheduling',
  version: 'v1',
  priority: { group: 16600, version: 15 },
  kinds: [priorityClass],
};
