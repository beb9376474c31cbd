// The autoscaling group, v2beta1: served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { horizontalPodAutoscalerV2beta1 } from './horizontal-pod-autoscaler.ts';

export const autoscalingV2beta1: GroupVersionSpec = {
  group: 'autoscaling',
  version: 'v2beta1',
  priority: { group: 17500, version: 9 },
  offByDefault: true,
  kinds: [horizontalPodAutoscalerV2beta1],
};
