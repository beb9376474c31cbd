// The scheduling group, v1beta1: no longer served unless an option asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { priorityClass } from '../v1/priority-class.ts';

const home = 'scheduling/v1beta1';

export const schedulingV1beta1: GroupVersionSpec = {
  group: 'scheduling',
  version: 'v1beta1',
  priority: { group: 16600, version: 1 },
  offByDefault: true,
  kinds: [
    sameShape(priorityClass, home, {
      since: 14,
      removed: 22,
      replacement: { group: 'scheduling', version: 'v1', kind: 'PriorityClass' },
    }),
  ],
};
