// The policy group, v1beta1: served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { podDisruptionBudgetV1beta1 } from './pod-disruption-budget.ts';
import { podSecurityPolicy } from './pod-security-policy.ts';

export const policyV1beta1: GroupVersionSpec = {
  group: 'policy',
  version: 'v1beta1',
  priority: { group: 17100, version: 9 },
  offByDefault: true,
  kinds: [podDisruptionBudgetV1beta1, podSecurityPolicy],
};
