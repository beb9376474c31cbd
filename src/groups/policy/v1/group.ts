// The policy group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { podDisruptionBudget } from './pod-disruption-budget.ts';

export const policyV1: GroupVersionSpec = {
  group: 'policy',
  version: 'v1',
  priority: { group: 17100, version: 15 },
  kinds: [podDisruptionBudget],
};
