// The flow control group, v1beta3: served only to who asks for it.

import type { GroupVersionSpec } from '../../group-version.ts';
import { sameShape } from '../../same-shape.ts';
import { flowSchema } from '../v1/flow-schema.ts';
import { priorityLevelConfiguration } from '../v1/priority-level-configuration.ts';

const home = 'flowcontrol/v1beta3';
const group = 'flowcontrol.apiserver';

export const flowcontrolV1beta3: GroupVersionSpec = {
  group,
  version: 'v1beta3',
  priority: { group: 16100, version: 18 },
  offByDefault: true,
  kinds: [
    sameShape(flowSchema, home, {
      since: 29,
      removed: 32,
      replacement: { group, version: 'v1', kind: 'FlowSchema' },
    }),
    sameShape(priorityLevelConfiguration, home, {
      since: 29,
      removed: 32,
      replacement: { group, version: 'v1', kind: 'PriorityLevelConfiguration' },
    }),
  ],
};
