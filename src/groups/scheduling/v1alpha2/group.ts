// The scheduling group, v1alpha2.

import type { GroupVersionSpec } from '../../group-version.ts';
import { podGroup } from './pod-group.ts';
import { workload } from './workload.ts';

export const schedulingV1alpha2: GroupVersionSpec = {
  group: 'scheduling',
  version: 'v1alpha2',
  priority: { group: 16600, version: 2 },
  offByDefault: true,
  kinds: [podGroup, workload],
};
