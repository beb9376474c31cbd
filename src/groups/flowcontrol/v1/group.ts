// The flowcontrol group, v1.

import type { GroupVersionSpec } from '../../group-version.ts';
import { flowSchema } from './flow-schema.ts';
import { priorityLevelConfiguration } from './priority-level-configuration.ts';

export const flowcontrolV1: GroupVersionSpec = {
  group: 'flowcontrol.apiserver',
  version: 'v1',
  priority: { group: 16100, version: 21 },
  kinds: [flowSchema, priorityLevelConfiguration],
};
