// The autoscaling group, v2.

import type { GroupVersionSpec } from '../../group-version.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';

export const autoscalingV2: GroupVersionSpec = {
  group: 'autoscaling',
  version: 'v2',
  priority: { group: 17500, version: 30 },
  kinds: [horizontalPodAutoscaler],
};
