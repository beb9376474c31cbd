// The autoscaling group, v2beta2: v2 before it was stable, served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { horizontalPodAutoscaler } from '../v2/horizontal-pod-autoscaler.ts';

export const autoscalingV2beta2: GroupVersionSpec = {
  group: 'autoscaling',
  version: 'v2beta2',
  priority: { group: 17500, version: 10 },
  offByDefault: true,
  kinds: [
    sameShape(horizontalPodAutoscaler, 'autoscaling/v2beta2', {
      since: 23,
      removed: 26,
      replacement: { group: 'autoscaling', version: 'v2', kind: 'HorizontalPodAutoscaler' },
    }),
  ],
};
