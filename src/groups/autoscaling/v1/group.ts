// The autoscaling group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { horizontalPodAutoscaler } from './horizontal-pod-autoscaler.ts';

export const autoscalingV1: GroupVersionSpec = {
  group: 'autoscaling',
  version: 'v1',
  priority: { group: 17500, version: 15 },
  kinds: [horizontalPodAutoscaler],
};
